# SPDX-License-Identifier: BSD-3-Clause
"""What went wrong, as a sentence with a status; nothing of the machine's insides."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException as StarletteHTTPException


class ErrorMessage(BaseModel):
    """A sentence for the person at the page."""

    detail: str


RESPONSES: dict[int | str, dict[str, Any]] = {"4XX": {"model": ErrorMessage, "description": "The error message"}}


def refuse(status: int, sentence: str) -> HTTPException:
    """Return the exception that says so."""
    return HTTPException(status, sentence)


def install_error_handlers(app: FastAPI) -> None:
    """Answer every refusal with a sentence."""
    app.add_exception_handler(StarletteHTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, StarletteHTTPException)
    known = {404: "there is nothing at this address.", 405: "this address does not support that method."}
    plain = error.detail in ("Not Found", "Method Not Allowed")
    detail = known.get(error.status_code, error.detail) if plain else error.detail
    return JSONResponse({"detail": detail}, error.status_code, headers=error.headers)


async def _malformed(request: Request, error: Exception) -> JSONResponse:
    """Say which part of a request is wrong, without repeating it: NaN is no JSON."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body") or "the request"
    return JSONResponse({"detail": f"{place}: {first['msg']}."}, 422)
