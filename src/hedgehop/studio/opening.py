# SPDX-License-Identifier: BSD-3-Clause
"""From bytes to sessions: uploads, session files, the sample, images of the command line, scores."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal

from pydantic import BaseModel

from hedgehop.studio import documents
from hedgehop.studio.classes import Classes, class_labels, read_scores
from hedgehop.studio.pictures import Picture, read_picture
from hedgehop.studio.session import Session
from hedgehop.studio.sessions import Sessions
from hedgehop.studio.settings import Settings
from hedgehop.studio.shelf import Shelf, sample
from hedgehop.studio.wishes import Document, Label

_UPLOADS = 4  # whose bytes are held at a time


class Opened(BaseModel):
    """An image on the table.

    ``mode`` is "strokes", or "classes" where scores say which labels there are; sizes are in pixels, those of label
    maps are ``solved_width`` and ``solved_height``.
    """

    id: str
    name: str
    width: int
    height: int
    solved_width: int
    solved_height: int
    mode: Literal["strokes", "classes"] = "strokes"
    labels: list[Label] | None = None
    number: int | None = None
    document: Document | None = None


class Opener:
    """Makes sessions of whatever comes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sessions = Sessions(settings)
        self.shelf = Shelf(settings.images, settings.scores, settings.may_save)
        self.uploads = asyncio.Semaphore(_UPLOADS)

    def open_image(self, name: str, data: bytes) -> Opened:
        """Open an image file."""
        return self._opened(self._session(read_picture(_plain(name), data, self.settings.most_pixels)))

    def open_sample(self) -> Opened:
        """Open the sample."""
        return self.open_image("astronaut.png", sample())

    def open_given(self, number: int) -> Opened:
        """Open an image of the command line, with the scores beside it."""
        path, scores = self.shelf.path(number), self.shelf.scores(number)
        session = self._session(read_picture(path.name, path.read_bytes(), self.settings.most_pixels), number)
        return self._opened(session) if scores is None else self.give_scores(session, scores.read_bytes())

    def open_document(self, name: str, data: bytes) -> Opened:
        """Open a session file."""
        kept, picture = documents.read(data, self.settings)
        base = documents.base_of(kept, picture)
        session = self._session(picture)
        if kept.scores is not None:
            self.give_scores(session, documents.unpacked(kept.scores))
        opened = self._opened(session)
        if base is not None:
            kept.document.wish.base = session.add(base)
        return opened.model_copy(update={"document": kept.document})

    def give_scores(self, session: Session, data: bytes) -> Opened:
        """Turn to segmentations into the classes of a file of scores."""
        scores = read_scores(data, session.picture, self.settings.most_scores)
        session.turn_to_classes(lambda: Classes(session.picture, scores), data, class_labels(scores.shape[-1]))
        return self._opened(session)

    def _session(self, picture: Picture, number: int | None = None) -> Session:
        return self.sessions.add(Session(picture, self.sessions.turns, number))

    def _opened(self, session: Session) -> Opened:
        (width, height), (columns, rows) = session.picture.size, session.picture.solved_size
        return Opened(
            id=session.id,
            name=session.picture.name,
            width=width,
            height=height,
            solved_width=columns,
            solved_height=rows,
            mode="strokes" if session.labels_of_classes is None else "classes",
            labels=session.labels_of_classes,
            number=session.number,
        )


def _plain(name: str) -> str:
    """Return the last part of a path as people type it, printable; it is only ever shown."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    return "".join(letter for letter in last if letter.isprintable())[:120] or "image"
