# SPDX-License-Identifier: BSD-3-Clause
"""Files to download: masks, cut-outs, run lengths, all of them in one archive."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hedgehop import _core
from hedgehop.io.run_lengths import encode_runs
from hedgehop.studio.fine_borders import at_full_size, soft_edges
from hedgehop.studio.pictures import Picture
from hedgehop.studio.requests import MOST_LABELS, Label

What = Literal["mask", "cutout", "coco"]
MEDIA = {"mask": "image/png", "cutout": "image/png", "coco": "application/json", "zip": "application/zip"}
SUFFIXES: dict[What, str] = {"mask": ".mask.png", "cutout": ".cutout.png", "coco": ".coco.json"}
_COMPRESSION = 1  # of PNG files: people wait for them


def export(what: What, picture: Picture, labels: NDArray[np.uint8], brushes: Sequence[Label]) -> bytes:
    """Return a file of one candidate, (h, w), at the size of the image."""
    if what == "cutout":
        return png(_cut_out(picture, labels))
    full = at_full_size(labels, picture)
    return png(indexed(full, brushes)) if what == "mask" else json.dumps(coco(picture, full, brushes)).encode()


def archive(picture: Picture, candidates: Sequence[NDArray[np.uint8]], brushes: Sequence[Label]) -> bytes:
    """Return a zip file with the mask and the run lengths of every candidate."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as files:
        for k, labels in enumerate(candidates, 1):
            _core.check_stop()
            files.writestr(f"candidate_{k}.mask.png", export("mask", picture, labels, brushes))
            files.writestr(f"candidate_{k}.coco.json", export("coco", picture, labels, brushes))
    return out.getvalue()


def coco(picture: Picture, labels: NDArray[np.uint8], brushes: Sequence[Label]) -> dict[str, Any]:
    """Return a COCO document: one annotation for each label but the background; labels of one name share a category."""
    document: dict[str, Any] = {"images": [], "categories": [], "annotations": []}
    add_to_coco(document, picture, labels, brushes)
    return document


def add_to_coco(
    document: dict[str, Any], picture: Picture, labels: NDArray[np.uint8], brushes: Sequence[Label]
) -> None:
    """Add an image and its annotations to a COCO document."""
    width, height = picture.size
    images, annotations = document["images"], document["annotations"]
    images.append({"id": len(images) + 1, "file_name": picture.name, "width": width, "height": height})
    for label in np.unique(labels[labels > 0]).tolist():
        fields = {"id": len(annotations) + 1, "image_id": len(images)}
        category = _category(document["categories"], _name(brushes, label))
        annotations.append(fields | {"category_id": category, "iscrowd": 0} | _shape(labels == label))


def _category(categories: list[dict[str, Any]], name: str) -> int:
    """Return the number of a category, which is added if it is new."""
    known = next((int(category["id"]) for category in categories if category["name"] == name), None)
    if known is None:
        known = len(categories) + 1
        categories.append({"id": known, "name": name})
    return known


def _shape(mask: NDArray[np.bool_]) -> dict[str, Any]:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, left = int(rows[0]), int(columns[0])
    box = [left, top, int(columns[-1]) - left + 1, int(rows[-1]) - top + 1]
    return {"area": int(mask.sum()), "bbox": box, "segmentation": encode_runs(mask)}


def _name(brushes: Sequence[Label], label: int) -> str:
    return brushes[label].name if label < len(brushes) else f"label {label}"


def indexed(labels: NDArray[np.uint8], brushes: Sequence[Label]) -> Image.Image:
    """Return a picture whose numbers are the labels, shown black where there is background and in their colours."""
    image = Image.frombytes("P", (labels.shape[1], labels.shape[0]), labels.tobytes())
    colors = [0, 0, 0, *(part for brush in brushes[1:] for part in bytes.fromhex(brush.color[1:]))]
    image.putpalette(colors + [255] * (3 * MOST_LABELS - len(colors)))
    return image


def _cut_out(picture: Picture, labels: NDArray[np.uint8]) -> Image.Image:
    """Return the image with soft edges; nothing of it is left outside of the objects."""
    image = picture.pixels()
    opacity = Image.fromarray(soft_edges(labels, picture, image))
    cut = Image.new("RGBA", image.size)
    cut.paste(image, mask=opacity.point([0, *([255] * 255)]))
    cut.putalpha(opacity)
    return cut


def png(image: Image.Image) -> bytes:
    """Return a picture as a PNG file."""
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=_COMPRESSION)
    return out.getvalue()
