# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop segment``: candidates from an image and a few strokes."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from hedgehop._errors import need
from hedgehop.cli.options import Force, Json, Quiet, check_targets, parse_option
from hedgehop.cli.output import command_output, fields_of, write_figure
from hedgehop.io.file_access import atomic_write
from hedgehop.io.images import read_image, read_strokes
from hedgehop.plotting.cutouts import cut_out, plot_cutouts
from hedgehop.specifications import parse_diversity, parse_tradeoff

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hedgehop.segmentation.suggestions import Suggestions


def segment(
    image: Annotated[Path, typer.Argument(help="The picture (.png, .jpg, ..., .npy).", exists=True, dir_okay=False)],
    scribbles: Annotated[
        Path,
        typer.Option(
            "--scribbles",
            "-s",
            help="Strokes, an image of the same size: numbers 0 unknown, 1 background, 2 the object, 3 another one; or "
            "colours, blue for the background and red for the object.",
            exists=True,
            dir_okay=False,
        ),
    ],
    m: Annotated[int, typer.Option("-m", min=1, help="Number of candidates.")] = 6,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for cut-outs, masks, sheet.png and list.npz.")
    ] = Path("out"),
    n_segments: Annotated[
        int, typer.Option("--segments", min=0, help="Approximate number of superpixels; 0 for pixels.")
    ] = 2000,
    diversity: Annotated[str | None, typer.Option("--diversity", "-d", help="As in `hedgehop solve`.")] = None,
    tradeoff: Annotated[str | None, typer.Option("--tradeoff", "-t", help="As in `hedgehop solve`.")] = None,
    swap: Annotated[
        bool, typer.Option("--swap", help="Swap the numbers: 1 is the object and 2 the background.")
    ] = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Cut an object out of a picture in several ways, each as a picture with transparency and a mask, all on one sheet.

    Example: `hedgehop segment photo.jpg --scribbles strokes.png -m 6 -o out`
    """
    kind = None if diversity is None else parse_option("--diversity", parse_diversity, diversity)
    factor = None if tradeoff is None else parse_option("--tradeoff", parse_tradeoff, tradeoff)
    with command_output(json, quiet) as talk:
        from hedgehop.segmentation.segmenter import Segmenter

        if out.exists() and not out.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "is a file, not a folder", str(out))
        masks = [out / f"candidate_{k + 1}.png" for k in range(m)]
        cutouts = [out / f"cutout_{k + 1}.png" for k in range(m)]
        if out.exists():
            targets = (*masks, *cutouts, out / "list.npz", out / "sheet.png")
            check_targets(talk, targets, force, [image, scribbles])
        picture, strokes = read_image(image), read_strokes(scribbles, swap)
        found = Segmenter(picture, n_segments or None).suggest(strokes, m, kind, factor)
        out.mkdir(parents=True, exist_ok=True)
        masks, cutouts = masks[: len(found)], cutouts[: len(found)]
        for path, labels in zip(masks, found.labelings, strict=True):
            _write_picture(path, _grey_levels(labels))
        for path, mask in zip(cutouts, found.masks, strict=True):
            _write_picture(path, cut_out(picture, mask))
        found.save(out / "list.npz")
        write_figure(_sheet(found, picture), out / "sheet.png")
        talk.say(found.report(), **fields_of(found))
        text = f"wrote {len(masks)} cut-outs and masks, sheet.png and list.npz to {out}"
        talk.say(text, out=out, masks=masks, cutouts=cutouts)


def _sheet(found: Suggestions, picture: NDArray[Any]) -> Figure:
    """All candidates: cut out if there is one object, otherwise as maps of labels."""
    if found.labelings.max() > 1:
        return found.plot(picture)
    return plot_cutouts(picture, {"": found.masks})


def _grey_levels(labels: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Labels as grey levels: black the background, white the object, steps between for several."""
    return np.round(labels * (255.0 / max(1, int(labels.max())))).astype(np.uint8)


def _write_picture(path: Path, pixels: NDArray[np.uint8]) -> None:
    with atomic_write(path) as file:
        need("PIL.Image", "segmentation", "writing pictures").fromarray(pixels).save(file, format="png")
