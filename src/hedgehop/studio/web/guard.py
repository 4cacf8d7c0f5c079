# SPDX-License-Identifier: BSD-3-Clause
"""Access control: requests of this machine's browser, or with the token; never of another site through a browser."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hedgehop.studio.errors import refuse
from hedgehop.studio.settings import MEGABYTE, Settings

_LOG = logging.getLogger("hedgehop.studio")
_LOCAL_NAMES = {"127.0.0.1", "localhost", "::1"}
_COOKIE = "hedgehop_studio"
_MOST_BYTES_WITHOUT_FILE = 4 * MEGABYTE  # of requests that carry no file
_LONGEST_SILENCE = 10.0  # seconds without a byte, in the middle of an upload
_LONGEST_UPLOAD = 300.0  # seconds
_CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_SAFE_HEADERS = {
    "Content-Security-Policy": _CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


class Guard:
    """ASGI middleware: checks Host, Origin, token and size before anything else runs, and adds safe headers.

    Unexpected errors are printed on the terminal; the page gets a message without internal details.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        limit, answer = self._limit(scope["path"], headers), _SafeSend(send)
        if self._brings_token(scope):
            cookie = f"{_COOKIE}={self._settings.token}; HttpOnly; SameSite=Strict; Path=/"
            await Response(status_code=303, headers={"Location": "/", "Set-Cookie": cookie})(scope, receive, answer)
            return
        no = self._from_elsewhere(scope, headers) or _too_large(headers, limit) or self._without_token(headers)
        try:
            await (_refusal(*no) if no else self._app)(scope, _limited(receive, limit), answer)
        except ClientDisconnect:  # nobody is left to answer
            return
        except Exception:
            _LOG.exception("unexpected failure")
            if not answer.begun:
                failure = _refusal(500, "something went wrong; see the studio's terminal for details.")
                await failure(scope, receive, answer)

    def _limit(self, path: str, headers: Headers) -> int:
        if path == "/api/sessions":
            return self._settings.most_upload * (2 if is_json(headers) else 1)  # a session file holds its image as text
        return self._settings.most_scores if path.endswith("/scores") else _MOST_BYTES_WITHOUT_FILE

    def _from_elsewhere(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Refuse names that are not ours (DNS rebinding) and requests other sites make through a browser."""
        host = headers.get("host", "")
        name = _host_name(host)
        own = _LOCAL_NAMES | {self._settings.host}
        if name is None or (self._settings.token is None and name not in own):
            return 400, f"this studio answers to {self._settings.host} and localhost only. Open the address it printed."
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return 403, "requests from other sites are refused."
        foreign = headers.get("sec-fetch-site", "none") in ("cross-site", "same-site")
        if foreign and scope["path"] != "/":
            return 403, "requests from other sites are refused."
        return None

    def _without_token(self, headers: Headers) -> tuple[int, str] | None:
        token = self._settings.token
        if token is None:
            return None
        given = headers.get("authorization", "").removeprefix("Bearer ") or _cookie_of(headers)
        if secrets.compare_digest(given.encode(), token.encode()):
            return None
        return 401, "this studio needs its token. Open the address that it printed, token included."

    def _brings_token(self, scope: Scope) -> bool:
        """Whether a request has the token of the printed address, which becomes a cookie."""
        token = self._settings.token
        if token is None or scope["path"] != "/" or scope["method"] != "GET":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return secrets.compare_digest(given.encode(), token.encode())


def is_json(headers: Headers) -> bool:
    """Whether the body is a session file rather than an image."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _host_name(host: str) -> str | None:
    """Return the name in a Host header; None if it is malformed."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    return parts.hostname if parts.netloc == host and not parts.username else None


def _cookie_of(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _too_large(headers: Headers, limit: int) -> tuple[int, str] | None:
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        return 400, "the length of the request must be a number."
    return (413, _too_large_sentence(limit)) if int(length) > limit else None


def _too_large_sentence(limit: int) -> str:
    return f"this is too large: at most {limit // MEGABYTE} megabytes are read."


def _limited(receive: Receive, limit: int) -> Receive:
    """Count what comes, for senders that do not say how much will, and do not wait for those who stop sending."""
    seen, more, end = 0, True, time.monotonic() + _LONGEST_UPLOAD

    async def counted() -> Message:
        nonlocal seen, more
        if not more:  # all is here; what follows is the end of the connection, at any time
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), min(_LONGEST_SILENCE, max(0.01, end - time.monotonic())))
        except asyncio.TimeoutError:
            raise refuse(408, "the upload was interrupted. Send it again.") from None
        more = bool(message.get("more_body", False))
        seen += len(message.get("body", b""))
        if seen > limit:
            raise refuse(413, _too_large_sentence(limit))
        return message

    return counted


class _SafeSend:
    """Sends an answer with safe headers, and knows whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in _SAFE_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


def _refusal(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"detail": sentence}, status)
