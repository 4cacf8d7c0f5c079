"""Pictures from and to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._errors import need
from hedgehop.io.streams import complete

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def read_picture(path: Path) -> NDArray[Any]:
    """Return the pixels of an image file, or the array of an .npy file."""
    if path.suffix.lower() == ".npy":
        return np.asarray(np.load(path, allow_pickle=False))
    image = need("PIL.Image", "plot", "reading images")
    try:
        with image.open(path) as picture:
            return np.asarray(picture.convert("RGB") if picture.mode in ("P", "CMYK", "YCbCr", "1") else picture)
    except image.DecompressionBombError as error:
        raise ValueError(f"{path}: {error}") from error


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure, completely or not at all; the suffix says the format."""
    kind = path.suffix.lower().removeprefix(".") or "png"
    if kind not in figure.canvas.get_supported_filetypes():
        raise ValueError(f"a picture's suffix must be .png, .pdf, .svg or .jpg; got {path.name!r}.")
    with complete(path) as file:
        figure.savefig(file, format=kind)
