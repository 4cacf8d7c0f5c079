# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop tune``: which diversity and tradeoff give the best lists on examples with true labelings."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from hedgehop.batch import Manifest, Recipe
from hedgehop.batch.recipe import METRICS
from hedgehop.batch.tasks import item_truth, model_of
from hedgehop.cli.options import Force, Json, Quiet, check_targets, complete_diversity, parse_option, writable
from hedgehop.cli.output import Output, command_output
from hedgehop.io.file_access import write_text
from hedgehop.specifications import parse_diversity, parse_tradeoff
from hedgehop.tuning.search import Tuned
from hedgehop.tuning.search import tune as search

_USUAL_DIVERSITIES = ["hamming:0.01", "variables", "linear"]
_USUAL_TRADEOFFS = ["0.03", "0.1", "0.3", "1", "3"]


class Metric(str, Enum):
    """The metrics of a recipe, for the help."""

    accuracy = "accuracy"
    iou = "iou"


def tune(
    manifest: Annotated[
        Path, typer.Argument(help="A .csv or .jsonl manifest of models or scores, with true labelings.", exists=True)
    ],
    diversity: Annotated[
        list[str],
        typer.Option("--diversity", "-d", help="One to try; can be repeated.", autocompletion=complete_diversity),
    ] = _USUAL_DIVERSITIES,
    tradeoff: Annotated[
        list[str], typer.Option("--tradeoff", "-t", help="One to try; can be repeated.")
    ] = _USUAL_TRADEOFFS,
    m: Annotated[int, typer.Option("-m", min=1, help="Labelings in each list.")] = 5,
    metric: Annotated[Metric, typer.Option(help="The metric for the best labeling of a list.")] = Metric.accuracy,
    smoothness: Annotated[float, typer.Option(min=0, help="Smoothness of grids made from scores.")] = 1.0,
    cache: Annotated[
        Path | None, typer.Option(help="Keep scores in this file, so that an interrupted search can continue.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of lists computed in parallel.", show_default="one per processor")
    ] = None,
    target: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the best setting as a recipe for `hedgehop batch`.")
    ] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Try every diversity with every tradeoff, and choose the setting whose lists contain the best labelings.

    Example: `hedgehop tune examples.csv -d variables -d linear -t 0.1 -t 1 --out recipe.toml`
    """
    kinds = {words: parse_option("--diversity", parse_diversity, words) for words in diversity}
    factors = {words: parse_option("--tradeoff", parse_tradeoff, words) for words in tradeoff}
    with command_output(json, quiet) as out:
        check_targets(out, target, force, [manifest, cache])
        settings, score = Recipe(smoothness=smoothness), METRICS[metric.value]
        items = [item for item in Manifest(manifest) if item.truth]
        if not items:
            raise ValueError(f"{manifest} must have true labelings, in a column 'truth'; it has none.")
        models = [model_of(item, settings) for item in items]
        truths = [item_truth(item, model.shape) for item, model in zip(items, models, strict=True)]
        found = search(
            models, truths, kinds, factors.values(), m, score=score, cache=cache, workers=workers,
            progress=out.on_terminal,
        )  # fmt: skip
        best = (found.name, next(words for words, factor in factors.items() if factor == found.tradeoff))
        _tell(out, found, list(factors), best, metric.value)
        if target is not None:
            with writable(target, "toml") as path:
                _write_recipe(path, best, m, smoothness)
            out.say(f"wrote {target}", out=target)


def _tell(out: Output, found: Tuned, factors: list[str], best: tuple[str, str], metric: str) -> None:
    """Print a table, diversities by tradeoffs, of the mean best-of-m score."""
    means = found.best_of_m[:, :, -1].mean(axis=1).tolist()
    names = [name for name, _ in found.settings]
    rows = [{"diversity": n, "tradeoff": factors[k % len(factors)], metric: means[k]} for k, n in enumerate(names)]
    width = max(len(name) for name in names)
    out.say(f"mean oracle {metric} of {found.best_of_m.shape[1]} examples, lists of {found.best_of_m.shape[2]}")
    out.say(f"{'':<{width}}  " + "  ".join(f"{word:>12}" for word in factors))
    for start in range(0, len(rows), len(factors)):
        cells = "  ".join(f"{mean:>12.4f}" for mean in means[start : start + len(factors)])
        out.say(f"{names[start]:<{width}}  {cells}")
    text = f"best: {best[0]}, tradeoff {best[1]}, {found.score:.4f}"
    out.say(text, diversity=best[0], tradeoff=best[1], score=found.score, settings=rows)


def _write_recipe(path: Path, best: tuple[str, str], m: int, smoothness: float) -> None:
    lines = [f'diversity = "{best[0]}"', f'tradeoff = "{best[1]}"', f"m = {m}", f"smoothness = {smoothness!r}", ""]
    write_text(path, "\n".join(lines))
