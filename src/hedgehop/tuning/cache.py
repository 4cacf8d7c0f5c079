# SPDX-License-Identifier: BSD-3-Clause
"""What lists scored, kept in a file, so that a search goes on where it was."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from threading import Lock


class ScoreCache:
    """Results by key, in a file of JSON lines that is only ever appended to."""

    def __init__(self, path: str | PathLike[str] | None) -> None:
        self._path = None if path is None else Path(path)
        self._lock = Lock()
        self._values: dict[str, list[float]] = {}
        self._torn = False  # whether the last line was cut off: the next one must not be glued to it
        if self._path is not None and self._path.exists():
            text = self._path.read_text(encoding="utf-8")
            self._torn = bool(text) and not text.endswith("\n")
            for line in text.splitlines():
                try:
                    key, values = json.loads(line)
                except ValueError:
                    continue  # cut off while it was written
                self._values[key] = values

    def get(self, key: str) -> list[float] | None:
        """Return what is kept under a key, None if nothing is."""
        return self._values.get(key)

    def put(self, key: str, values: list[float]) -> None:
        """Keep values under a key."""
        with self._lock:
            self._values[key] = values
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(("\n" if self._torn else "") + json.dumps([key, values]) + "\n")
                self._torn = False
