# SPDX-License-Identifier: BSD-3-Clause
"""What a person takes home: masks, cut-outs, run lengths, all of them in one archive."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hedgehop.io.run_lengths import encode_runs
from hedgehop.studio.pictures import Picture
from hedgehop.studio.requests import MOST_LABELS, Label

What = Literal["mask", "cutout", "coco"]
MEDIA = {"mask": "image/png", "cutout": "image/png", "coco": "application/json", "zip": "application/zip"}
SUFFIXES: dict[What, str] = {"mask": ".mask.png", "cutout": ".cutout.png", "coco": ".coco.json"}


def export(what: What, picture: Picture, labels: NDArray[np.uint8], brushes: Sequence[Label]) -> bytes:
    """Return a file of one candidate, (h, w), at the size of the image."""
    full = at_full_size(labels, picture.size)
    if what == "coco":
        return json.dumps(coco(picture, full, brushes)).encode()
    return _png(_indexed(full, brushes) if what == "mask" else _cut_out(picture, full))


def archive(picture: Picture, candidates: Sequence[NDArray[np.uint8]], brushes: Sequence[Label]) -> bytes:
    """Return a zip file with the mask and the run lengths of every candidate."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as files:
        for k, labels in enumerate(candidates, 1):
            files.writestr(f"candidate_{k}.mask.png", export("mask", picture, labels, brushes))
            files.writestr(f"candidate_{k}.coco.json", export("coco", picture, labels, brushes))
    return out.getvalue()


def at_full_size(labels: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a label map at a width and height, each pixel from the nearest one."""
    return np.asarray(Image.fromarray(labels).resize(size, Image.Resampling.NEAREST))


def coco(picture: Picture, labels: NDArray[np.uint8], brushes: Sequence[Label]) -> dict[str, Any]:
    """Return a COCO document: one annotation for each label but the background."""
    there = [k for k in np.unique(labels).tolist() if k > 0]
    width, height = picture.size
    return {
        "images": [{"id": 1, "file_name": picture.name, "width": width, "height": height}],
        "categories": [{"id": k, "name": _name(brushes, k)} for k in there],
        "annotations": [_annotation(n, k, labels == k) for n, k in enumerate(there, 1)],
    }


def _annotation(number: int, label: int, mask: NDArray[np.bool_]) -> dict[str, Any]:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, left = int(rows[0]), int(columns[0])
    box = [left, top, int(columns[-1]) - left + 1, int(rows[-1]) - top + 1]
    runs = encode_runs(mask)
    fields = {"id": number, "image_id": 1, "category_id": label, "iscrowd": 0}
    return fields | {"area": int(mask.sum()), "bbox": box, "segmentation": runs}


def _name(brushes: Sequence[Label], label: int) -> str:
    return brushes[label].name if label < len(brushes) else f"label {label}"


def _indexed(labels: NDArray[np.uint8], brushes: Sequence[Label]) -> Image.Image:
    """Return a picture whose numbers are the labels, shown black where there is background and in their colours."""
    image = Image.frombytes("P", (labels.shape[1], labels.shape[0]), labels.tobytes())
    colors = [0, 0, 0, *(part for brush in brushes[1:] for part in bytes.fromhex(brush.color[1:]))]
    image.putpalette(colors + [255] * (3 * MOST_LABELS - len(colors)))
    return image


def _cut_out(picture: Picture, labels: NDArray[np.uint8]) -> Image.Image:
    image = picture.pixels()
    image.putalpha(Image.fromarray(np.where(labels > 0, np.uint8(255), np.uint8(0))))
    return image


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=3)
    return out.getvalue()
