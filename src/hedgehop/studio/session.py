# SPDX-License-Identifier: BSD-3-Clause
"""One image somebody works on: its model, its lists, and the thread that solves."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hedgehop.lists.result import DiverseList
from hedgehop.studio.cutting import Cutting, Note, Show
from hedgehop.studio.jobs import Job
from hedgehop.studio.pictures import Picture
from hedgehop.studio.problems import refuse
from hedgehop.studio.runs import Packed
from hedgehop.studio.wishes import Base, Label, Wish

_KEPT_LISTS = 60
_BYTES_A_PIXEL = 70  # of superpixels, features and lists, measured


class Task(Protocol):
    """An image and what is asked of it."""

    def solve(self, wish: Wish, base: NDArray[np.uint8] | None, show: Show, note: Note) -> DiverseList:
        """Find a list, showing label maps as they come."""


class Session:
    """An image, prepared in the background by the one thread that also solves.

    Attributes
    ----------
    number : int or None
        Place among the images of the command line.
    scores, labels_of_classes : bytes, list of Label, or None
        The file of scores, and what its labels are called, where there is one.
    """

    def __init__(self, picture: Picture, turns: threading.Semaphore, number: int | None = None) -> None:
        self.id = secrets.token_urlsafe(12)
        self.picture = picture
        self.number = number
        self.scores: bytes | None = None
        self.labels_of_classes: list[Label] | None = None
        self._turns = turns
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="studio")
        self._task: Future[Task] = self._thread.submit(self._prepared, lambda: Cutting(picture))
        self._lists: OrderedDict[int, list[Packed]] = OrderedDict()
        self._number = 0
        self._job: Job | None = None

    @property
    def size(self) -> int:
        """About how many bytes of memory this takes."""
        files = len(self.picture.data) + len(self.scores or b"")
        return files + _BYTES_A_PIXEL * self.picture.small[..., 0].size

    def turn_to_classes(self, task: Callable[[], Task], scores: bytes, labels: list[Label]) -> None:
        """Ask for segmentations into classes instead."""
        self.cancel()
        self.scores, self.labels_of_classes = scores, labels
        self._task = self._thread.submit(self._prepared, task)

    def start(self, wish: Wish) -> Job:
        """Begin to solve; whatever was running is cancelled."""
        base = None if wish.base is None else self.labels(wish.base)
        self.cancel()
        task = self._task

        def solve(show: Show, note: Note) -> DiverseList:
            return task.result().solve(wish, base, show, note)

        self._number += 1
        self._job = Job(self._number, solve, asyncio.get_running_loop())
        self._keep(self._number, self._job.candidates)
        self._thread.submit(self._job.run, self._turns)
        return self._job

    def cancel(self) -> bool:
        """Stop what is running; whether something was."""
        job, self._job = self._job, None
        return job is not None and job.cancel()

    def add(self, labels: NDArray[np.uint8]) -> Base:
        """Keep a segmentation that comes from elsewhere as a list of one."""
        self._number += 1
        self._keep(self._number, [Packed.of(labels)])
        return Base(list=self._number, index=0)

    def candidates(self, number: int) -> list[Packed]:
        """Return what was found of a list."""
        found = self._lists.get(number)
        if not found:
            raise refuse(410, "this list is gone: it is too long ago, or was never there. Solve again.")
        return list(found)

    def labels(self, which: Base) -> NDArray[np.uint8]:
        """Return one candidate, (h, w)."""
        found = self.candidates(which.list)
        if which.index >= len(found):
            raise refuse(404, f"this list has {len(found)} candidates only.")
        return found[which.index].labels()

    def close(self) -> None:
        """Stop everything and let go."""
        self.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _prepared(self, task: Callable[[], Task]) -> Task:
        with self._turns:
            return task()

    def _keep(self, number: int, candidates: list[Packed]) -> None:
        self._lists[number] = candidates
        while len(self._lists) > _KEPT_LISTS:
            self._lists.popitem(last=False)
