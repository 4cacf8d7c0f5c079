# SPDX-License-Identifier: BSD-3-Clause
"""Sessions: each has an image, its lists and a thread that solves; the longest idle is closed if there are too many."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from hedgehop._arrays import Floats
from hedgehop.lists.result import DiverseList
from hedgehop.studio.errors import refuse
from hedgehop.studio.jobs import Job
from hedgehop.studio.label_maps import PackedLabels, from_runs
from hedgehop.studio.pictures import Picture
from hedgehop.studio.requests import MOST_LABELS, AnyMap, DrawnMap, Label, SolveRequest, class_labels
from hedgehop.studio.settings import Settings
from hedgehop.studio.tasks import Classes, CutOuts, LabelMap, Memory, Note, Show, SolveTask
from hedgehop.studio.turns import Turns
from hedgehop.studio.web.slow_imports import import_slow_modules

_MOST_LISTS_KEPT = 60
_BYTES_PER_PIXEL = 70  # of superpixels, features and lists, measured


class Session:
    """An image, prepared in the background by the one thread that also solves.

    Attributes
    ----------
    number : int or None
        Place among the images of the command line.
    scores, class_labels : bytes, list of Label, or None
        The file of scores, and what its labels are called, if there is one.
    """

    def __init__(self, picture: Picture, turns: Turns, number: int | None = None) -> None:
        self.id = secrets.token_urlsafe(12)
        self.picture = picture
        self.number = number
        self.scores: bytes | None = None
        self.class_labels: list[Label] | None = None
        self._turns = turns
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="studio")
        self._lists: OrderedDict[int, list[PackedLabels]] = OrderedDict()
        self._memories: dict[int, Memory] = {}  # of lists
        self._last_list = 0
        self._job: Job | None = None
        self._ahead: int | None = None  # how many others come before the image is prepared
        # Last, because the thread uses the rest.
        self._task: Future[SolveTask] = self._thread.submit(self._prepared, lambda: CutOuts(picture))

    @property
    def size(self) -> int:
        """About how many bytes of memory this takes."""
        files = len(self.picture.data) + len(self.scores or b"")
        return files + _BYTES_PER_PIXEL * self.picture.small[..., 0].size

    def give_scores(self, data: bytes, scores: Floats) -> None:
        """Ask for segmentations into the classes of a file of scores from now on."""
        self.cancel()
        self.scores, self.class_labels = data, class_labels(scores.shape[-1])
        self._task = self._thread.submit(self._prepared, lambda: Classes(self.picture, scores))

    def start(self, request: SolveRequest) -> Job:
        """Begin to solve; whatever was running is cancelled."""
        base = None if request.base is None else self.labels(request.base)
        self.cancel()
        task, number = self._task, self._last_list + 1
        before = None if request.after is None else self._memories.get(request.after)

        def solve(show: Show, note: Note) -> DiverseList:
            found, memory = task.result().solve(request, base, before, show, note)
            if memory is not None:
                self._memories[number] = memory
            return found

        job = self._job = Job(number, solve, self._turns, asyncio.get_running_loop())
        self._keep(job.candidates)
        if (ahead := self._ahead) is not None:
            job.wait_behind(ahead)
        self._thread.submit(job.run)
        return job

    def cancel(self) -> bool:
        """Stop what is running; whether something was."""
        job, self._job = self._job, None
        return job is not None and job.cancel()

    def candidates(self, number: int) -> list[PackedLabels]:
        """Return what was found of a list."""
        found = self._lists.get(number)
        if not found:
            raise refuse(410, "this list no longer exists. Solve again.")
        return list(found)

    def labels(self, which: AnyMap) -> LabelMap:
        """Return a candidate, or a map that the page holds, (h, w)."""
        if isinstance(which, DrawnMap):
            return drawn_labels(which, self.picture)
        found = self.candidates(which.list)
        if which.index >= len(found):
            raise refuse(404, f"this list has only {len(found)} candidates.")
        return found[which.index].labels()

    def close(self) -> None:
        """Stop everything and let go."""
        self.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _prepared(self, task: Callable[[], SolveTask]) -> SolveTask:
        with self._turns.taken(self._wait_behind):
            self._ahead = None
            import_slow_modules()  # or wait until they are there
            return task()

    def _wait_behind(self, ahead: int) -> None:
        self._ahead = ahead
        if (job := self._job) is not None:
            job.wait_behind(ahead)

    def _keep(self, candidates: list[PackedLabels]) -> None:
        self._last_list += 1
        self._lists[self._last_list] = candidates
        while len(self._lists) > _MOST_LISTS_KEPT:
            self._memories.pop(self._lists.popitem(last=False)[0], None)


def drawn_labels(drawn: DrawnMap, picture: Picture) -> LabelMap:
    """Return a map of the size at which a picture is solved, (h, w), or say why not."""
    try:
        return from_runs(drawn.runs, picture.small.shape[:2], MOST_LABELS)
    except (ValueError, OverflowError) as error:
        raise refuse(422, f"the label map does not fit this image: {error}.") from None


class Sessions:
    """Sessions by id, the last used last; the longest idle one is closed when they are too many or too large."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._all: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()
        self.turns = Turns(settings.solvers)

    def add(self, session: Session) -> Session:
        """Keep a session, and close old ones if there is no room."""
        with self._lock:
            self._all[session.id] = session
            idle = self._without_room()
        for old in idle:
            old.close()
        return session

    def get(self, key: str) -> Session:
        """Return a session and remember that it is in use."""
        with self._lock:
            if key not in self._all:
                raise refuse(
                    404, "this session was closed because it was idle and memory was needed. Open the image again."
                )
            self._all.move_to_end(key)
            return self._all[key]

    def remove(self, key: str) -> None:
        """Close a session."""
        with self._lock:
            session = self._all.pop(key, None)
        if session is None:
            raise refuse(404, "this session is already closed.")
        session.close()

    def close(self) -> None:
        """Close all."""
        with self._lock:
            sessions, self._all = list(self._all.values()), OrderedDict()
        for session in sessions:
            session.close()

    @property
    def used(self) -> tuple[int, int]:
        """How many there are, and their bytes."""
        with self._lock:
            return len(self._all), self._bytes()

    def _bytes(self) -> int:
        return sum(session.size for session in self._all.values())

    def _without_room(self) -> list[Session]:
        """Take out the longest idle sessions until the others keep to the limits; the last one always stays."""
        idle = []
        most = self._settings
        while len(self._all) > 1 and (len(self._all) > most.most_sessions or self._bytes() > most.most_bytes):
            idle.append(self._all.popitem(last=False)[1])
        return idle
