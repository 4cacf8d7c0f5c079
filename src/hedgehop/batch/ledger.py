"""What a batch has done, kept such that a crash at any moment loses at most the items in flight."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO

from hedgehop.batch.recipe import Recipe
from hedgehop.io.streams import complete

_OUTCOMES, _RECIPE, _LOCK, _SUMMARY = "outcomes.jsonl", "recipe.json", ".lock", "summary.csv"


@dataclass(frozen=True)
class Outcome:
    """How one item ended: with a list, or with a sentence in ``error``."""

    item: str
    source: str
    error: str | None = None
    m: int | None = None
    distinct: int | None = None
    seconds: float | None = None
    objective: float | None = None
    upper_bound: float | None = None
    guarantee: float | None = None


class Ledger:
    """Append-only outcomes of a folder; only one run at a time has it open (see :func:`opened`)."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _OUTCOMES
        self.outcomes = {o.item: o for o in _read(self._path)}

    def append(self, outcome: Outcome) -> None:
        """Add a line; it is on the disk when this returns."""
        line = json.dumps(asdict(outcome)) + "\n"
        with self._path.open("ab") as file:
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        self.outcomes[outcome.item] = outcome

    def write_summary(self) -> Path:
        """Write all outcomes as a table, sorted by item."""
        text = io.StringIO()
        table = csv.DictWriter(text, [f.name for f in fields(Outcome)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(self.outcomes[item]) for item in sorted(self.outcomes))
        target = self._path.with_name(_SUMMARY)
        with complete(target) as file:
            file.write(text.getvalue().encode())
        return target


@contextmanager
def opened(folder: Path, recipe: Recipe, force: bool) -> Iterator[Ledger]:
    """Open a folder's ledger for this run alone; refuse another recipe than the one that it was begun with."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("ab") as lock:
        _claim(lock, folder)
        _check_recipe(folder, recipe, force)
        yield Ledger(folder)


def _check_recipe(folder: Path, recipe: Recipe, force: bool) -> None:
    path = folder / _RECIPE
    if path.exists() and not force:
        if json.loads(path.read_text(encoding="utf-8"))["fingerprint"] == recipe.fingerprint:
            return
        raise ValueError(f"{folder} was begun with another recipe, {path}. Use another folder, or force to begin anew.")
    (folder / _OUTCOMES).unlink(missing_ok=True)  # first: outcomes must never stand beside a recipe not theirs
    with complete(path) as file:
        file.write(json.dumps({"fingerprint": recipe.fingerprint, "recipe": asdict(recipe)}, indent=1).encode())


def _read(path: Path) -> list[Outcome]:
    """Read all whole lines; cut off the piece of one that a crash has left."""
    if not path.exists():
        return []
    with path.open("r+b") as file:
        lines = file.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            file.truncate(sum(map(len, lines[:-1])))
            lines.pop()
    return [Outcome(**json.loads(line)) for line in lines]


def _claim(lock: IO[bytes], folder: Path) -> None:
    """Lock a file; the system lets go of it when this process ends, however it ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ValueError(f"another run is writing into {folder}. Wait for it, or use another folder.") from None
