# SPDX-License-Identifier: BSD-3-Clause
"""The images that were given on the command line: asked for by number, so that no path ever comes from the page."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from PIL import Image

from hedgehop._errors import need
from hedgehop.io.file_access import atomic_write
from hedgehop.io.images import IMAGE_SUFFIXES
from hedgehop.studio.errors import refuse
from hedgehop.studio.web.slow_imports import IMPORTING

_OWN_SUFFIXES = (".mask.png", ".cutout.png")  # what we write ourselves


def images_in(folder: Path) -> tuple[Path, ...]:
    """Return the images of a folder, by name; hidden files and links that lead out of it are left out."""
    root = folder.resolve()
    images = (path for path in folder.iterdir() if path.suffix.lower() in IMAGE_SUFFIXES)
    found = (path for path in images if not path.name.endswith(_OWN_SUFFIXES) and not path.name.startswith("."))
    return tuple(sorted(path for path in found if path.is_file() and path.resolve().parent == root))


class ImageFolder:
    """Images by number."""

    def __init__(self, images: Sequence[Path], scores: Path | None, may_save: bool) -> None:
        self._images = tuple(images)
        self._scores = scores
        self._may_save = may_save

    def __len__(self) -> int:
        return len(self._images)

    @property
    def place(self) -> str:
        """A name for the folder that says nothing about where it is, so that a browser tells folders apart."""
        where = str(self._images[0].parent.resolve()) if self._images else ""
        return sha256(where.encode()).hexdigest()[:16]

    @property
    def paths(self) -> tuple[Path, ...]:
        """Where the images are that are still there."""
        return tuple(path for path in self._images if path.is_file())

    @property
    def names(self) -> list[str]:
        """Names of the images, without their folder."""
        return [path.name for path in self._images]

    def path(self, number: int) -> Path:
        """Return the place of an image that is still there."""
        if number >= len(self._images):
            raise refuse(404, f"there are {len(self._images)} images here.")
        path = self._images[number]
        if not path.is_file() or path.resolve().parent != path.parent.resolve():
            raise refuse(404, f"the image {path.name} no longer exists.")
        return path

    def read(self, number: int, most_bytes: int) -> bytes:
        """Return the bytes of an image."""
        return read_limited(self.path(number), most_bytes)

    def _title(self, path: Path) -> str:
        """Return the name of an image without its suffix, unless another image has the same."""
        return path.stem if sum(other.stem == path.stem for other in self._images) == 1 else path.name

    def scores(self, number: int) -> Path | None:
        """Return the file of scores of an image: the given one, or the one of the same name."""
        if self._scores is not None:
            return self._scores
        path = self.path(number)
        beside = (path.with_suffix(suffix) for suffix in (".npy", ".npz"))
        return next((p for p in beside if p.is_file() and p.resolve().parent == path.parent.resolve()), None)

    def save(self, number: int, suffix: str, data: bytes, replace: bool) -> str:
        """Write next to an image; an older file stays unless it is to be replaced. Return its name."""
        if not self._may_save:
            raise refuse(403, "this studio is not allowed to write next to the images. Use export instead.")
        path = self.path(number)
        target = path.with_name(self._title(path) + suffix)
        if target.exists() and not replace:
            raise refuse(409, f"{target.name} already exists. Save again to replace it.")
        try:
            with atomic_write(target) as file:
                file.write(data)
        except OSError:
            raise refuse(
                409, f"the file {target.name} cannot be written. Is the disk full, or the folder read-only?"
            ) from None
        return target.name


def read_limited(path: Path, most_bytes: int) -> bytes:
    """Return the bytes of a file, unless they are too many: nothing is read then, whatever the file claims to be."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > most_bytes:
            raise refuse(413, f"the file {path.name} is too large: at most {most_bytes // 2**20} megabytes are read.")
        return file.read(most_bytes)


def sample() -> bytes:
    """Return the sample image: an astronaut (NASA, public domain), as scikit-image brings it."""
    out = io.BytesIO()
    with IMPORTING:
        pixels = need("skimage.data", "segmentation", "the sample image").astronaut()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()
