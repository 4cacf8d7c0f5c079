# SPDX-License-Identifier: BSD-3-Clause
"""The API of the page: sessions, solving, exports, the images of the command line."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import IO, Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

import hedgehop
from hedgehop.studio.errors import RESPONSES, refuse
from hedgehop.studio.exports import MEDIA, SUFFIXES, What, archive, export
from hedgehop.studio.files import SessionFile, session_file
from hedgehop.studio.folder.archives import ArchiveKind, thumbnail, write_archive
from hedgehop.studio.folder.sidecars import ImageState, ImageWork
from hedgehop.studio.pictures import FORMATS
from hedgehop.studio.requests import MOST_LABELS, AnyMap, Document, Label, SolveRequest, default_labels
from hedgehop.studio.sessions import Session
from hedgehop.studio.studio import Opened, Studio
from hedgehop.studio.web.guard import is_json
from hedgehop.studio.web.waiting import while_waited_for

api = APIRouter(prefix="/api", responses=RESPONSES)


def _studio(request: Request) -> Studio:
    studio: Studio = request.app.state.studio
    return studio


def _session(
    request: Request, id: Annotated[str, Path(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
) -> Session:
    return _studio(request).sessions.get(id)


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


StudioOf = Annotated[Studio, Depends(_studio)]
SessionOf = Annotated[Session, Depends(_session)]


class About(BaseModel):
    """What this studio is and allows."""

    version: str
    images: list[str]
    may_save: bool
    place: str
    labels: list[Label]
    most_pixels: int
    most_upload: int
    sessions: int
    session_bytes: int


class _Labelled(BaseModel):
    model_config = ConfigDict(extra="forbid")

    labels: list[Label] = Field(default_factory=default_labels, min_length=2, max_length=MOST_LABELS)


class ExportRequest(_Labelled):
    """Which label map to write, and how."""

    what: What = "mask"
    candidate: AnyMap


class ArchiveRequest(_Labelled):
    """Which label maps to write."""

    candidates: list[AnyMap] = Field(min_length=1, max_length=20)


class SaveRequest(ExportRequest):
    """Where to write it: next to the image it came from."""

    replace: bool = False


class Saved(BaseModel):
    """The name of the file."""

    name: str


class Cancelled(BaseModel):
    """Whether something was running."""

    cancelled: bool


def _binary(*types: str) -> dict[str, Any]:
    return {kind: {"schema": {"type": "string", "format": "binary"}} for kind in types}


def _body(*types: str) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": _binary(*types)}}


def _file(*types: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": _binary(*types)}}


@api.get("/about")
async def about(studio: StudioOf) -> About:
    """Return versions and limits."""
    count, taken = studio.sessions.used
    limits = studio.settings
    return About(
        version=hedgehop.__version__,
        images=studio.folder.names,
        may_save=limits.may_save and len(studio.folder) > 0,
        place=studio.folder.place,
        labels=list(limits.labels),
        most_pixels=limits.most_pixels,
        most_upload=limits.most_upload,
        sessions=count,
        session_bytes=taken,
    )


@api.post("/sessions", status_code=201, openapi_extra=_body(*FORMATS.values(), "application/json"))
async def open_upload(
    request: Request, studio: StudioOf, name: Annotated[str, Query(max_length=300)] = "image"
) -> Opened:
    """Open an image, or a session file, that is the body of the request."""
    async with studio.room_for_upload(_client(request)):
        data = b"".join([chunk async for chunk in request.stream()])
        read = studio.open_document if is_json(request.headers) else studio.open_image
        return await run_in_threadpool(read, name, data)


@api.post("/sample", status_code=201)
async def open_sample(studio: StudioOf) -> Opened:
    """Open the sample image."""
    return await run_in_threadpool(studio.open_sample)


@api.post("/images/{number}", status_code=201)
async def open_given(studio: StudioOf, number: Annotated[int, Path(ge=0, le=1_000_000)]) -> Opened:
    """Open an image of the command line."""
    return await run_in_threadpool(studio.open_given, number)


@api.get("/images")
async def overview(studio: StudioOf) -> list[ImageState]:
    """Return the images of the command line: name, whether each is open, done or skipped, and has an answer."""
    return await run_in_threadpool(studio.overview)


@api.get("/images/{number}/thumbnail", response_class=Response, responses=_file("image/jpeg"))
async def small_image(studio: StudioOf, number: Annotated[int, Path(ge=0, le=1_000_000)]) -> Response:
    """Return a small picture of an image of the command line."""
    async with studio.reading:
        data = await run_in_threadpool(thumbnail, studio.folder.path(number), studio.settings)
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})


@api.put("/images/{number}/work", status_code=204)
async def keep_work(studio: StudioOf, number: Annotated[int, Path(ge=0, le=1_000_000)], work: ImageWork) -> None:
    """Keep strokes, labels, the answer and the mark of an image beside it."""
    await run_in_threadpool(studio.keep_work, number, work)


@api.get("/images/export/{kind}", response_class=StreamingResponse, responses=_file("application/zip"))
async def export_folder(request: Request, studio: StudioOf, kind: ArchiveKind) -> StreamingResponse:
    """Return the answers of all images that are not skipped as one zip file."""
    with ExitStack() as kept:
        out = kept.enter_context(tempfile.TemporaryFile())
        async with studio.reading:
            work = partial(write_archive, kind, studio.folder.paths, studio.settings, out)
            if not await while_waited_for(request, work):
                raise refuse(409, "no image of this folder has an answer yet. Draw on one first.")
        kept.pop_all()  # it is closed when it was sent
    return StreamingResponse(_sent(out), media_type="application/zip")


def _sent(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while block := file.read(2**20):
            yield block


@api.delete("/sessions/{id}", status_code=204)
async def close(studio: StudioOf, session: SessionOf) -> None:
    """Close a session."""
    studio.sessions.remove(session.id)


@api.get("/sessions/{id}/image", response_class=Response, responses=_file("image/jpeg"))
async def image(session: SessionOf) -> Response:
    """Return the image as the page draws it."""
    data = await run_in_threadpool(session.picture.shown)
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})


@api.post("/sessions/{id}/scores", openapi_extra=_body("application/octet-stream"))
async def scores(request: Request, studio: StudioOf, session: SessionOf) -> Opened:
    """Show segmentations into classes: the body is an .npy or .npz file of scores (H, W, L)."""
    async with studio.room_for_upload(_client(request)):
        data = b"".join([chunk async for chunk in request.stream()])
        return await run_in_threadpool(studio.give_scores, session, data)


@api.post(
    "/sessions/{id}/solve",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def solve(session: SessionOf, request: SolveRequest) -> StreamingResponse:
    """Find a list; a solve that is running is cancelled.

    The answer is a stream of events: `candidate` (list, index, differs, runs: label, length, ... row by row),
    `note`, and finally `done` (count, proof, seconds), `failed` or `cancelled`.
    """
    job = session.start(request)
    return StreamingResponse(job.events(), media_type="text/event-stream")


@api.post("/sessions/{id}/cancel")
async def cancel(session: SessionOf) -> Cancelled:
    """Stop a solve."""
    return Cancelled(cancelled=session.cancel())


@api.post("/sessions/{id}/export", response_class=Response, responses=_file(*MEDIA.values()))
async def export_one(session: SessionOf, request: ExportRequest) -> Response:
    """Return a label map at the size of the image: label mask, cut-out or COCO run lengths."""
    return Response(await _exported(session, request), media_type=MEDIA[request.what])


@api.post("/sessions/{id}/export/all", response_class=Response, responses=_file("application/zip"))
async def export_all(http: Request, session: SessionOf, request: ArchiveRequest) -> Response:
    """Return several label maps as a zip file."""
    found = [session.labels(which) for which in request.candidates]
    data = await while_waited_for(http, partial(archive, session.picture, found, request.labels))
    return Response(data, media_type="application/zip")


@api.post("/sessions/{id}/document")
async def document(session: SessionOf, made: Document) -> SessionFile:
    """Return the session as a file that can be opened again."""
    base = None if made.request.base is None else session.labels(made.request.base)
    return session_file(session.picture, session.scores, made, base)


@api.post("/sessions/{id}/save")
async def save(studio: StudioOf, session: SessionOf, request: SaveRequest) -> Saved:
    """Write a candidate next to its image."""
    if session.number is None:
        raise refuse(409, "only images of the folder can be saved next to their originals. Use export instead.")
    data = await _exported(session, request)
    name = await run_in_threadpool(studio.folder.save, session.number, SUFFIXES[request.what], data, request.replace)
    return Saved(name=name)


async def _exported(session: Session, request: ExportRequest) -> bytes:
    labels = session.labels(request.candidate)
    return await run_in_threadpool(export, request.what, session.picture, labels, request.labels)
