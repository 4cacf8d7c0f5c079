# SPDX-License-Identifier: BSD-3-Clause
"""Work that takes a while, in a thread, until it is done or nobody waits for its answer any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from hedgehop import _core

_LOOK = 0.25  # seconds between two looks at whether anybody waits
_T = TypeVar("_T")


async def while_waited_for(request: Request, work: Callable[[], _T]) -> _T:
    """Return what work returns; it is stopped, where it checks for that, when the client has gone."""
    stop = _core.Stop()

    def stoppable() -> _T:
        try:
            with stop:
                return work()
        except KeyboardInterrupt:
            raise ClientDisconnect from None

    task = asyncio.ensure_future(run_in_threadpool(stoppable))
    try:
        while not (await asyncio.wait([task], timeout=_LOOK))[0]:
            if await request.is_disconnected():
                stop.set()
    finally:
        stop.set()  # whoever cancels this does not want the answer, either
    return await task
