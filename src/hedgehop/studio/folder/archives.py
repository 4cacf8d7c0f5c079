# SPDX-License-Identifier: BSD-3-Clause
"""The answers of a whole folder in one archive: COCO, VOC or label masks."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from fastapi import HTTPException
from numpy.typing import NDArray
from PIL import Image

from hedgehop import _core
from hedgehop.segmentation import voc_palette
from hedgehop.studio.errors import refuse
from hedgehop.studio.exports import add_to_coco, indexed, png
from hedgehop.studio.fine_borders import at_full_size
from hedgehop.studio.folder.images import read_limited
from hedgehop.studio.folder.sidecars import read_work
from hedgehop.studio.pictures import Picture, read_picture
from hedgehop.studio.requests import Label
from hedgehop.studio.sessions import drawn_labels
from hedgehop.studio.settings import Settings

ArchiveKind = Literal["coco", "voc", "masks"]
_MOST_CLASSES = 254  # 255 means unknown in VOC


def write_archive(kind: ArchiveKind, images: Sequence[Path], settings: Settings, out: IO[bytes]) -> int:
    """Write the answers of all images that are not skipped; return how many there are.

    COCO has one annotation per label, and labels of the same name share a category, so that several objects of a class
    are instances of it. VOC has a map of classes and one of objects. Masks hold the labels of each image.
    """
    document: dict[str, Any] = {"images": [], "categories": [], "annotations": []}
    classes: list[str] = []
    left_out: list[str] = []
    count = 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as files:
        for path in images:
            _core.check_stop()
            try:
                answer = _answer(path, settings)
            except HTTPException as error:
                left_out.append(f"{path.name}: {error.detail}")
                continue
            if answer is None:
                continue
            count += 1
            picture, labels, brushes = answer
            if kind == "coco":
                add_to_coco(document, picture, labels, brushes)
            elif kind == "masks":
                files.writestr(f"masks/{path.name}.png", png(indexed(labels, brushes)))
            else:
                _add_to_voc(files, path.name, labels, brushes, classes)
        if kind == "coco":
            files.writestr("annotations.json", json.dumps(document))
        if kind == "voc":
            files.writestr("labels.txt", "".join(f"{name}\n" for name in ["background", *classes]))
        if left_out:
            files.writestr("left_out.txt", "".join(f"{line}\n" for line in left_out))
    return count


def _answer(path: Path, settings: Settings) -> tuple[Picture, NDArray[np.uint8], list[Label]] | None:
    work = read_work(path)
    if work is None or work.answer is None or work.mark == "skipped":
        return None
    picture = read_picture(path.name, read_limited(path, settings.most_upload), settings.most_pixels)
    return picture, at_full_size(drawn_labels(work.answer, picture), picture), work.document.labels


def _add_to_voc(
    files: zipfile.ZipFile, name: str, labels: NDArray[np.uint8], brushes: Sequence[Label], classes: list[str]
) -> None:
    """Add the map of classes and the map of objects; numbers of classes are those of labels.txt."""
    numbers = np.zeros(256, np.uint8)
    for label in np.unique(labels[labels > 0]).tolist():
        title = brushes[label].name if label < len(brushes) else f"label {label}"
        if title not in classes:
            if len(classes) == _MOST_CLASSES:
                raise refuse(422, f"VOC files hold at most {_MOST_CLASSES} classes.")
            classes.append(title)
        numbers[label] = 1 + classes.index(title)
    for folder, numbers_of_pixels in (("SegmentationClass", numbers[labels]), ("SegmentationObject", labels)):
        image = Image.fromarray(np.ascontiguousarray(numbers_of_pixels)).convert("L")
        image.putpalette(voc_palette(256).astype(np.uint8).ravel().tolist())
        files.writestr(f"{folder}/{name}.png", png(image))


def thumbnail(path: Path, settings: Settings, side: int = 240) -> bytes:
    """Return a small JPEG of an image."""
    picture = read_picture(path.name, read_limited(path, settings.most_upload), settings.most_pixels)
    image = Image.fromarray(picture.small)
    image.thumbnail((side, side))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return out.getvalue()
