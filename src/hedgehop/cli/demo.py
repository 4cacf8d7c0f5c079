# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop demo``: several ways to understand a cup of coffee."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from hedgehop._errors import need
from hedgehop.cli.coffee import CLASSES, coffee_scene
from hedgehop.cli.pictures import write_figure
from hedgehop.cli.progress import progress_bar
from hedgehop.cli.speech import Json, Quiet, check_target, fields_of, speech
from hedgehop.diversity import Diversity, HammingBall, LabelCoverage, VariableCoverage
from hedgehop.lists.selection import diverse
from hedgehop.oracles import Ilp
from hedgehop.plotting import plot_lists

_SECONDS = 2.0  # what an integer program may take; when time is over it tells the bound it has reached


def demo(
    target: Annotated[Path, typer.Option("--out", "-o", help="The picture to write.")] = Path("demo.png"),
    segments: Annotated[int, typer.Option(min=1, help="About how many superpixels.")] = 120,
    m: Annotated[int, typer.Option("-m", min=1, help="Labelings in each list.")] = 5,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Segment a photograph in several ways by three diversities, print the tables, draw the lists.

    Takes about a minute. Needs the extras segmentation and plot.

    Example: `hedgehop demo --out cups.png`
    """
    with speech(json, quiet) as out:
        start = time.perf_counter()
        check_target(target)
        need("matplotlib", "plot", "the demo")  # before the work, not after it
        scene = coffee_scene(segments)
        height, width = scene.segments.shape
        out.say(f"a photograph of {width} x {height} pixels, {len(CLASSES)} colour classes: {scene.model}")
        lists = {}
        for name, (diversity, tradeoff, apart) in _requests().items():
            with progress_bar(out, name, m) as advance:
                oracle = Ilp(time_limit=_SECONDS)
                found = diverse(
                    scene.model, diversity, m, tradeoff, oracle=oracle, min_distance=apart, callback=advance
                )
            out.say(f"\n{found.report()}")
            lists[f"{type(diversity).__name__}: {name}"] = found
        names, colors = list(CLASSES), [shade for _, shade in CLASSES.values()]
        write_figure(plot_lists(lists, scene.image, segments=scene.segments, names=names, colors=colors), target)
        out.answer(out=target, lists={name: fields_of(found) for name, found in lists.items()})
        out.say(f"\nwrote {target}, {len(lists)} lists side by side, {time.perf_counter() - start:.0f} s in all")


def _requests() -> dict[str, tuple[Diversity, float, float | None]]:
    """Return what to ask for: a diversity, its tradeoff, and how far apart the labelings must be."""
    return {
        "balls around each labeling": (HammingBall(gamma=0.2, steer="sum"), 20.0, None),
        "labels seen at each superpixel": (VariableCoverage(h="log"), 2.0, 0.05),
        "labels used anywhere": (LabelCoverage(ignore=()), 30.0, 0.05),
    }
