"""Running a batch: items to an executor, a bounded number at a time, outcomes to the ledger."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from hedgehop._arrays import positive_count
from hedgehop.batch.ledger import Ledger, Outcome, opened
from hedgehop.batch.recipe import Recipe
from hedgehop.batch.workers import pool, solve_item

_IN_FLIGHT = 4  # items a worker: enough that none waits, few enough that memory stays bounded
Heard = Callable[[Outcome], Any]


@dataclass(frozen=True)
class Summary:
    """How many items were solved now, how many before, how many failed, now or before; the summary's file."""

    solved: int
    done_before: int
    failed: int
    table: Path


@dataclass(frozen=True)
class _Item:
    name: str
    source: Path
    target: Path


def run(
    sources: Iterable[str | PathLike[str]],
    recipe: Recipe,
    folder: str | PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    force: bool = False,
    retry: bool = False,
    callback: Heard | None = None,
) -> Summary:
    """Solve many model files by one recipe; run it again after a crash and it does only what is missing.

    Parameters
    ----------
    sources : paths
        Files that ``hh.read`` reads.
    recipe : Recipe
        What to do with each.
    folder : path
        Where results go: a list ``NAME.npz`` an item, ``outcomes.jsonl`` (one line an item, on the disk before the next
        is awaited) and ``summary.csv``.
    workers : int, optional
        Number of processes, by default one a processor. Scripts need ``if __name__ == "__main__":`` around the call.
    executor : concurrent.futures.Executor, optional
        Use this instead of processes of our own; its workers must see the same files.
    force : bool
        Whether to begin anew, whatever the folder holds; without it, another recipe is refused.
    retry : bool
        Whether to try items again that failed before.
    callback : function of an Outcome
        Called after every item.

    Returns
    -------
    Summary
        An item that fails is counted and recorded, and does not stop the others.
    """
    target = Path(folder).absolute()
    items = _items(sources, target)
    with opened(target, recipe, force) as ledger:
        missing = [item for item in items if not _is_done(ledger, item, retry)]

        def record(outcome: Outcome) -> None:
            ledger.append(outcome)
            if callback is not None:
                callback(outcome)

        if executor is not None:
            _run_there(executor, missing, recipe, record)
        elif missing:
            _run_here(missing, recipe, record, positive_count(workers or os.cpu_count() or 1, "workers"))
        return _summary(ledger, items, missing)


def _items(sources: Iterable[str | PathLike[str]], folder: Path) -> list[_Item]:
    """Name items by their paths below the folder that all have in common."""
    paths = sorted({Path(source).absolute() for source in sources})
    if not paths:
        raise ValueError("a batch needs at least one file; got none.")
    root = Path(os.path.commonpath([path.parent for path in paths]))
    names = [path.relative_to(root).as_posix() for path in paths]
    return [_Item(name, path, folder / "lists" / f"{name}.npz") for name, path in zip(names, paths, strict=True)]


def _is_done(ledger: Ledger, item: _Item, retry: bool) -> bool:
    outcome = ledger.outcomes.get(item.name)
    if outcome is None:
        return False
    if outcome.source != str(item.source):
        raise ValueError(f"{item.source} would replace the results of {outcome.source}. Use another folder.")
    return not retry if outcome.error is not None else item.target.exists()


def _summary(ledger: Ledger, items: list[_Item], missing: list[_Item]) -> Summary:
    well = {item.name for item in items if ledger.outcomes[item.name].error is None}
    solved = len(well.intersection(item.name for item in missing))
    return Summary(solved, len(well) - solved, len(items) - len(well), ledger.write_summary())


def _run_there(executor: Executor, items: list[_Item], recipe: Recipe, record: Heard) -> None:
    """Use the caller's executor."""
    lost = _feed(executor, iter(items), recipe, record, _IN_FLIGHT * (os.cpu_count() or 1))
    if lost:
        raise RuntimeError(f"the executor broke with {len(lost)} items in flight. Run again with another one.")


def _run_here(items: list[_Item], recipe: Recipe, record: Heard, workers: int) -> None:
    """Use processes of our own; items in flight when one died are tried once more, each alone: one is to blame."""
    waiting = iter(items)
    while True:
        with pool(min(workers, len(items))) as executor:
            suspects = _feed(executor, waiting, recipe, record, _IN_FLIGHT * workers)
        for item in suspects:
            with pool(1) as executor:
                if _feed(executor, iter([item]), recipe, record, 1):
                    record(
                        Outcome(
                            item.name,
                            str(item.source),
                            "its process died twice: too little memory, or a fault of ours.",
                        )
                    )
        if not suspects:
            return


def _feed(executor: Executor, waiting: Iterator[_Item], recipe: Recipe, record: Heard, most: int) -> list[_Item]:
    """Keep up to `most` items in flight until all are done; return those lost when the executor breaks."""
    flying: dict[Future[Outcome], _Item] = {}
    lost: list[_Item] = []
    try:
        while True:
            if not lost:
                _launch(executor, islice(waiting, most - len(flying)), recipe, flying, lost)
            if not flying:
                return lost
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                _land(future, flying.pop(future), record, lost)
    finally:
        for future in flying:
            future.cancel()


def _launch(
    executor: Executor, items: Iterator[_Item], recipe: Recipe, flying: dict[Future[Outcome], _Item], lost: list[_Item]
) -> None:
    for item in items:
        try:
            flying[executor.submit(solve_item, item.name, item.source, item.target, recipe)] = item
        except BrokenExecutor:
            lost.append(item)
            return


def _land(future: Future[Outcome], item: _Item, record: Heard, lost: list[_Item]) -> None:
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        lost.append(item)
    elif error is not None:  # the executor's own: solve_item raises nothing
        record(Outcome(item.name, str(item.source), str(error) or type(error).__name__))
    else:
        record(future.result())
