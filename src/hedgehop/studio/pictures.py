# SPDX-License-Identifier: BSD-3-Clause
"""Images as people send them: checked before they are decoded, upright, and small enough to solve."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from hedgehop.segmentation.images import shrunk_shape
from hedgehop.studio.errors import refuse

FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "TIFF": "image/tiff"}
_SOLVED_PIXELS = 500_000
_SHOWN_SIDE = 2560  # of what the page draws


@dataclass(frozen=True, eq=False)
class Picture:
    """An image as it came, and at the size that is solved.

    Attributes
    ----------
    name, data, media_type : str, bytes, str
        As it came.
    size : (int, int)
        Width and height, upright.
    small : (h, w, 3) array of bytes
        What is solved.
    """

    name: str
    data: bytes
    media_type: str
    size: tuple[int, int]
    small: NDArray[np.uint8]

    @property
    def solved_size(self) -> tuple[int, int]:
        """Width and height of what is solved."""
        return self.small.shape[1], self.small.shape[0]

    def pixels(self) -> Image.Image:
        """Return the image at full size, RGB."""
        return _decoded(self.data)

    def shown(self) -> bytes:
        """Return what the page draws, as JPEG."""
        image = self.pixels()
        image.thumbnail((_SHOWN_SIDE, _SHOWN_SIDE), reducing_gap=3.0)
        out = io.BytesIO()
        image.save(out, "JPEG", quality=92)
        return out.getvalue()


def read_picture(name: str, data: bytes, most_pixels: int) -> Picture:
    """Decode an image file, or say why not."""
    image_format = _checked_format(data, most_pixels)
    image = _decoded(data)
    width, height = image.size
    rows, columns = shrunk_shape((height, width), _SOLVED_PIXELS)
    small = image.resize((columns, rows), Image.Resampling.LANCZOS, reducing_gap=3.0)
    return Picture(name, data, FORMATS[image_format], image.size, np.asarray(small))


def _checked_format(data: bytes, most_pixels: int) -> str:
    """Read the header only: the kind of file and its size."""
    try:
        with Image.open(io.BytesIO(data), formats=tuple(FORMATS)) as image:
            (width, height), kind = image.size, image.format
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise refuse(413, _too_large(most_pixels)) from None
    except Exception:  # a decoder may raise anything on hostile bytes
        raise refuse(415, "the studio cannot read this image. Use PNG, JPEG, WebP or TIFF.") from None
    if width * height > most_pixels:
        raise refuse(413, f"{_too_large(most_pixels)} This one has {width} x {height}.")
    return str(kind)


def _too_large(most_pixels: int) -> str:
    return f"the image is too large: at most {most_pixels / 1e6:g} megapixels. Make it smaller first."


def _decoded(data: bytes) -> Image.Image:
    try:
        with Image.open(io.BytesIO(data), formats=tuple(FORMATS)) as image:
            return _as_rgb(ImageOps.exif_transpose(image))
    except Exception:
        raise refuse(422, "the image file is damaged or incomplete. Save it again and retry.") from None


def _as_rgb(image: Image.Image) -> Image.Image:
    """Return 8 bit RGB; 16 bit made 8 bit, what is transparent laid over white."""
    if image.mode.startswith("I") or image.mode == "F":
        return Image.fromarray(_levels(np.asarray(image))).convert("RGB")
    if image.mode in ("LA", "PA", "RGBA", "RGBa", "La") or "transparency" in image.info:
        layer = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")
    return image.convert("RGB")


def _levels(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    low, high = float(pixels.min()), float(pixels.max())
    if pixels.dtype.kind != "f" and low >= 0 and high <= 65535:
        low, high = 0.0, 65535.0
    return np.asarray(np.round((pixels - low) * (255.0 / max(high - low, 1e-12))), np.uint8)
