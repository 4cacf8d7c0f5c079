# SPDX-License-Identifier: BSD-3-Clause
"""All sessions: the longest idle one makes room when there are too many or they take too much memory."""

from __future__ import annotations

import threading
from collections import OrderedDict

from hedgehop.studio.problems import refuse
from hedgehop.studio.session import Session
from hedgehop.studio.settings import Settings


class Sessions:
    """Sessions by id, the last used last."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._all: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()
        self.turns = threading.Semaphore(settings.solvers)

    def add(self, session: Session) -> Session:
        """Keep a session, and close old ones if there is no room."""
        with self._lock:
            self._all[session.id] = session
            idle = self._beyond_limits()
        for old in idle:
            old.close()
        return session

    def get(self, key: str) -> Session:
        """Return a session and remember that it is in use."""
        with self._lock:
            if key not in self._all:
                raise refuse(404, "this session is closed: it was idle while others needed room. Open the image again.")
            self._all.move_to_end(key)
            return self._all[key]

    def remove(self, key: str) -> None:
        """Close a session."""
        with self._lock:
            session = self._all.pop(key, None)
        if session is None:
            raise refuse(404, "this session is closed already.")
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
            return len(self._all), sum(session.size for session in self._all.values())

    def _beyond_limits(self) -> list[Session]:
        taken = sum(session.size for session in self._all.values())
        idle = []
        while len(self._all) > 1 and (
            len(self._all) > self._settings.most_sessions or taken > self._settings.most_bytes
        ):
            _, old = self._all.popitem(last=False)
            taken -= old.size
            idle.append(old)
        return idle
