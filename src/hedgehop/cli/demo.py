# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop demo``: an astronaut cut out in six ways, and a sentence with three readings."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from hedgehop._arrays import Labels
from hedgehop._errors import need
from hedgehop.baselines import m_best
from hedgehop.cli.options import Force, Json, Quiet, check_targets, writable
from hedgehop.cli.output import Output, command_output, fields_of, write_figure
from hedgehop.lists.result import DiverseList
from hedgehop.lists.selection import diverse
from hedgehop.metrics import distances
from hedgehop.models import Arborescence
from hedgehop.plotting.cutouts import plot_cutouts

# Strokes as (top, bottom, left, right) in a photograph of 512 x 512 pixels: 1 is the background, 2 the object.
_STROKES = {2: [(60, 200, 215, 225), (330, 340, 120, 330), (440, 500, 180, 190)],
            1: [(20, 30, 330, 480), (120, 300, 20, 30)]}  # fmt: skip
_COLORS = np.array([[0, 0, 0], [30, 80, 255], [255, 30, 30]], np.uint8)

WORDS = ["I", "saw", "the", "man", "on", "the", "hill", "with", "a", "telescope"]
# Log-probabilities of the heads of each word; what is not named is very unlikely. Two words have several heads.
_HEADS = [{"saw": 0.0}, {"": 0.0}, {"man": 0.0}, {"saw": 0.0}, {"man": -0.5, "saw": -0.9}, {"hill": 0.0}, {"on": 0.0},
          {"saw": -0.9, "man": -1.1, "hill": -1.5}, {"telescope": 0.0}, {"with": 0.0}]  # fmt: skip
_UNLIKELY_SCORE = -9.0
_MEANINGS = [{"man": "the man is on the hill", "saw": "I am on the hill"},
             {"saw": "I use the telescope", "man": "the man has it", "hill": "it stands there"}]  # fmt: skip


def demo(
    target: Annotated[Path, typer.Option("--out", "-o", help="The picture to write.")] = Path("demo.png"),
    m: Annotated[int, typer.Option("-m", min=2, help="Number of cut-outs.")] = 6,
    segments: Annotated[int, typer.Option(min=100, help="Approximate number of superpixels.")] = 2000,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print the tables of both lists.")] = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Cut an astronaut out of a photograph in six ways, and read a sentence in three.

    It takes a few seconds and needs the extras segmentation and plot.

    Example: `hedgehop demo --out astronaut.png`
    """
    with command_output(json, quiet) as out:
        start = time.perf_counter()
        check_targets(out, target, force)
        need("matplotlib", "plot", "the demo")  # before the work, not after it
        cut = _photograph(out, target, m, segments)
        read = _sentence(out)
        if verbose:
            out.say(f"\n{cut.report(verbose)}\n\n{read.report(verbose)}")
        out.say(f"\n{time.perf_counter() - start:.0f} s in all; `hedgehop studio` does it with your own strokes")
        out.fields |= {"out": target, "photograph": fields_of(cut), "sentence": fields_of(read)}


def _photograph(out: Output, target: Path, m: int, segments: int) -> DiverseList:
    """Cut an object out in m ways, and draw them above the best ones by score alone, which hardly differ."""
    from hedgehop.segmentation import Segmenter

    image = need("skimage.data", "segmentation", "the demo").astronaut()
    strokes = _drawn_strokes(image.shape[:2])
    segmenter = Segmenter(image, segments)
    found = segmenter.suggest(strokes, m)
    alone = segmenter.to_pixels(m_best(segmenter.model(strokes), m)) > 0
    rows: dict[str, Any] = {
        f"hedgehop: {m} answers that differ in what they take for the object": found.masks,
        f"without diversity: the {m} best by score": alone,
    }
    drawn = np.where(strokes[..., None] > 0, _COLORS[strokes], image)
    with writable(target, "png") as path:
        write_figure(plot_cutouts(image, rows, drawn), path)
    out.say(f"wrote {target}: an astronaut, five strokes, {m} ways to cut her out; do helmet, table and flag count?")
    out.say(f"  the two nearest of them differ in {_nearest(found.masks):.1%} of the pixels")
    out.say(f"  the two nearest of the {m} best by score alone differ in {_nearest(alone):.2%}")
    return found


def _drawn_strokes(shape: tuple[int, int]) -> Labels:
    strokes = np.zeros(shape, np.int32)
    for label, boxes in _STROKES.items():
        for top, bottom, left, right in boxes:
            strokes[top:bottom, left:right] = label
    return strokes


def _nearest(masks: NDArray[np.bool_]) -> float:
    """The smallest share of the pixels in which two masks differ."""
    return float(distances(masks)[np.triu_indices(len(masks), 1)].min())


def _sentence(out: Output) -> DiverseList:
    """Parse a sentence in three ways."""
    found = diverse(parser(), m=3)
    out.say(f'\n"{" ".join(WORDS)}" in three readings:')
    for heads in found.labelings:
        ends = (WORDS[heads[WORDS.index(word)] - 1] for word in ("on", "with"))
        out.say("  " + ", ".join(meaning[end] for meaning, end in zip(_MEANINGS, ends, strict=True)))
    proven = f"{int(found.exact.sum())} of {len(found)} steps are proven optimal"
    out.say(f"  {proven}; the list reaches {found.guarantee:.0%} of the best possible improvement")
    return found


def parser() -> Arborescence:
    """Return the model of the sentence: a score for each word and head, the root first."""
    scores = np.full((len(WORDS), len(WORDS) + 1), _UNLIKELY_SCORE)
    for word, heads in enumerate(_HEADS):
        for head, score in heads.items():
            scores[word, WORDS.index(head) + 1 if head else 0] = score
    return Arborescence(scores)
