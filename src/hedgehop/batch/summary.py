# SPDX-License-Identifier: BSD-3-Clause
"""All outcomes of a batch as a table, with the mean of every metric."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import IO

from hedgehop.batch.outcomes import AnyLedger, Outcome
from hedgehop.batch.stores import LocalStore, Store
from hedgehop.io.file_access import atomic_write

_SUMMARY_FILE = "summary.csv"
_LEFT_OUT = ("metrics", "inputs", "finished")


def write_summary(store: Store, ledger: AnyLedger, metrics: Iterable[str]) -> tuple[Path | str, dict[str, float]]:
    """Write all outcomes as a table, sorted by item; return where it is, and the mean of every metric."""
    names = [column for name in metrics for column in (name, f"oracle_{name}")]
    total, count = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
    columns = [field.name for field in fields(Outcome) if field.name not in _LEFT_OUT]
    with _written(store) as file:
        text = TextIOWrapper(file, "utf-8", "surrogateescape", newline="", write_through=True)
        table = csv.DictWriter(text, columns + names, lineterminator="\n", extrasaction="ignore")
        table.writeheader()
        for outcome in ledger:
            row = vars(outcome) | (outcome.metrics or {})
            table.writerow(row)
            for name in set(names) & set(row):
                total[name], count[name] = total[name] + row[name], count[name] + 1
        text.flush()
        text.detach()
    place = store.root / _SUMMARY_FILE if isinstance(store, LocalStore) else store.place(_SUMMARY_FILE)
    return place, {name: total[name] / count[name] for name in names if count[name]}


@contextmanager
def _written(store: Store) -> Iterator[IO[bytes]]:
    if isinstance(store, LocalStore):
        with atomic_write(store.root / _SUMMARY_FILE) as file:
            yield file
        return
    whole = BytesIO()
    yield whole
    store.write(_SUMMARY_FILE, whole.getvalue())
