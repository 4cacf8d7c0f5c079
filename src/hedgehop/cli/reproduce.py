# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop reproduce``: the tables of the paper, from a checkout of the project."""

from __future__ import annotations

import sys
from enum import Enum
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated

import typer

from hedgehop.cli.options import Json, Quiet
from hedgehop.cli.output import command_output


class Experiment(str, Enum):
    """The tables, for the help."""

    interactive = "interactive"
    category = "category"
    learning = "learning"
    certificates = "certificates"
    strokes = "strokes"
    which = "which"


def reproduce(
    experiment: Annotated[Experiment, typer.Argument(help="Which experiment.")],
    data: Annotated[Path, typer.Option(help="Folder with the images.", exists=True, file_okay=False)],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for results and caches.")] = None,
    limit: Annotated[int | None, typer.Option(min=2, help="Use only this many images of each part.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Make only this row of the table; can be repeated.")] = None,
    part: Annotated[list[str] | None, typer.Option(help="Run only this part; can be repeated.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run an experiment and print its table, with figures of the paper if it has any. A second run reads its cache.

    Example: `hedgehop reproduce category --data data --only HB --limit 20`
    """
    with command_output(json, quiet) as talk:
        folder = out or Path("results") / experiment.value
        sys.path.insert(0, str(Path.cwd()))  # experiments are not part of the installed library
        try:
            run = import_module(f"experiments.{experiment.value}").reproduce
        except ModuleNotFoundError as error:
            if not str(error.name).startswith("experiments"):
                raise
            raise ValueError(
                "experiments run only in a checkout of the project. Change into its folder first."
            ) from None
        some = {name: value for name, value in (("only", only), ("parts", part)) if value}
        unknown = [name for name in some if name not in signature(run).parameters]
        if unknown:
            raise ValueError(f"{experiment.value} has no {unknown[0]}: it runs as a whole. Leave the option out.")
        text = run(data, folder, limit, **some)
        talk.say(text, out=folder, text=text)
