# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop demo``: several ways to understand a photograph of a cup of coffee, by the colours of superpixels."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop._errors import need
from hedgehop.cli.options import Json, Quiet, check_writable
from hedgehop.cli.output import command_output, fields_of, progress_bar, write_figure
from hedgehop.diversity import Diversity, HammingBall, LabelCoverage, VariableCoverage
from hedgehop.lists.selection import diverse
from hedgehop.models import FactorGraph
from hedgehop.oracles import Ilp
from hedgehop.plotting import plot_lists

_PROGRAM_SECONDS = 2.0  # that an integer program may take; when time is over it tells the bound it has reached
# A class is the colour around one pixel (row, column) of the photograph, and how it is drawn.
CLASSES = {
    "wood": ((150, 560), "#b8b8b8"),
    "red glaze": ((250, 430), "#d55e00"),
    "china": ((40, 290), "#56b4e9"),
    "coffee": ((185, 300), "#f0e442"),
    "shadow": ((30, 30), "#33097d"),
}
_COLOR_SPREAD = 14.0  # how far, in Lab units, colours of one class lie from its centre


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
    with command_output(json, quiet) as out:
        start = time.perf_counter()
        check_writable(target)
        need("matplotlib", "plot", "the demo")  # before the work, not after it
        image = need("skimage.data", "segmentation", "the demo").coffee()
        pieces = _superpixels(image, segments)
        model = _model(need("skimage.color", "segmentation", "the demo").rgb2lab(image), pieces)
        height, width = pieces.shape
        out.say(f"a photograph of {width} x {height} pixels, {len(CLASSES)} colour classes: {model}")
        lists = {}
        for name, (diversity, tradeoff, apart) in _requests().items():
            with progress_bar(out, name, m) as advance:
                oracle = Ilp(time_limit=_PROGRAM_SECONDS)
                found = diverse(model, diversity, m, tradeoff, oracle=oracle, min_distance=apart, callback=advance)
            out.say(f"\n{found.report()}")
            lists[f"{type(diversity).__name__}: {name}"] = found
        names, colors = list(CLASSES), [shade for _, shade in CLASSES.values()]
        write_figure(plot_lists(lists, image, segments=pieces, names=names, colors=colors), target)
        text = f"\nwrote {target}, {len(lists)} lists side by side, {time.perf_counter() - start:.0f} s in all"
        out.say(text, out=target, lists={name: fields_of(found) for name, found in lists.items()})


def _requests() -> dict[str, tuple[Diversity, float, float | None]]:
    """Return what to ask for: a diversity, its tradeoff, and how far apart the labelings must be."""
    return {
        "balls around each labeling": (HammingBall(gamma=0.2, steer="sum"), 20.0, None),
        "labels seen at each superpixel": (VariableCoverage(h="log"), 2.0, 0.05),
        "labels used anywhere": (LabelCoverage(ignore=()), 30.0, 0.05),
    }


def _superpixels(image: NDArray[Any], count: int) -> NDArray[Any]:
    """Return the (H, W) map of superpixels, numbered 0, 1, ... without gaps."""
    slic = need("skimage.segmentation", "segmentation", "the demo").slic
    found = slic(image, n_segments=count, compactness=15, start_label=0)
    return np.asarray(np.unique(found, return_inverse=True)[1].reshape(found.shape))


def _model(lab: Doubles, segments: NDArray[Any]) -> FactorGraph:
    """Return the model: a score per class and superpixel, and neighbours of similar colour like to agree."""
    means, area = _mean_colors(lab, segments)
    off = ((means[:, None] - _class_colors(lab)) ** 2).sum(axis=-1) / (2 * _COLOR_SPREAD**2)
    scores = -np.minimum(off, 8.0) * (area / area.mean())[:, None]
    edges, length = _neighbours(segments)
    step = ((means[edges[:, 0]] - means[edges[:, 1]]) ** 2).sum(axis=1)
    strength = length / length.mean() * np.exp(-step / step.mean())
    return FactorGraph(scores, edges, strength)


def _mean_colors(lab: Doubles, segments: NDArray[Any]) -> tuple[Doubles, NDArray[Any]]:
    """Return the mean colour, (n, 3), and the area, (n,), of each superpixel."""
    area = np.bincount(segments.ravel())
    sums = [np.bincount(segments.ravel(), lab[..., c].ravel()) for c in range(3)]
    return np.stack(sums, axis=1) / area[:, None], area


def _class_colors(lab: Doubles) -> Doubles:
    """Return the mean colour around the pixel of each class, (L, 3)."""
    return np.stack([lab[r - 6 : r + 7, c - 6 : c + 7].mean(axis=(0, 1)) for (r, c), _ in CLASSES.values()])


def _neighbours(segments: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the pairs of superpixels that touch, (E, 2), and the lengths of their borders."""
    right = np.stack([segments[:, :-1], segments[:, 1:]], axis=-1).reshape(-1, 2)
    below = np.stack([segments[:-1], segments[1:]], axis=-1).reshape(-1, 2)
    pairs = np.sort(np.concatenate([right, below]), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0, return_counts=True)
