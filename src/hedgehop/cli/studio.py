# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop studio``: a page for drawing strokes and choosing among cut-outs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgehop._errors import need
from hedgehop.cli.options import Json, Quiet
from hedgehop.cli.output import command_output


def studio(
    images: Annotated[
        Path | None, typer.Argument(metavar="[IMAGE or FOLDER]", help="What to open first.", exists=True)
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(help="Class scores (H, W, L) of the image, .npy or .npz.", exists=True, dir_okay=False),
    ] = None,
    classes: Annotated[
        Path | None,
        typer.Option(help="Names and colours of classes: lines such as `cat #ff8800`.", exists=True, dir_okay=False),
    ] = None,
    save: Annotated[
        bool, typer.Option("--save/--no-save", help="Keep your work in files beside the images of a folder.")
    ] = True,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port.")] = 8377,
    host: Annotated[
        str, typer.Option(help="The address to listen on; any other than 127.0.0.1 needs a token.")
    ] = "127.0.0.1",
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Open a page: drop an image, draw a few strokes, choose among candidates, refine, export.

    No data leaves this machine. What you make of `photo.jpg` is kept beside it, in `photo.jpg.hedgehop.json`.

    Example: `hedgehop studio photos/`
    """
    with command_output(json, quiet) as out:
        for module in ("fastapi", "uvicorn"):
            need(module, "studio", "the studio")
        need("skimage", "segmentation", "the studio")
        from hedgehop.studio.folder.classes import read_classes
        from hedgehop.studio.folder.images import images_in
        from hedgehop.studio.settings import Settings
        from hedgehop.studio.web.server import address, is_own, listen, new_token, serve

        given = () if images is None else images_in(images) if images.is_dir() else (images.resolve(),)
        if images is not None and not given:
            raise ValueError(f"{images} contains no images (.png, .jpg, .webp or .tif).")
        if scores is not None and len(given) != 1:
            raise ValueError("--scores needs exactly one image: give the image it belongs to.")
        labels = () if classes is None else read_classes(classes)
        token = None if is_own(host) else new_token()
        listener = listen(host, port)
        page = address(host, listener.getsockname()[1], token)
        out.say(f"the studio is open at {page}\npress Ctrl-C to close it", url=page, images=len(given))
    settings = Settings(host=host, token=token, images=given, scores=scores, may_save=save, labels=labels)
    serve(settings, listener, page if open_page else None)
