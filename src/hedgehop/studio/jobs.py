# SPDX-License-Identifier: BSD-3-Clause
"""One solve: run by the thread of its session, heard by the page as a stream of events."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import numpy as np
from fastapi import HTTPException
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop.lists.result import DiverseList
from hedgehop.studio.cutting import Note, Show
from hedgehop.studio.proofs import proof_of
from hedgehop.studio.runs import Packed, to_runs

_LOG = logging.getLogger("hedgehop.studio")
_VISIBLE = 0.001  # share of the image
_LAST = ("done", "failed", "cancelled")

Solve = Callable[[Show, Note], DiverseList]


class Job:
    """A solve that another thread may cancel at any moment.

    Attributes
    ----------
    candidates : list of Packed
        What was found so far.
    """

    def __init__(self, number: int, solve: Solve, loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        self.candidates: list[Packed] = []
        self._solve = solve
        self._loop = loop
        self._stop = _core.Stop()
        self._events: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        self._over = False
        self._lock = threading.Lock()
        self._shown: list[NDArray[np.uint8]] = []
        self._repeats = 0
        self._start = time.perf_counter()

    def cancel(self) -> bool:
        """Tell the page at once, the kernels stop a moment later; whether there was something to cancel."""
        self._stop.set()
        return self._tell("cancelled", {})

    def run(self, turns: threading.Semaphore) -> None:
        """Solve, when it is our turn; every outcome is an event."""
        with turns, self._stop:
            try:
                _core.check_stop()
                found = self._solve(self._show, self._note)
                if self._repeats:
                    self._note(f"{self._repeats} more would look the same: ask for larger or other differences.")
                self._tell("done", {"count": len(self.candidates), "proof": proof_of(found), "seconds": self._spent()})
            except KeyboardInterrupt:
                self._tell("cancelled", {})
            except HTTPException as error:
                self._tell("failed", {"message": str(error.detail)})
            except (ValueError, MemoryError) as error:
                self._tell("failed", {"message": str(error) or "there is not enough memory."})
            except Exception:
                _LOG.exception("a solve failed")
                self._tell("failed", {"message": "something went wrong here; the terminal of the studio tells more."})

    async def events(self) -> AsyncIterator[bytes]:
        """Yield events as they come, in the format of server-sent events; who stops listening cancels."""
        try:
            while True:
                name, data = await self._events.get()
                yield f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
                if name in _LAST:
                    return
        finally:
            self.cancel()

    def _show(self, labels: NDArray[np.uint8]) -> None:
        """Pass a candidate on, unless nobody could tell it from an earlier one."""
        _core.check_stop()
        if any((labels != other).mean() < _VISIBLE for other in self._shown):
            self._repeats += 1
            return
        self._shown.append(labels)
        self.candidates.append(Packed.of(labels))
        differs = float((labels != self._shown[0]).mean())
        data = {"list": self.number, "index": len(self.candidates) - 1, "differs": differs, "runs": to_runs(labels)}
        self._tell("candidate", data | {"seconds": self._spent()})

    def _note(self, sentence: str) -> None:
        self._tell("note", {"message": sentence})

    def _spent(self) -> float:
        return round(time.perf_counter() - self._start, 4)

    def _tell(self, name: str, data: dict[str, Any]) -> bool:
        """Pass an event to the page's thread; nothing follows the last one. Whether it was passed."""
        with self._lock:
            if self._over:
                return False
            self._over = name in _LAST
        try:
            self._loop.call_soon_threadsafe(self._events.put_nowait, (name, data))
        except RuntimeError:  # the server has stopped
            self._stop.set()
        return True
