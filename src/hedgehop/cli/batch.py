# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop batch``: many models or images with one recipe; can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from glob import glob
from pathlib import Path
from typing import Annotated

import typer

from hedgehop.batch import Manifest, Recipe, Summary, run
from hedgehop.batch.items import is_item
from hedgehop.batch.manifest import MANIFEST_SUFFIXES
from hedgehop.cli.options import Json, Quiet
from hedgehop.cli.output import Output, command_output, progress_bar


def batch(
    sources: Annotated[
        list[str],
        typer.Argument(help="Models or images, folders of them, quoted patterns, or one .csv or .jsonl manifest."),
    ],
    recipe: Annotated[
        Path,
        typer.Option("--recipe", "-r", help="A TOML file: diversity, tradeoff, m, ...", exists=True, dir_okay=False),
    ],
    target: Annotated[Path, typer.Option("--out", "-o", help="The folder for the results.", file_okay=False)],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of processes.", show_default="one per processor")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(help="Run on the Dask cluster with this scheduler: tcp://HOST:8786.")
    ] = None,
    chunk: Annotated[
        int | None, typer.Option(min=1, help="Items per task.", show_default="as many as take about a second")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start over; otherwise a different recipe is refused.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Try failed items again.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve many models or images; run the same command again to finish an interrupted batch.

    The output folder receives a list for every item, outcomes.jsonl and summary.csv. The exit code is 1 if an item
    failed; the others are solved all the same.

    Example: `hedgehop batch models/ --recipe recipe.toml --out results`
    """
    if dask is not None and workers is not None:
        raise typer.BadParameter("a Dask cluster has its own number of workers", param_hint="'--workers'")
    with command_output(json, quiet) as out:
        settings = Recipe.read(recipe)
        items = _items(sources, settings.beside)
        with progress_bar(out, "items", len(items)) as advance:
            done = run(
                items, settings, target, workers=workers, executor=dask, chunk=chunk, force=force, retry=retry,
                callback=advance,
            )  # fmt: skip
        _tell(out, done, len(items))


def _tell(out: Output, done: Summary, total: int) -> None:
    counts = {"solved": done.solved, "done_before": done.done_before, "failed": done.failed}
    text = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    out.say(f"{text}; see {done.table}", **counts, summary=done.table, metrics=done.metrics)
    for name, mean in done.metrics.items():
        out.say(f"mean {name.replace('_', ' ')}: {mean:.4f}")
    if done.failed:
        out.fail(f"{done.failed} of {total} items failed; {done.table} says why.")
        raise typer.Exit(1)


def _items(sources: list[str], beside: Mapping[str, str]) -> Manifest | list[Path]:
    """Return the manifest, or all files given; of folders, models, and images with the files they need."""
    manifests = [source for source in sources if Path(source).suffix.lower() in MANIFEST_SUFFIXES]
    if manifests and len(sources) > 1:
        raise ValueError(f"{manifests[0]} is a manifest and must be the only source; got {len(sources)} sources.")
    return Manifest(manifests[0]) if manifests else _files(sources, beside)


def _files(sources: list[str], beside: Mapping[str, str]) -> list[Path]:
    found: list[Path] = []
    for source in sources:
        here = Path(source)
        paths = [here] if here.exists() else [Path(path) for path in sorted(glob(source, recursive=True))]
        if not paths:
            raise ValueError(f"no file or folder matches {source!r}.")
        for path in paths:
            found += [inner for inner in sorted(path.rglob("*")) if is_item(inner, beside)] if path.is_dir() else [path]
    return found
