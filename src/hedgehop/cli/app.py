# SPDX-License-Identifier: BSD-3-Clause
"""All commands: a new one is one file and one line here."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import hedgehop
from hedgehop._plugins import plugins
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

_WRONG_USE: Any = typer.BadParameter.__base__  # click's UsageError, wherever this typer has it from


class Commands(TyperGroup):
    """Reports wrong usage also in JSON, if that was asked for."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Remember whether JSON was asked for."""
        ctx.meta["hedgehop.json"] = "--json" in args
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; usage errors go to stderr, and with --json also to stdout."""
        try:
            return super().invoke(ctx)
        except _WRONG_USE as error:
            if ctx.meta["hedgehop.json"]:
                print(json.dumps({"error": error.format_message()}), flush=True)
            raise


app = typer.Typer(
    name="hedgehop",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (solve, segment, studio, convert, show, batch, tune, demo, reproduce, bench, doctor):
    app.command()(command)
for name, command in plugins("commands").items():
    if name not in {known.callback.__name__ for known in app.registered_commands if known.callback is not None}:
        app.command(name)(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hedgehop {hedgehop.__version__}")
        raise typer.Exit


@app.callback()
def hedgehop_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """M plausible, genuinely different answers from any structured model, with a certificate."""
