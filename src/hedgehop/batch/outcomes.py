# SPDX-License-Identifier: BSD-3-Clause
"""What a batch has done, kept such that a crash at any moment loses at most the items in flight."""

from __future__ import annotations

import codecs
import csv
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO

from hedgehop.batch.recipe import Recipe
from hedgehop.io.file_access import atomic_write, write_text

_OUTCOMES_FILE, _RECIPE_FILE, _LOCK_FILE, _SUMMARY_FILE = "outcomes.jsonl", "recipe.json", ".lock", "summary.csv"


@dataclass(frozen=True)
class Outcome:
    """How one item ended: with a list, or with a message in ``error``."""

    item: str
    source: str
    error: str | None = None
    m: int | None = None
    distinct: int | None = None
    seconds: float | None = None
    objective: float | None = None
    upper_bound: float | None = None
    guarantee: float | None = None
    metrics: dict[str, float] | None = None


class OutcomeLog:
    """Append-only outcomes of a folder; only one run at a time has it open (see :func:`open_log`).

    Memory holds the names of the items and where their lines begin, nothing else.
    """

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._file = path, file
        self._places = _places(path, file)

    def get(self, item: str) -> Outcome | None:
        """Return how an item ended; None if it has not been tried."""
        place = self._places.get(item)
        if place is None:
            return None
        self._file.seek(place)
        return Outcome(**json.loads(self._file.readline()))

    def append(self, outcomes: Iterable[Outcome]) -> None:
        """Add lines; they are on the disk when this returns."""
        end, new, text = self._file.seek(0, os.SEEK_END), {}, b""
        for outcome in outcomes:
            new[outcome.item] = end + len(text)
            text += json.dumps(asdict(outcome)).encode() + b"\n"
        try:
            self._file.write(text)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            error.filename = str(self._path)  # a full disk does not say for whom
            raise
        self._places |= new

    def write_summary(self, metrics: Iterable[str]) -> tuple[Path, dict[str, float]]:
        """Write all outcomes as a table, sorted by item; return it, and the mean of every metric."""
        names = [column for name in metrics for column in (name, f"oracle_{name}")]
        total, count = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
        target = self._path.with_name(_SUMMARY_FILE)
        columns = [field.name for field in fields(Outcome) if field.name != "metrics"]
        with atomic_write(target) as file:
            table = csv.DictWriter(codecs.getwriter("utf-8")(file), columns + names, lineterminator="\n")
            table.writeheader()
            for item in sorted(self._places):
                row = asdict(self.get(item))  # type: ignore[arg-type]
                row |= row.pop("metrics") or {}
                table.writerow(row)
                for name in set(names) & set(row):
                    total[name], count[name] = total[name] + row[name], count[name] + 1
        return target, {name: total[name] / count[name] for name in names if count[name]}


@contextmanager
def open_log(folder: Path, recipe: Recipe, force: bool) -> Iterator[OutcomeLog]:
    """Open a folder's log for this run alone; refuse another recipe than the one that it was begun with."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK_FILE).open("ab") as lock:
        _claim(lock, folder)
        _check_recipe(folder, recipe, force)
        with (folder / _OUTCOMES_FILE).open("a+b") as file:
            yield OutcomeLog(folder / _OUTCOMES_FILE, file)


def _check_recipe(folder: Path, recipe: Recipe, force: bool) -> None:
    path = folder / _RECIPE_FILE
    if path.exists() and not force:
        if json.loads(path.read_text(encoding="utf-8"))["fingerprint"] == recipe.fingerprint:
            return
        raise ValueError(
            f"{folder} contains results of a different recipe, {path}. Use another folder, or force to start over."
        )
    (folder / _OUTCOMES_FILE).unlink(missing_ok=True)  # first: outcomes must never stand beside a recipe not theirs
    write_text(path, json.dumps({"fingerprint": recipe.fingerprint, "recipe": asdict(recipe)}, indent=1))


def _places(path: Path, file: IO[bytes]) -> dict[str, int]:
    """Where the last line of each item begins; the piece of a line that a crash has left is cut off."""
    places, place = {}, 0
    file.seek(0)
    for number, line in enumerate(file, 1):
        if not line.endswith(b"\n"):
            file.truncate(place)
            break
        try:
            places[str(json.loads(line)["item"])] = place
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}, line {number} is damaged. Use another folder, or force to start over.") from None
        place += len(line)
    return places


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
