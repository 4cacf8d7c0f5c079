# SPDX-License-Identifier: BSD-3-Clause
"""Files that come and go: sessions as JSON, with image, strokes, labels and the chosen candidate; scores of classes."""

from __future__ import annotations

import base64
import binascii
import tempfile
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehop import io
from hedgehop._arrays import Floats
from hedgehop.studio.errors import refuse
from hedgehop.studio.label_maps import from_runs, to_runs
from hedgehop.studio.pictures import Picture, read_picture
from hedgehop.studio.requests import MOST_LABELS, MOST_RUN_VALUES, Document
from hedgehop.studio.settings import Settings

_MOST_SESSION_VALUES = MOST_RUN_VALUES  # runs of a chosen candidate, points of strokes


class SessionFile(BaseModel):
    """What the file of a session holds; the chosen candidate is kept as runs of labels."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["hedgehop studio session"] = "hedgehop studio session"
    version: Literal[1] = 1
    name: str = Field(max_length=300)
    image: str
    scores: str | None = None
    document: Document
    base: list[int] | None = Field(default=None, max_length=_MOST_SESSION_VALUES)


def session_file(
    picture: Picture, scores: bytes | None, document: Document, base: NDArray[np.uint8] | None
) -> SessionFile:
    """Return the file of a session."""
    return SessionFile(
        name=picture.name,
        image=base64.b64encode(picture.data).decode(),
        scores=None if scores is None else base64.b64encode(scores).decode(),
        document=document.model_copy(update={"request": document.request.model_copy(update={"base": None})}),
        base=None if base is None else to_runs(base),
    )


def read_session(data: bytes, settings: Settings) -> tuple[SessionFile, Picture]:
    """Return a file and its image, or say why not."""
    if data.count(b",") > _MOST_SESSION_VALUES:  # counted before anything is made of them
        raise refuse(413, f"the session file is too large: it holds more than {_MOST_SESSION_VALUES} values.")
    try:
        kept = SessionFile.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise refuse(422, f"this is not a session file of the studio ({place}: {first['msg']}).") from None
    image = unpacked(kept.image)
    if len(image) > settings.most_upload:
        raise refuse(413, f"the image is too large: at most {settings.most_upload // 2**20} megabytes.")
    return kept, read_picture(kept.name, image, settings.most_pixels)


def unpacked(text: str) -> bytes:
    """Return bytes that were kept as text."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise refuse(422, "the session file is damaged.") from None


def base_of(kept: SessionFile, picture: Picture) -> NDArray[np.uint8] | None:
    """Return the chosen candidate of a file, (h, w)."""
    if kept.base is None:
        return None
    try:
        return from_runs(kept.base, picture.small.shape[:2], MOST_LABELS)
    except (ValueError, OverflowError) as error:
        raise refuse(422, f"the session file is damaged: {error}.") from None


def uploaded_scores(data: bytes, picture: Picture, most_bytes: int) -> Floats:
    """Read an .npy or .npz file of scores (H, W, L), or say why not."""
    suffix = ".npz" if data.startswith(b"PK") else ".npy"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"scores{suffix}"
        path.write_bytes(data)
        try:
            scores = io.read_scores(path, most_bytes)
        except (ValueError, TypeError) as error:
            raise refuse(422, str(error).replace(str(path), "the file")) from None
    return _checked_scores(scores, picture)


def _checked_scores(scores: Floats, picture: Picture) -> Floats:
    if scores.ndim != 3 or 0 in scores.shape:
        raise refuse(422, f"scores must have shape (H, W, classes); these have {scores.shape}.")
    if not 2 <= scores.shape[2] <= MOST_LABELS:
        raise refuse(422, f"scores must have 2 to {MOST_LABELS} classes, last; these have shape {scores.shape}.")
    (width, height), (rows, columns) = picture.size, scores.shape[:2]
    if abs(np.log((columns / rows) / (width / height))) > 0.1:
        raise refuse(422, f"scores of {columns} x {rows} do not fit an image of {width} x {height}.")
    return scores
