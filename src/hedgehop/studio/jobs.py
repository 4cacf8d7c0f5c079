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

from hedgehop import _core
from hedgehop.lists.result import DiverseList
from hedgehop.studio.label_maps import PackedLabels, to_runs
from hedgehop.studio.tasks import LabelMap, Note, Show
from hedgehop.studio.turns import Turns

_LOG = logging.getLogger("hedgehop.studio")
_LEAST_DIFFERENCE = 0.001  # share of the pixels
_FINAL_EVENTS = ("done", "failed", "cancelled")
_PROOF_MEANING = (
    "A list is worth how well its candidates fit the strokes and the image, plus how different they are. Compared "
    "with showing the likeliest segmentation {m} times, this list gains at least {share} % of what the best list could "
    "gain: {among}. This is proven for this list. It says nothing about how well the model fits your image."
)
_NOTHING_PROVEN = (
    "How close this list comes to the best possible list is not known: nothing could be proven. It may still be good."
)

MakeList = Callable[[Show, Note], DiverseList]


class Job:
    """A solve that another thread may cancel at any moment.

    Attributes
    ----------
    candidates : list of PackedLabels
        What was found so far.
    """

    def __init__(self, number: int, solve: MakeList, turns: Turns, loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        self._turns = turns
        self.candidates: list[PackedLabels] = []
        self._solve = solve
        self._loop = loop
        self._stop = _core.Stop()
        self._events: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        self._over = False
        self._lock = threading.Lock()
        self._shown: list[LabelMap] = []
        self._places: list[int] = []  # of all labelings of the list, among those on show
        self._repeats = 0
        self._start = time.perf_counter()

    def cancel(self) -> bool:
        """Tell the page at once, the kernels stop a moment later; whether there was something to cancel."""
        self._stop.set()
        return self._tell("cancelled", {})

    def wait_behind(self, ahead: int) -> None:
        """Tell the page how many others come first."""
        self._tell("waiting", {"ahead": ahead})

    def run(self) -> None:
        """Solve, when it is our turn; every outcome is an event."""
        with self._turns.taken(self.wait_behind), self._stop:
            try:
                _core.check_stop()
                found = self._solve(self._show, self._note)
                if self._repeats:
                    self._note(f"{self._repeats} more would look the same. Ask for larger or other differences.")
                data = {"count": len(self.candidates), "proof": proof_of(found), "chances": self._chances(found)}
                self._tell("done", data | {"seconds": self._spent()})
            except KeyboardInterrupt:
                self._tell("cancelled", {})
            except HTTPException as error:
                self._tell("failed", {"message": str(error.detail)})
            except (ValueError, MemoryError) as error:
                self._tell("failed", {"message": str(error) or "there is not enough memory."})
            except Exception:
                _LOG.exception("a solve failed")
                self._tell("failed", {"message": "something went wrong; see the studio's terminal for details."})

    async def events(self) -> AsyncIterator[bytes]:
        """Yield events as they come, in the format of server-sent events; who stops listening cancels."""
        try:
            while True:
                name, data = await self._events.get()
                yield f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
                if name in _FINAL_EVENTS:
                    return
        finally:
            self.cancel()

    def _show(self, labels: LabelMap) -> None:
        """Pass a candidate on, unless it cannot be told from an earlier one."""
        _core.check_stop()
        alike = (k for k, other in enumerate(self._shown) if (labels != other).mean() < _LEAST_DIFFERENCE)
        self._places.append(next(alike, len(self._shown)))
        if self._places[-1] < len(self._shown):
            self._repeats += 1
            return
        self._shown.append(labels)
        self.candidates.append(PackedLabels.of(labels))
        differs = float((labels != self._shown[0]).mean())
        data = {"list": self.number, "index": len(self.candidates) - 1, "differs": differs, "runs": to_runs(labels)}
        self._tell("candidate", data | {"seconds": self._spent()})
        if len(self.candidates) == 1:
            self._turns.give_way()
            _core.check_stop()

    def _chances(self, found: DiverseList) -> list[float] | None:
        """Probability of each candidate on show to be the nearest one to what is wanted, if it is known."""
        if not found.is_weighed or len(found) != len(self._places):
            return None
        sums = np.bincount(self._places, found.probabilities, len(self._shown))
        return [round(float(chance), 4) for chance in sums]

    def _note(self, sentence: str) -> None:
        self._tell("note", {"message": sentence})

    def _spent(self) -> float:
        return round(time.perf_counter() - self._start, 4)

    def _tell(self, name: str, data: dict[str, Any]) -> bool:
        """Pass an event to the page's thread; nothing follows the last one. Whether it was passed."""
        with self._lock:
            if self._over:
                return False
            self._over = name in _FINAL_EVENTS
        try:
            self._loop.call_soon_threadsafe(self._events.put_nowait, (name, data))
        except RuntimeError:  # the server has stopped
            self._stop.set()
        return True


def proof_of(found: DiverseList) -> dict[str, Any]:
    """Return the proven share, a short and a long sentence; the share is rounded down."""
    m, share = len(found), int(np.floor(100.0 * min(1.0, found.guarantee)))
    if m == 1:
        exact = bool(found.exact[0])
        text = "the best segmentation, proven" if exact else "a good segmentation, not proven to be the best"
        return {"share": 100 if exact else 0, "text": text, "meaning": "The best under the model of the image."}
    computed = f"from the segmentations that were computed ({found.method.rpartition(' ')[2]})"
    among = f"the best of all lists of {m} {'of this image' if found.indices is None else computed}"
    text = f"at least {share} % of the best possible" if share else "nothing could be proven for this list"
    meaning = _PROOF_MEANING.format(m=m, share=share, among=among) if share else _NOTHING_PROVEN
    return {"share": share, "text": text, "meaning": meaning}
