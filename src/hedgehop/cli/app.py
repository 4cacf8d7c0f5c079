# SPDX-License-Identifier: BSD-3-Clause
"""All commands: a new one is one file and one line here."""

from __future__ import annotations

from typing import Annotated

import typer

import hedgehop
from hedgehop.cli.batch import batch
from hedgehop.cli.bench import bench
from hedgehop.cli.convert import convert
from hedgehop.cli.demo import demo
from hedgehop.cli.doctor import doctor
from hedgehop.cli.reproduce import reproduce
from hedgehop.cli.segment import segment
from hedgehop.cli.show import show
from hedgehop.cli.solve import solve
from hedgehop.cli.studio import studio
from hedgehop.cli.tune import tune

app = typer.Typer(
    name="hedgehop",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (solve, segment, studio, convert, show, batch, tune, demo, reproduce, bench, doctor):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hedgehop {hedgehop.__version__}")
        raise typer.Exit


@app.callback()
def hedgehop_command(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which.")] = False,
) -> None:
    """M plausible, genuinely different answers from any structured model, with a certificate."""
