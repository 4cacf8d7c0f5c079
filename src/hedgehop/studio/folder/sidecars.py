# SPDX-License-Identifier: BSD-3-Clause
"""What was made of an image of the folder, kept beside it: ``photo.jpg.hedgehop.json``, written as people work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehop.io.file_access import atomic_write
from hedgehop.studio.errors import refuse
from hedgehop.studio.requests import Document, DrawnMap

SIDECAR_SUFFIX = ".hedgehop.json"
_LARGEST_SIDECAR = 8 * 2**20

Mark = Literal["open", "done", "skipped"]


class ImageWork(BaseModel):
    """Strokes, labels and the answer of an image, whether it is done, and when it was written (ms since 1970)."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["hedgehop studio work"] = "hedgehop studio work"
    version: Literal[1] = 1
    time: int = Field(default=0, ge=0, le=2**53)
    mark: Mark = "open"
    document: Document = Field(default_factory=Document)
    answer: DrawnMap | None = None


class ImageState(BaseModel):
    """An image of the folder in the overview."""

    name: str
    mark: Mark
    answered: bool


def read_work(image: Path) -> ImageWork | None:
    """Return what was made of an image; None if there is nothing, or nothing that can be read."""
    path = _beside(image)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            if os.fstat(file.fileno()).st_size > _LARGEST_SIDECAR or not path.is_file():
                return None
            return ImageWork.model_validate_json(file.read(_LARGEST_SIDECAR))
    except (OSError, ValidationError):
        return None


def write_work(image: Path, work: ImageWork) -> None:
    """Keep what was made of an image beside it, completely or not at all."""
    try:
        with atomic_write(_beside(image)) as file:
            file.write(work.model_dump_json(by_alias=True).encode())
    except (OSError, ValueError):
        raise refuse(
            409, f"{image.name}{SIDECAR_SUFFIX} cannot be written. Is the disk full, or the folder read-only?"
        ) from None


def state_of(image: Path) -> ImageState:
    """Return the line of an image in the overview."""
    work = read_work(image)
    if work is None:
        return ImageState(name=image.name, mark="open", answered=False)
    return ImageState(name=image.name, mark=work.mark, answered=work.answer is not None)


def _beside(image: Path) -> Path:
    return image.with_name(image.name + SIDECAR_SUFFIX)
