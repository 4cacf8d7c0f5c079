# SPDX-License-Identifier: BSD-3-Clause
"""Running a batch: what is missing to an executor, outcomes to the log."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from hedgehop._arrays import positive_count
from hedgehop.batch.executors import dask_executor, process_pool
from hedgehop.batch.items import Item, file_items
from hedgehop.batch.manifest import Manifest
from hedgehop.batch.outcomes import Outcome, OutcomeLog, open_log
from hedgehop.batch.recipe import Recipe
from hedgehop.batch.scheduling import Chunks, Scheduler
from hedgehop.batch.tasks import Task

_CHUNKS_PER_WORKER = 4  # submitted at once: enough that none waits, few enough that memory stays bounded
_DIED = "its process died twice, for lack of memory or because of a bug."


@dataclass(frozen=True)
class Summary:
    """How many items were solved now, how many before, how many failed, now or before; the table and its means."""

    solved: int
    done_before: int
    failed: int
    table: Path
    metrics: dict[str, float]


def run(
    sources: Manifest | Iterable[str | PathLike[str]],
    recipe: Recipe,
    folder: str | PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | str | None = None,
    chunk: int | None = None,
    force: bool = False,
    retry: bool = False,
    callback: Callable[[Outcome], Any] | None = None,
) -> Summary:
    """Solve many items with one recipe; after a crash, the same call does only what is missing.

    Parameters
    ----------
    sources : Manifest or paths
        What to solve: items of a :class:`Manifest`, or files that ``hh.read`` reads, or images if the recipe says
        where their scribbles or scores are.
    recipe : Recipe
        What to do with each item.
    folder : path
        Where results go: a list ``lists/NAME.npz`` per item, ``outcomes.jsonl`` (one line per item, on the disk before
        the next is awaited) and ``summary.csv``.
    workers : int, optional
        Number of processes, by default one per processor. Scripts need ``if __name__ == "__main__":`` around the call.
        With your own executor: the number of tasks it works on at once.
    executor : concurrent.futures.Executor or str, optional
        Use this instead of processes, or the Dask cluster whose scheduler has this address. Its workers must see
        the same files.
    chunk : int, optional
        Number of items per task; by default as many as take about a second.
    force : bool
        Whether to start over, whatever the folder contains; otherwise a different recipe is refused.
    retry : bool
        Whether to try failed items again.
    callback : function of an Outcome
        Called after every item.

    Returns
    -------
    Summary
        An item that fails is counted and recorded, and does not stop the others.
    """
    count = positive_count(workers or os.cpu_count() or 1, "workers")
    size = None if chunk is None else positive_count(chunk, "chunk")
    items = sources if isinstance(sources, Manifest) else file_items(sources, recipe.beside)
    task = Task(recipe, Path(folder).absolute())
    with open_log(task.folder, recipe, force) as log:
        run = _Run(items, task, log, retry, callback)
        shutil.rmtree(task.scratch, ignore_errors=True)  # what a killed run has left unfinished
        run.count_items()
        if run.missing:
            task.scratch.mkdir(exist_ok=True)
            run.solve_missing(executor, min(count, run.missing), size)
            shutil.rmtree(task.scratch, ignore_errors=True)
        table, means = log.write_summary(recipe.metrics)
        return Summary(run.solved, run.before, run.total - run.solved - run.before, table, means)


@dataclass
class _Run:
    """One run: what is missing, and what has been done about it."""

    items: Manifest | Sequence[Item]
    task: Task
    log: OutcomeLog
    retry: bool
    callback: Callable[[Outcome], Any] | None
    total: int = field(default=0, init=False)
    missing: int = field(default=0, init=False)
    before: int = field(default=0, init=False)
    solved: int = field(default=0, init=False)

    def count_items(self) -> None:
        """Count items, and refuse those that would replace the results of others before anything is done."""
        for item in self.items:
            outcome = self.log.get(item.name)
            if outcome is not None and outcome.source != item.source:
                raise ValueError(f"{item.source} would replace the results of {outcome.source}. Use another folder.")
            self.total += 1
            if self._is_missing(item, outcome):
                self.missing += 1
            elif outcome is not None and outcome.error is None:
                self.before += 1

    def solve_missing(self, executor: Executor | str | None, workers: int, size: int | None) -> None:
        """Do all that is missing."""
        waiting = (item for item in self.items if self._is_missing(item, self.log.get(item.name)))
        chunks = Chunks(waiting, size)
        if executor is None:
            self._use_processes(chunks, workers)
        elif isinstance(executor, Executor):
            self._use_executor(executor, chunks, lambda: workers)
        else:
            with dask_executor(executor) as (cluster, threads):
                self._use_executor(cluster, chunks, threads)

    def _is_missing(self, item: Item, outcome: Outcome | None) -> bool:
        if outcome is None:
            return True
        return self.retry if outcome.error is not None else not self.task.target(item).exists()

    def _record(self, outcomes: Sequence[Outcome]) -> None:
        self.log.append(outcomes)
        for outcome in outcomes:
            self.solved += outcome.error is None
            if self.callback is not None:
                self.callback(outcome)

    def _use_executor(self, executor: Executor, chunks: Chunks, workers: Callable[[], int]) -> None:
        """Solve on somebody else's workers."""
        lost = self._schedule(executor, chunks, lambda: _CHUNKS_PER_WORKER * workers())
        if lost:
            raise ValueError(
                f"the executor broke with {len(lost)} items in flight. Run the batch again with a new executor."
            )

    def _use_processes(self, chunks: Chunks, workers: int) -> None:
        """Solve in processes of our own; items lost with one are tried once more, each alone: one is to blame."""
        while suspects := self._in_pool(chunks, workers, _CHUNKS_PER_WORKER * workers):
            alone = Chunks(iter(suspects), 1)
            while guilty := self._in_pool(alone, 1, 1):
                self._record([Outcome(item.name, item.source, _DIED) for item in guilty])

    def _in_pool(self, chunks: Chunks, workers: int, room: int) -> list[Item]:
        """Return the items that were lost because a process died."""
        with process_pool(workers) as executor:
            return self._schedule(executor, chunks, lambda: room)

    def _schedule(self, executor: Executor, chunks: Chunks, room: Callable[[], int]) -> list[Item]:
        return Scheduler(executor, chunks, self.task, self._record).run(room)
