# SPDX-License-Identifier: BSD-3-Clause
"""How items ended, and the ledger of it, kept such that a crash at any moment loses at most the items in flight."""

from __future__ import annotations

import errno
import json
import os
import secrets
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Literal

from hedgehop.batch.items import Shard
from hedgehop.batch.recipe import Recipe
from hedgehop.batch.stores import LocalStore, Store

_LEDGER, _RECIPE_FILE, _LOCK_FILE = "outcomes", "recipe.json", ".lock"
RESULT_FOLDERS = ("lists", "labelings.parquet", "labelings.zarr")
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}  # of file systems without them
_FLUSH_SECONDS = 5.0  # for which outcomes wait if nothing can be appended

Fault = Literal["item", "infrastructure"]
Resource = Literal["seconds", "memory"]


@dataclass(frozen=True)
class Outcome:
    """How one item ended: with a list, or with a message in ``error``.

    ``fault`` says what caused a failure: "item" (it would fail again) or "infrastructure" (processes or machines were
    lost; the next run tries again). ``lacking`` names the resource whose limit an item met, ``limit`` is that limit:
    a run that allows more tries again. ``inputs`` identifies the files that were read. ``finished`` is a time.
    """

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
    fault: Fault | None = None
    lacking: Resource | None = None
    limit: float | None = None
    attempts: int = 1
    file: str | None = None
    inputs: dict[str, list[Any]] | None = None
    finished: float | None = None


class Ledger:
    """Append-only outcomes of one run; those of other runs on the same folder are also read (see :func:`open_ledger`).

    Memory holds the names of the items and where their lines begin, nothing else.
    """

    def __init__(self, path: Path, file: IO[bytes], others: Iterable[IO[bytes]] = ()) -> None:
        self.path, self._file = path, file
        self._files = [*others, file]
        self._places: dict[str, tuple[int, int]] = {}
        times: dict[str, float] = {}
        for number, each in enumerate(self._files):
            for item, place, when in _lines(each, own=each is file, path=path):
                known = self._places.get(item)
                if known is None or known[0] == number or when >= times[item]:  # the latest of all runs counts
                    self._places[item], times[item] = (number, place), when

    def get(self, item: str) -> Outcome | None:
        """Return how an item ended; None if it has not been tried."""
        number, place = self._places.get(item, (-1, 0))
        if number < 0:
            return None
        self._files[number].seek(place)
        return Outcome(**json.loads(self._files[number].readline()))

    def append(self, outcomes: Iterable[Outcome]) -> None:
        """Add lines; they are on the disk when this returns."""
        end, new, text = self._file.seek(0, os.SEEK_END), {}, b""
        for outcome in outcomes:
            new[outcome.item] = (len(self._files) - 1, end + len(text))
            text += _line(outcome)
        try:
            self._file.write(text)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            error.filename = str(self.path)  # a full disk does not say for whom
            raise
        self._places |= new

    def reread(self, others: Iterable[IO[bytes]]) -> Ledger:
        """Return this ledger with those of others as they are now."""
        return Ledger(self.path, self._file, others)

    def flush(self) -> None:
        """Do nothing: `append` has written everything."""

    def __iter__(self) -> Iterator[Outcome]:
        """Outcomes of all items, sorted by name."""
        for item in sorted(self._places):
            outcome = self.get(item)
            assert outcome is not None
            yield outcome


class RemoteLedger:
    """The same where files cannot be appended to: every few seconds a new file with the latest outcomes."""

    def __init__(self, store: Store) -> None:
        self._store, self._folder, self._waiting, self._time = store, f"{_LEDGER}/", b"", time.monotonic()
        self._lines: dict[str, bytes] = {}
        for name in store.names(_LEDGER):
            for line in (store.read(name) or b"").splitlines(keepends=True):
                self._lines[str(json.loads(line)["item"])] = line

    def get(self, item: str) -> Outcome | None:
        """Return the latest outcome of an item."""
        line = self._lines.get(item)
        return None if line is None else Outcome(**json.loads(line))

    def append(self, outcomes: Iterable[Outcome]) -> None:
        """Take outcomes in; they are written every few seconds."""
        for outcome in outcomes:
            self._lines[outcome.item] = _line(outcome)
            self._waiting += self._lines[outcome.item]
        if time.monotonic() - self._time >= _FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the outcomes that are not written yet."""
        if self._waiting:
            self._store.write(f"{self._folder}{time.time_ns():020}-{secrets.token_hex(4)}.jsonl", self._waiting)
        self._waiting, self._time = b"", time.monotonic()

    def __iter__(self) -> Iterator[Outcome]:
        return (Outcome(**json.loads(self._lines[item])) for item in sorted(self._lines))


AnyLedger = Ledger | RemoteLedger


@contextmanager
def latest(ledger: AnyLedger, store: Store) -> Iterator[AnyLedger]:
    """Yield a ledger with what other shards have appended since it was opened; one process at a time."""
    if not (isinstance(ledger, Ledger) and isinstance(store, LocalStore)):
        yield RemoteLedger(store)
        return
    with ExitStack() as opened:
        _wait_for(opened.enter_context(_plain_file(store.root / f"{_LOCK_FILE}.summary")))
        yield ledger.reread([opened.enter_context(path.open("rb")) for path in _ledgers(store.root, ledger.path.name)])


def _line(outcome: Outcome) -> bytes:
    return json.dumps({name: value for name, value in vars(outcome).items() if value is not None}).encode() + b"\n"


@contextmanager
def open_ledger(
    store: Store, recipe: Recipe, force: bool, shard: Shard | None = None, kind: str = "npz"
) -> Iterator[AnyLedger]:
    """Open the ledger of a folder, or of one shard, for this run alone; refuse another recipe or kind than its own."""
    if not isinstance(store, LocalStore):
        _check_recipe(store, recipe, kind, force)
        ledger = RemoteLedger(store)
        try:
            yield ledger
        finally:
            ledger.flush()
        return
    folder = store.root
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{_LEDGER}.jsonl" if shard is None else f"{_LEDGER}.{shard}.jsonl"
    with ExitStack() as opened:
        _claim(opened.enter_context(_plain_file(folder / _LOCK_FILE)), folder, shared=shard is not None)
        if shard is not None:
            _claim(opened.enter_context(_plain_file(folder / f"{_LOCK_FILE}.{shard}")), folder)
        store.remove(store.scratch)  # what a killed run has left
        _check_recipe(store, recipe, kind, force)
        files = [opened.enter_context(path.open("rb")) for path in _ledgers(folder, name)]
        own = opened.enter_context(_plain_file(folder / name))
        yield Ledger(folder / name, own, files)


def _ledgers(folder: Path, own: str) -> list[Path]:
    """Ledgers of other runs on a folder."""
    return [path for path in sorted(folder.glob(f"{_LEDGER}*.jsonl")) if path.name != own]


def _plain_file(path: Path) -> IO[bytes]:
    """Open a file for reading and appending; a link is refused."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        return os.fdopen(os.open(path, flags, 0o666), "a+b")
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ValueError(f"{path} is a link and is not followed. Remove it, or use another folder.") from None
        raise


def _refuse_others(store: Store, known: dict[str, Any], recipe: Recipe, kind: str) -> None:
    """Refuse a folder whose results come from another recipe, or are kept in another way."""
    if known["fingerprint"] != recipe.fingerprint:
        raise ValueError(
            f"{store.place('')} contains results of a different recipe, {store.place(_RECIPE_FILE)}. Use another "
            "folder, or start over with --force (in Python, force=True)."
        )
    if known.get("results", kind) != kind:
        raise ValueError(
            f"{store.place('')} keeps its lists as {known['results']}, not as {kind}. Use another folder, or start "
            "over with --force (in Python, force=True)."
        )


def _check_recipe(store: Store, recipe: Recipe, kind: str, force: bool) -> None:
    kept = store.read(_RECIPE_FILE)
    if kept is not None and not force:
        _refuse_others(store, json.loads(kept), recipe, kind)
        return
    if kept is not None:
        for folder in (*RESULT_FOLDERS, _LEDGER):  # nothing of the old recipe stays
            store.remove(folder)
    if isinstance(store, LocalStore):
        for path in store.root.glob(f"{_LEDGER}*.jsonl" if force else f"{_LEDGER}.jsonl"):
            path.unlink()  # first: outcomes must never stand beside a recipe not theirs
        (store.root / "summary.csv").unlink(missing_ok=True)
    text = json.dumps({"fingerprint": recipe.fingerprint, "results": kind, "recipe": asdict(recipe)}, indent=1)
    store.write(_RECIPE_FILE, text.encode())


def _lines(file: IO[bytes], own: bool, path: Path) -> Iterator[tuple[str, int, float]]:
    """Items, where the line of each begins, and its time; the piece of a line that a crash has left is cut off."""
    place = 0
    file.seek(0)
    for number, line in enumerate(file, 1):
        if not line.endswith(b"\n"):
            if own:
                file.truncate(place)
            return
        try:
            known = json.loads(line)
            yield str(known["item"]), place, float(known.get("finished") or 0.0)
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}, line {number} is damaged. Use another folder, or --force.") from None
        place += len(line)


def _claim(lock: IO[bytes], folder: Path, shared: bool = False) -> None:
    """Lock a file; the system lets go of it when this process ends, however it ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            if not shared:
                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise ValueError(f"another run is writing into {folder}. Wait for it, or use another folder.") from None


def _wait_for(lock: IO[bytes]) -> None:
    """Lock a file as soon as nobody else has it, if the file system has locks."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
