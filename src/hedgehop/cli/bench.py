# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop bench``: how fast the installed library is on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import typer

from hedgehop.cli.options import Json, Quiet
from hedgehop.cli.output import command_output, progress_bar
from hedgehop.diversity import HammingBall, LabelCoverage, VariableCoverage
from hedgehop.lists.selection import best, diverse
from hedgehop.models import Arborescence, Chain, Grid


def bench(
    size: Annotated[int, typer.Option(min=8, max=4000, help="Height and width of the images, in pixels.")] = 150,
    repeat: Annotated[int, typer.Option(min=1, help="Number of runs of each; the fastest counts.")] = 2,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure cuts, moves, chains and diverse lists on generated models; takes a few seconds.

    Times are wall-clock and CPU milliseconds; the last column is CPU nanoseconds per variable.

    Example: `hedgehop bench --size 300`
    """
    with command_output(json, quiet) as out:
        trials, rows = _trials(size), []
        out.say(f"{'':<44}{'variables':>10}{'wall ms':>10}{'cpu ms':>10}{'ns/var':>9}")
        with progress_bar(out, "measured", len(trials)) as advance:
            for name, (variables, run) in trials.items():
                wall, cpu = min(_timed(run) for _ in range(repeat))
                rows.append({"name": name, "variables": variables, "seconds": wall, "cpu_seconds": cpu})
                each = cpu / variables * 1e9
                out.say(f"{name:<44}{variables:>10}{wall * 1e3:>10.1f}{cpu * 1e3:>10.1f}{each:>9.0f}")
                advance(name)
        out.fields |= {"size": size, "repeat": repeat, "trials": rows}


def _timed(run: Callable[[], Any]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def _trials(size: int) -> dict[str, tuple[int, Callable[[], Any]]]:
    """Return what to measure: the number of variables, and what to run."""
    rng = np.random.default_rng(0)
    two, five = _image(rng, size, 2), _image(rng, size, 5)
    words = Chain(rng.normal(size=(size * size // 10, 10)), rng.normal(size=(10, 10)))
    sentence = Arborescence(rng.normal(size=(60, 60)))
    n = size * size
    return {
        "best of an image, 2 labels: one cut": (n, lambda: best(two)),
        "best of an image, 5 labels: expansion": (n, lambda: best(five, oracle="expansion")),
        "best of a chain, 10 labels": (words.n_variables, lambda: best(words)),
        "best of a parse, 60 words": (sentence.n_variables, lambda: best(sentence)),
        "5 of an image, 2 labels, VariableCoverage": (
            n,
            lambda: diverse(two, VariableCoverage(), 5, 0.3, certify=False),
        ),
        "5 of an image, 2 labels, HammingBall": (
            n,
            lambda: diverse(two, HammingBall(gamma=0.01), 5, 0.3 * n, certify=False),
        ),
        "3 of an image, 5 labels, LabelCoverage": (
            n,
            lambda: diverse(five, LabelCoverage(), 3, 0.05 * n, certify=False),
        ),
    }


def _image(rng: np.random.Generator, size: int, labels: int) -> Grid:
    """Return blobs of labels under noise, as a grid."""
    rows, columns = np.mgrid[0:size, 0:size] * (2 * np.pi / size)
    waves = [np.sin((k + 1) * rows + k) + np.cos((k + 2) * columns - k) for k in range(labels)]
    return Grid(np.stack(waves, axis=-1) + rng.normal(0, 1.0, (size, size, labels)), smoothness=1.0)
