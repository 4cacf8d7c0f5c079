# SPDX-License-Identifier: BSD-3-Clause
"""Connections that begin a request and never finish its headers are closed; uvicorn would hold them for ever."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

_LONGEST_HEADERS = 10.0  # seconds from the first byte, or from the connection, to the end of the headers


class HeaderTimeoutProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's own protocol, with a time limit for headers."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take bytes; stop waiting once the headers of a request are complete."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if not self._waits:
            self._forget()
        elif self._timer is None:
            self._timer = self.loop.call_later(_LONGEST_HEADERS, self._hang_up)

    @property
    def _waits(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _forget(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hang_up(self) -> None:
        self._timer = None
        if self._waits and not self.transport.is_closing():
            self.transport.close()
