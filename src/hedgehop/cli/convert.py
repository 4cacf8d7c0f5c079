# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop convert``: a model from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgehop.cli.options import Force, Json, Quiet, check_targets, must_exist, name_of, readable, writable
from hedgehop.cli.output import command_output
from hedgehop.io.models import read_file, write_file


def convert(
    source: Annotated[Path, typer.Argument(help="The model file, or - for stdin.", callback=must_exist)],
    target: Annotated[Path, typer.Argument(help="The file to write, or - for stdout.")],
    given: Annotated[str | None, typer.Option("--from", help="Format of a model from stdin, such as uai.")] = None,
    wanted: Annotated[str, typer.Option("--to", help="Format of a model for stdout.")] = "uai",
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a model in another format, chosen by the suffix.

    Formats: .uai (with its .evid), .LG, .wcsp, .cfn, .max, each optionally followed by .gz or .xz; .npz; and
    OpenGM's .h5. Names of variables and labels pass from one .cfn file to another.

    Example: `hedgehop convert network.uai network.cfn.xz`
    """
    with command_output(json, quiet) as out:
        check_targets(out, target, force, [source])
        with readable(source, given) as file:
            held = read_file(file)
        with writable(target, wanted) as file:
            write_file(held, file)
            size = file.stat().st_size
        model = repr(held.model)
        out.say(f"wrote {name_of(target)}: {model}", source=source, target=target, model=model, bytes=size)
