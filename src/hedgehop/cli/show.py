# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop show``: a saved list as words and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgehop.cli.options import Force, Json, Quiet, Verbose, check_targets, must_exist, name_of, readable, writable
from hedgehop.cli.output import command_output, fields_of, write_figure
from hedgehop.io.images import read_image
from hedgehop.io.lists import load


def show(
    file: Annotated[
        Path,
        typer.Argument(help="A list written by `solve --out`, or - for stdin.", callback=must_exist),
    ],
    image: Annotated[
        Path | None, typer.Option(help="The image that was labelled (.png, .jpg, ..., .npy).", exists=True)
    ] = None,
    segments: Annotated[
        Path | None, typer.Option(help="The variable of each pixel, (H, W), usually an .npy file.", exists=True)
    ] = None,
    names: Annotated[str | None, typer.Option(help="Names of the labels: sky,sea,land.")] = None,
    columns: Annotated[int | None, typer.Option(min=1, help="Number of panels per row.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the figure.")] = None,
    target: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Draw all labelings into this .png, .pdf or .svg file; - for a .png on stdout."
        ),
    ] = None,
    force: Force = False,
    verbose: Verbose = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print what is known about a saved list and, with -o, draw its labelings side by side.

    Example: `hedgehop show list.npz --image photo.jpg -o sheet.png`
    """
    if target is None and (image or segments or names or columns or title):
        raise typer.BadParameter("to draw a picture, give a file to write: -o sheet.png", param_hint="'--out'")
    with command_output(json, quiet) as out:
        check_targets(out, target, force, [file, image, segments])
        with readable(file, "npz") as path:
            found = load(path)
        out.say(found.report(verbose), **fields_of(found))
        if target is None:
            return
        words = None if names is None else [name.strip() for name in names.split(",")]
        under, pieces = (None if path is None else read_image(path) for path in (image, segments))
        with writable(target, "png") as path:
            write_figure(found.plot(under, segments=pieces, names=words, columns=columns, title=title), path)
        out.say(f"wrote {name_of(target)}", out=target)
