# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop batch``: many models or images with one recipe; can be resumed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from hedgehop.batch import Manifest, Recipe, Status, Summary, read_status, run
from hedgehop.batch.manifest import MANIFEST_SUFFIXES
from hedgehop.batch.progress import clock
from hedgehop.batch.results import RESULT_KINDS
from hedgehop.batch.sources import find_files
from hedgehop.cli.options import Json, Quiet
from hedgehop.cli.output import Output, command_output


def batch(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Models or images, folders of them, quoted patterns, addresses such as s3://bucket/models, or one "
            ".csv or .jsonl manifest.",
            show_default=False,
        ),
    ] = None,
    recipe: Annotated[
        Path | None,
        typer.Option("--recipe", "-r", help="A TOML file: diversity, tradeoff, m, ...", exists=True, dir_okay=False),
    ] = None,
    target: Annotated[str | None, typer.Option("--out", "-o", help="The folder or address for the results.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of processes.", show_default="one per processor")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(help="Run on the Dask cluster with this scheduler: tcp://HOST:8786.")
    ] = None,
    chunk: Annotated[
        int | None, typer.Option(min=1, help="Items per task.", show_default="as many as take about a second")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(help="Do one part of several, such as 0/8, in a job array; all write into one folder.")
    ] = None,
    item_seconds: Annotated[
        float | None, typer.Option(help="Seconds that one item may take.", show_default="any")
    ] = None,
    item_memory: Annotated[
        float | None, typer.Option(help="Megabytes that one item may take.", show_default="any")
    ] = None,
    results: Annotated[str, typer.Option(help="How lists are kept: npz, parquet or zarr.")] = "npz",
    events: Annotated[
        str | None, typer.Option(help="Append a line of JSON per event to this file; - is stdout.")
    ] = None,
    status: Annotated[str | None, typer.Option(help="Print how far the batch in this folder is, and exit.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start over and remove all earlier results of the folder.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Try failed items again.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve many models or images; run the same command again to finish an interrupted batch.

    The output folder receives a list for every item, outcomes.jsonl and summary.csv. The exit code is 1 if an item
    failed; the others are still solved.

    Example: `hedgehop batch models/ --recipe recipe.toml --out results`
    """
    if status is not None:
        with command_output(json, quiet) as out:
            _print_status(out, read_status(status))
        return
    if not sources or recipe is None or target is None:
        raise typer.BadParameter("a batch needs SOURCES, --recipe and --out; or --status DIR alone.")
    if dask is not None and workers is not None:
        raise typer.BadParameter("a Dask cluster has its own number of workers", param_hint="'--workers'")
    if results not in RESULT_KINDS:
        raise typer.BadParameter(f"must be one of {', '.join(RESULT_KINDS)}", param_hint="'--results'")
    with command_output(json, quiet) as out:
        settings = Recipe.read(recipe)
        items = _items(sources, settings.beside, target)
        memory = None if item_memory is None else int(item_memory * 2**20)
        with _event_file(out, events) as file, _live_table(out) as watch:
            try:
                done = run(
                    items, settings, target, workers=workers, executor=dask, chunk=chunk, force=force, retry=retry,
                    shard=shard, item_seconds=item_seconds, item_memory=memory, results=results,
                    watch=watch, events=file,
                )  # fmt: skip
            except KeyboardInterrupt:
                raise _Interrupted(_how_far(target)) from None
        _tell(out, done)


class _Interrupted(ValueError):
    """Ctrl-C, with what to say about it."""


def _how_far(target: str) -> str:
    """Say how far an interrupted run was."""
    try:
        [status] = read_status(target)
    except (ValueError, OSError):
        return "interrupted; the same command continues."
    return f"interrupted: {status.done} of {status.total} done; the same command continues."


def _tell(out: Output, done: Summary) -> None:
    counts = {"solved": done.solved, "done_before": done.done_before, "failed": done.failed}
    text = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    out.say(f"{text}; see {done.table}", **counts, summary=done.table, metrics=done.metrics)
    for name, mean in done.metrics.items():
        out.say(f"mean {name.replace('_', ' ')}: {mean:.4f}")
    if done.failed:
        total = done.solved + done.done_before + done.failed
        out.fail(f"{done.failed} of {total} items failed; {done.table} says why, and --retry tries them again.")
        raise typer.Exit(1)


def _print_status(out: Output, statuses: list[Status]) -> None:
    """Print one line per run, and what each is busy with."""
    for status in statuses:
        out.say(f"{status.shard} {status.state}".lstrip() + f": {status.sentence()}")
        for item, seconds in status.running:
            out.say(f"  {item} for {clock(seconds)}")
    out.fields["runs"] = [asdict(status) for status in statuses]


@contextmanager
def _event_file(out: Output, events: str | None) -> Iterator[IO[str] | None]:
    if events is None:
        yield None
    elif events == "-":
        out.stdout_is_taken = True
        yield sys.stdout
    else:
        with open(events, "a", encoding="utf-8") as file:
            yield file


@contextmanager
def _live_table(out: Output) -> Iterator[Callable[[Status], Any] | None]:
    """Yield what draws the status on a terminal, and nothing in a pipe or when quiet."""
    if not out.on_terminal:
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

    with Live(console=Console(stderr=True), transient=True, refresh_per_second=4) as live:

        def draw(status: Status) -> None:
            table = Table("done", "running", "failed", "items/s", "left", box=None, pad_edge=False)
            left = "" if status.left is None else clock(status.left)
            counts = (f"{status.done} of {status.total}", f"{len(status.running)}", f"{status.failed}")
            table.add_row(*counts, f"{status.rate:.1f}", left)
            for item, seconds in sorted(status.running, key=lambda each: -each[1])[:8]:
                table.add_row(f"  {item}", "", "", "", clock(seconds), style="dim")
            live.update(table)

        yield draw


def _items(sources: list[str], beside: Mapping[str, str], target: str) -> Manifest | list[str]:
    """Return the manifest, or all files given; of folders, models, and images with the files they need."""
    manifests = [source for source in sources if Path(source).suffix.lower() in MANIFEST_SUFFIXES]
    if manifests and len(sources) > 1:
        raise ValueError(f"{manifests[0]} is a manifest and must be the only source; got {len(sources)} sources.")
    return Manifest(manifests[0]) if manifests else find_files(sources, beside, target)
