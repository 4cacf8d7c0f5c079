# SPDX-License-Identifier: BSD-3-Clause
"""A running studio: makes sessions of uploads, session files, the sample, images of the command line, scores."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal
from weakref import WeakValueDictionary

from pydantic import BaseModel

from hedgehop.studio import files
from hedgehop.studio.errors import refuse
from hedgehop.studio.folder.images import ImageFolder, read_limited, sample
from hedgehop.studio.folder.sidecars import ImageState, ImageWork, read_work, state_of, write_work
from hedgehop.studio.pictures import Picture, read_picture
from hedgehop.studio.requests import Document, DrawnMap, Label
from hedgehop.studio.sessions import Session, Sessions
from hedgehop.studio.settings import Settings

_UPLOADS_AT_ONCE = 8  # whose bytes are held in memory
_UPLOADS_OF_ONE_CLIENT = 4
_READ_AT_ONCE = 2  # images of the folder, for thumbnails and archives


class Opened(BaseModel):
    """An image that was opened.

    ``mode`` is "strokes", or "classes" if scores say which labels there are; sizes are in pixels, those of label
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
    work: ImageWork | None = None


class Studio:
    """Sessions, and the images of the command line."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sessions = Sessions(settings)
        self.folder = ImageFolder(settings.images, settings.scores, settings.may_save)
        self.reading = asyncio.Semaphore(_READ_AT_ONCE)
        self._uploads = asyncio.Semaphore(_UPLOADS_AT_ONCE)
        self._uploads_of: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def room_for_upload(self, client: str) -> AsyncIterator[None]:
        """Hold the bytes of an upload in memory, few at once, and fewer of one client."""
        own = self._uploads_of.setdefault(client, asyncio.Semaphore(_UPLOADS_OF_ONE_CLIENT))
        async with own, self._uploads:
            yield

    def open_image(self, name: str, data: bytes) -> Opened:
        """Open an image file."""
        return self._opened(self._session(read_picture(_plain(name), data, self.settings.most_pixels)))

    def open_sample(self) -> Opened:
        """Open the sample."""
        return self.open_image("astronaut.png", sample())

    def open_given(self, number: int) -> Opened:
        """Open an image of the command line, with the scores beside it."""
        path, scores = self.folder.path(number), self.folder.scores(number)
        data = self.folder.read(number, self.settings.most_upload)
        session = self._session(read_picture(path.name, data, self.settings.most_pixels), number)
        if scores is None:
            opened = self._opened(session)
        else:
            opened = self.give_scores(session, read_limited(scores, self.settings.most_scores))
        return opened.model_copy(update={"work": read_work(path)})

    def keep_work(self, number: int, work: ImageWork) -> None:
        """Write what was made of an image of the command line beside it."""
        if not self.settings.may_save:
            raise refuse(403, "this studio is not allowed to write next to the images.")
        write_work(self.folder.path(number), work)

    def overview(self) -> list[ImageState]:
        """Return the state of each image of the command line."""
        return [state_of(path) for path in self.settings.images]

    def open_document(self, name: str, data: bytes) -> Opened:
        """Open a session file."""
        kept, picture = files.read_session(data, self.settings)
        base = files.base_of(kept, picture)
        session = self._session(picture)
        if kept.scores is not None:
            self.give_scores(session, files.unpacked(kept.scores))
        opened = self._opened(session)
        if base is not None:
            kept.document.request.base = DrawnMap(runs=kept.base or [])
        return opened.model_copy(update={"document": kept.document})

    def give_scores(self, session: Session, data: bytes) -> Opened:
        """Turn to segmentations into the classes of a file of scores."""
        session.give_scores(data, files.uploaded_scores(data, session.picture, self.settings.most_scores))
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
            mode="strokes" if session.class_labels is None else "classes",
            labels=session.class_labels,
            number=session.number,
        )


def _plain(name: str) -> str:
    """Return the last part of a path as people type it, printable; it is only ever shown."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    return "".join(letter for letter in last if letter.isprintable())[:120] or "image"
