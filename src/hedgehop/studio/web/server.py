# SPDX-License-Identifier: BSD-3-Clause
"""Listening: on this machine alone, or with a token."""

from __future__ import annotations

import ctypes
import ipaddress
import secrets
import socket
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn

from hedgehop.studio.settings import Settings
from hedgehop.studio.web.app import create_app
from hedgehop.studio.web.header_timeout import HeaderTimeoutProtocol

_ARENA_MAX = -8  # M_ARENA_MAX in malloc.h
_HEAPS = 2


def is_own(host: str) -> bool:
    """Whether only this machine can reach a host name."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """Return what a visitor must know."""
    return secrets.token_urlsafe(18)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket on the port or, if that is taken, on a free one nearby; 0 takes any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (port, *(range(port + 1, port + 20) if port else ())):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
        except OSError as error:
            listener.close()
            last = error
            continue
        return listener
    raise last


def address(host: str, port: int, token: str | None) -> str:
    """Return what to open in a browser."""
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")


def share_memory() -> None:
    """Let all threads take memory from the same few heaps, where the C library is glibc.

    Otherwise every session's thread has a heap of its own, which keeps what the largest solve needed (20 MB for a
    thumbnail) for as long as the session lives.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(_ARENA_MAX, _HEAPS)


def serve(settings: Settings, listener: socket.socket, open_page: str | None) -> None:
    """Serve until Ctrl-C; open a page in the person's browser once the server answers."""
    server = _server(settings, seconds_to_stop=2)
    if open_page is not None:
        threading.Thread(target=_open_when_ready, args=(server, open_page), daemon=True).start()
    with suppress(KeyboardInterrupt):  # which is how a studio is closed
        server.run(sockets=[listener])


@contextmanager
def in_background(settings: Settings) -> Iterator[str]:
    """Serve in a thread, on a port of its own, while the block runs; gives the address."""
    listener = listen("127.0.0.1", 0)
    server = _server(settings, seconds_to_stop=1)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield address("127.0.0.1", listener.getsockname()[1], None)
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


def _server(settings: Settings, seconds_to_stop: int) -> uvicorn.Server:
    share_memory()
    app = create_app(settings)
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=HeaderTimeoutProtocol,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=seconds_to_stop,
        )
    )


def _open_when_ready(server: uvicorn.Server, page: str) -> None:
    while not server.started:
        time.sleep(0.05)
    webbrowser.open(page)
