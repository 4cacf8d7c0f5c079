"""``hedgehop batch``: many model files by one recipe, resumable."""

from __future__ import annotations

from glob import glob
from pathlib import Path
from typing import Annotated

import typer

from hedgehop.batch import Recipe, run
from hedgehop.cli.progress import progress_bar
from hedgehop.cli.speech import Json, Quiet, speech
from hedgehop.io.files import readable


def batch(
    sources: Annotated[list[str], typer.Argument(help="Model files, folders of them, or quoted patterns.")],
    recipe: Annotated[
        Path,
        typer.Option("--recipe", "-r", help="A TOML file: diversity, tradeoff, m, ...", exists=True, dir_okay=False),
    ],
    target: Annotated[Path, typer.Option("--out", "-o", help="The folder for the results.", file_okay=False)],
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many processes.", show_default="one a processor")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Begin anew; another recipe is refused otherwise.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Try items again that failed before.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve many models; the same command again does only what is missing, whatever ended the first.

    The folder gets a list for every file, outcomes.jsonl and summary.csv. Exit code 1 if some file failed; the
    others are done all the same.

    Example: `hedgehop batch models/ --recipe recipe.toml --out results`
    """
    with speech(json, quiet) as out:
        settings, files = Recipe.read(recipe), _files(sources)
        with progress_bar(out, "files", len(files)) as advance:
            done = run(files, settings, target, workers=workers, force=force, retry=retry, callback=advance)
        out.answer(solved=done.solved, done_before=done.done_before, failed=done.failed, summary=done.table)
        out.say(f"{done.solved} solved, {done.done_before} done before, {done.failed} failed; see {done.table}")
        if done.failed:
            out.fail(f"{done.failed} of {len(files)} files failed; {done.table} says why.")
            raise typer.Exit(1)


def _files(sources: list[str]) -> list[Path]:
    """Return all files that are meant; of folders, those that can be read."""
    found: list[Path] = []
    for source in sources:
        paths = (
            [Path(source)] if Path(source).exists() else [Path(path) for path in sorted(glob(source, recursive=True))]
        )
        if not paths:
            raise ValueError(f"there is no file, folder or pattern of files {source!r}.")
        for path in paths:
            found += [inner for inner in sorted(path.rglob("*")) if readable(inner)] if path.is_dir() else [path]
    return found
