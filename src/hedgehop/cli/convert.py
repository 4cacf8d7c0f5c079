# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop convert``: a model from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgehop.cli.options import Json, Quiet, check_writable
from hedgehop.cli.output import command_output
from hedgehop.io.models import read, write


def convert(
    source: Annotated[Path, typer.Argument(help="The model file.", exists=True, dir_okay=False)],
    target: Annotated[Path, typer.Argument(help="The file to write.")],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a model in another format, chosen by the suffix.

    Formats: .uai (with its .evid), .LG, .wcsp, .cfn, .max, each optionally followed by .gz or .xz; .npz; and,
    for reading only, OpenGM's .h5.

    Example: `hedgehop convert network.uai network.cfn.xz`
    """
    with command_output(json, quiet) as out:
        check_writable(target)
        model = read(source)
        write(model, target)
        size = target.stat().st_size
        out.say(f"wrote {target}: {model!r}", source=source, target=target, model=repr(model), bytes=size)
