# SPDX-License-Identifier: BSD-3-Clause
"""Running a batch: what is missing to an engine, outcomes to the ledger."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import IO, Any

from hedgehop._arrays import number, positive_count
from hedgehop.batch.engines.executors import ExecutorEngine, dask_executor
from hedgehop.batch.engines.processes import Limits, ProcessEngine, ctrl_c_held_back
from hedgehop.batch.fingerprints import is_changed
from hedgehop.batch.items import Item, Shard, file_items
from hedgehop.batch.manifest import Manifest
from hedgehop.batch.outcomes import AnyLedger, Outcome, latest, open_ledger
from hedgehop.batch.progress import Progress, Status
from hedgehop.batch.recipe import Recipe
from hedgehop.batch.results import RESULT_KINDS, ResultKind, drop_stale_rows
from hedgehop.batch.scheduling import Chunks, Scheduler
from hedgehop.batch.stores import open_store
from hedgehop.batch.summary import write_summary
from hedgehop.batch.tasks import Task

_RECONNECT_SECONDS = 60.0  # for which a lost scheduler of Dask is looked for
_RECONNECT_PAUSE = 1.0


@dataclass(frozen=True)
class Summary:
    """How many items were solved now and before, and how many failed now or before; the table and its means."""

    solved: int
    done_before: int
    failed: int
    table: Path | str
    metrics: dict[str, float]


def run(
    sources: Manifest | Iterable[str | PathLike[str]],
    recipe: Recipe,
    folder: str | PathLike[str],
    *,
    workers: int | None = None,
    executor: Any = None,
    chunk: int | None = None,
    force: bool = False,
    retry: bool = False,
    callback: Callable[[Outcome], Any] | None = None,
    shard: str | None = None,
    item_seconds: float | None = None,
    item_memory: int | None = None,
    results: ResultKind = "npz",
    watch: Callable[[Status], Any] | None = None,
    events: IO[str] | None = None,
) -> Summary:
    """Solve many items with one recipe; after a crash, the same call does only what is missing.

    Parameters
    ----------
    sources : Manifest or paths
        What to solve: items of a :class:`Manifest`, or files that ``hh.read`` reads, or images if the recipe says
        where their scribbles or scores are. Addresses such as ``s3://bucket/model.uai`` are read by fsspec.
    recipe : Recipe
        What to do with each item.
    folder : path or address
        Where results go: a list ``lists/NAME.npz`` per item, ``outcomes.jsonl`` (one line per item, on the disk before
        the next is awaited) and ``summary.csv``.
    workers : int, optional
        Number of processes, by default one per processor. Scripts need ``if __name__ == "__main__":`` around the call.
        With your own executor: the number of tasks it works on at once.
    executor : object or str, optional
        Use this instead of processes: anything whose ``submit`` returns objects with ``done`` and ``result``, as
        executors of ``concurrent.futures``, loky, mpi4py and submitit do; or the address of a Dask scheduler. Its
        workers must be able to read the same files.
    chunk : int, optional
        Number of items per task; by default as many as take about a second.
    force : bool
        Whether to start over and remove all earlier results; otherwise a different recipe is refused.
    retry : bool
        Whether to try failed items again. Items that were lost with processes or machines are always tried again,
        and so are items whose files have changed, and items that met a limit which is higher now.
    callback : function of an Outcome
        Called after every item.
    shard : str, optional
        ``"i/n"``: do only the i-th of n parts (from 0). Each part can run anywhere, at the same time.
    item_seconds, item_memory : number, optional
        What one item may take: seconds, and bytes beyond those of an idle process. An item that needs more fails. Only
        for processes of this machine.
    results : "npz", "parquet" or "zarr"
        One file per list, rows of ``labelings.parquet``, or a Zarr group ``lists/NAME.zarr`` per item.
    watch : function of a Status
        Called about twice a second.
    events : text file
        Receives a line of JSON for everything that happens.

    Returns
    -------
    Summary
        An item that fails is counted and recorded, and does not stop the others.
    """
    count = positive_count(workers or os.cpu_count() or 1, "workers")
    size = None if chunk is None else positive_count(chunk, "chunk")
    limits = _checked_limits(item_seconds, item_memory, executor)
    if results not in RESULT_KINDS:
        raise ValueError(f"results must be one of {', '.join(RESULT_KINDS)}; got {results!r}.")
    part = None if shard is None else Shard.parse(shard)
    if part is not None and force:
        raise ValueError("force must not be used with a shard: it would remove results of others. Use another folder.")
    items = sources if isinstance(sources, Manifest) else file_items(sources, recipe.beside)
    label = f".{part}" if part else ""
    scratch = f".unfinished{label}"
    store = open_store(folder, scratch)
    task = Task(recipe, store, results, str(part or "run"))
    with open_ledger(store, recipe, force, part, results) as ledger:
        run = _Run(items, part, task, ledger, retry, limits, callback, Progress(store, label, watch, events))
        try:
            return run.whole(executor, count, size)
        finally:
            store.remove(scratch)


def _checked_limits(seconds: float | None, memory: int | None, executor: Any) -> Limits:
    if executor is not None and (seconds is not None or memory is not None):
        raise ValueError("limits per item need processes of this machine; an executor was given. Leave one out.")
    if seconds is not None and number(seconds, "item_seconds", low=0.0) == 0:
        raise ValueError("item_seconds must be above 0; got 0.")
    return Limits(seconds, None if memory is None else positive_count(memory, "item_memory"))


@dataclass
class _Run:
    """One run: what is missing, and what has been done about it."""

    items: Manifest | Sequence[Item]
    shard: Shard | None
    task: Task
    ledger: AnyLedger
    retry: bool
    limits: Limits
    callback: Callable[[Outcome], Any] | None
    progress: Progress
    missing: int = field(default=0, init=False)
    flags: bytearray = field(default_factory=bytearray, init=False)  # of each item: whether it is missing
    total: int = field(default=0, init=False)
    before: int = field(default=0, init=False)
    solved: int = field(default=0, init=False)

    def whole(self, executor: Any, workers: int, size: int | None) -> Summary:
        """Do all that is missing; say how it ended, whatever happens."""
        if self.task.kind == "parquet":
            self._drop_stale_rows()
        self._count_items()
        self.progress.begin(self.total, self.before, self.total - self.before - self.missing)
        try:
            if self.missing:
                self._solve_missing(executor, min(workers, self.missing), size)
        except KeyboardInterrupt:
            self.progress.end("interrupted")
            raise
        except BaseException:
            self.progress.end("stopped")
            raise
        finally:
            self.ledger.flush()
        if self.task.kind == "parquet" and self.missing:
            self._drop_stale_rows()
        table, means = self._write_summary()
        self.progress.end("finished")
        return Summary(self.solved, self.before, self.total - self.solved - self.before, table, means)

    def _write_summary(self) -> tuple[Path | str, dict[str, float]]:
        """Write the table of all items, those of other shards included."""
        store, metrics = self.task.store, self.task.recipe.metrics
        if self.shard is None:
            return write_summary(store, self.ledger, metrics)
        with latest(self.ledger, store) as everything:
            return write_summary(store, everything, metrics)

    def _drop_stale_rows(self) -> None:
        drop_stale_rows(self.task.store, self.ledger, self.task.prefix if self.shard else None)

    def _mine(self) -> Iterator[Item]:
        return (item for item in self.items if self.shard is None or item in self.shard)

    def _count_items(self) -> None:
        """Find what is missing, and refuse items that would replace the results of others before anything is done."""
        for item in self._mine():
            outcome = self.ledger.get(item.name)
            self.total += 1
            self.flags.append(self._is_missing(item, outcome))
            if self.flags[-1]:
                self.missing += 1
                self._refuse_to_replace(item, outcome)
            elif outcome is not None and outcome.error is None:
                self.before += 1

    def _refuse_to_replace(self, item: Item, outcome: Outcome | None) -> None:
        """Refuse a file that has the name of another one's results; in a manifest people chose the names."""
        if isinstance(self.items, Manifest) or outcome is None or outcome.error is not None:
            return
        if outcome.source != item.source:
            raise ValueError(f"{item.source} would replace the results of {outcome.source}. Use another folder.")

    def _is_missing(self, item: Item, outcome: Outcome | None) -> bool:
        """Whether an item must be done: it never was, or not with these files, or was lost with its process."""
        if outcome is None or is_changed(item, outcome.inputs):
            return True
        if outcome.error is not None:
            return self.retry or outcome.fault == "infrastructure" or self._allows_more(outcome)
        return not self.task.store.exists(outcome.file or f"lists/{item.name}.npz")

    def _allows_more(self, failed: Outcome) -> bool:
        """Whether an item failed for a limit that is higher now, or gone."""
        if failed.lacking is None or failed.limit is None:
            return False
        most = getattr(self.limits, failed.lacking)
        return most is None or most > failed.limit

    def _solve_missing(self, executor: Any, workers: int, size: int | None) -> None:
        waiting = (item for item, flag in zip(self._mine(), self.flags, strict=True) if flag)
        chunks = Chunks(waiting, size)
        scheduler = Scheduler(chunks, self._record, self.progress.tick)
        if executor is None:
            self._use_processes(scheduler, ProcessEngine(self.task, workers, self.limits))
        elif isinstance(executor, str):
            self._use_dask(scheduler, chunks, executor)
        else:
            self._use_executor(scheduler, ExecutorEngine(executor, self.task, lambda: workers))

    def _record(self, reported: Sequence[Outcome]) -> None:
        now = round(time.time(), 3)
        outcomes = [
            replace(each, finished=now, limit=getattr(self.limits, each.lacking) if each.lacking else None)
            for each in reported
        ]
        with ctrl_c_held_back():  # what is in the ledger is counted
            self.ledger.append(outcomes)
            self.progress.add(outcomes)
        for outcome in outcomes:
            self.solved += outcome.error is None
            if self.callback is not None:
                self.callback(outcome)

    @staticmethod
    def _use_processes(scheduler: Scheduler, engine: ProcessEngine) -> None:
        finished = False
        try:
            scheduler.run(engine)
            finished = True
        finally:
            engine.close(at_once=not finished)

    @staticmethod
    def _use_executor(scheduler: Scheduler, engine: ExecutorEngine) -> list[Item]:
        """Solve on the workers of a given executor."""
        try:
            lost = scheduler.run(engine)
        finally:
            engine.cancel()
        if engine.broken():
            raise _BrokenExecutor(lost)
        return lost

    def _use_dask(self, scheduler: Scheduler, chunks: Chunks, address: str) -> None:
        """Solve on a cluster; if its scheduler goes away, look for it again until nothing has happened for a while."""
        broken: _BrokenExecutor | None = None
        last, solved = time.monotonic(), self.solved
        while True:
            try:
                with dask_executor(address) as (cluster, threads):
                    self._use_executor(scheduler, ExecutorEngine(cluster, self.task, threads))
                return
            except _BrokenExecutor as error:
                chunks.give_back(error.lost)
                broken = error
            except ValueError:
                if broken is None:  # it was never there
                    raise
            if self.solved > solved:
                last, solved = time.monotonic(), self.solved
            if time.monotonic() - last > _RECONNECT_SECONDS:
                raise broken
            time.sleep(_RECONNECT_PAUSE)


class _BrokenExecutor(ValueError):
    """An executor that cannot go on, and the items that were in flight."""

    def __init__(self, lost: list[Item]) -> None:
        super().__init__(
            f"the executor broke with {len(lost)} items in flight. Run the batch again with a new executor."
        )
        self.lost = lost
