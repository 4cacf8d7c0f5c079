# SPDX-License-Identifier: BSD-3-Clause
"""Lists as files: one .npz or Zarr group per item, or rows of Parquet files, several items in each."""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Iterable
from io import BytesIO
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgehop._errors import need
from hedgehop.batch.items import Item
from hedgehop.batch.outcomes import Outcome
from hedgehop.batch.stores import Store
from hedgehop.io.lists import list_bytes
from hedgehop.lists.result import DiverseList

ResultKind = Literal["npz", "parquet", "zarr"]
RESULT_KINDS: tuple[ResultKind, ...] = ("npz", "parquet", "zarr")
_PARTS = "labelings.parquet"
_DIMENSIONS = ("y", "x")


class Results(Protocol):
    """Takes lists; says in which file each one is. What waits is written by `finish`."""

    waits: bool

    def add(self, item: Item, found: DiverseList) -> str:
        """Take the list of an item."""

    def finish(self) -> None:
        """Write the lists that are not written yet."""


def results_of(kind: ResultKind, store: Store, prefix: str) -> Results:
    """Return what writes lists of a kind into a store; the names of files for several items begin with the prefix."""
    if kind == "parquet":
        return _Parts(store, prefix)
    return _Zarr(store) if kind == "zarr" else _Archives(store)


class _Archives:
    waits = False

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, item: Item, found: DiverseList) -> str:
        name = f"lists/{item.file_name}.npz"
        self._store.write(name, list_bytes(found))
        return name

    def finish(self) -> None:
        """Nothing waits."""


class _Zarr(_Archives):
    """Zarr groups, version 2 of the format: labelings and numbers of each, the group's own file last."""

    def add(self, item: Item, found: DiverseList) -> str:
        group = f"lists/{item.file_name}.zarr"
        self._store.remove(group)
        grid = found.labelings.ndim == 3
        dimensions = ("rank", *(_DIMENSIONS if grid else [f"variable_{k}" for k in range(found.labelings.ndim - 1)]))
        self._array(f"{group}/labelings", _narrow(found.labelings), dimensions)
        for name, values in _numbers(found).items():
            self._array(f"{group}/{name}", values, ("rank",))
        known = {"item": item.name, "source": item.source, "model": found.model, "diversity": found.diversity}
        self._store.write(f"{group}/.zattrs", json.dumps(known).encode())
        self._store.write(f"{group}/.zgroup", b'{"zarr_format": 2}')
        return f"{group}/.zgroup"

    def _array(self, name: str, values: NDArray[Any], dimensions: Iterable[str]) -> None:
        shape = list(values.shape)
        about = {
            "zarr_format": 2, "shape": shape, "chunks": shape, "dtype": values.dtype.newbyteorder("<").str,
            "compressor": {"id": "zlib", "level": 1}, "fill_value": None, "order": "C", "filters": None,
        }  # fmt: skip
        self._store.write(f"{name}/{'.'.join(['0'] * values.ndim)}", zlib.compress(values.tobytes(), 1))
        self._store.write(f"{name}/.zattrs", json.dumps({"_ARRAY_DIMENSIONS": list(dimensions)}).encode())
        self._store.write(f"{name}/.zarray", json.dumps(about).encode())


class _Parts:
    """Rows, one per labeling, of all items of a chunk in one new Parquet file."""

    waits = True

    def __init__(self, store: Store, prefix: str) -> None:
        self._store, self._name = store, f"{_PARTS}/part-{prefix}-{secrets.token_hex(8)}.parquet"
        self._rows: list[dict[str, Any]] = []
        need("pyarrow.parquet", "parquet", "Parquet files")

    def add(self, item: Item, found: DiverseList) -> str:
        numbers, labelings = _numbers(found), _narrow(found.labelings)
        shape, kind = list(labelings.shape[1:]), labelings.dtype.str
        for rank, labels in enumerate(labelings):
            own = {name: float(values[rank]) for name, values in numbers.items()}
            packed = {"shape": shape, "dtype": kind, "labels": labels.tobytes()}
            self._rows.append({"item": item.name, "rank": rank, **own, **packed})
        return self._name

    def finish(self) -> None:
        if self._rows:
            self._store.write(self._name, _parquet(self._rows))


def _numbers(found: DiverseList) -> dict[str, NDArray[np.float64]]:
    """What is known of each labeling; probabilities are NaN unless the list knows them already."""
    known = found.probabilities if found.is_weighed else np.full(len(found), np.nan)
    columns = {"relevance": found.relevance, "gain": found.gains, "bound": found.bounds, "probability": known}
    return {name: np.ascontiguousarray(values, np.float64) for name, values in columns.items()}


def _narrow(labelings: NDArray[Any]) -> NDArray[Any]:
    """Return labels as the smallest unsigned numbers that hold them."""
    kind = np.min_scalar_type(int(labelings.max(initial=0)))
    return np.ascontiguousarray(labelings, kind.newbyteorder("<"))


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    arrow = need("pyarrow", "parquet", "Parquet files")
    out = BytesIO()
    fields = [
        ("item", arrow.string()), ("rank", arrow.int32()),
        *((name, arrow.float64()) for name in ("relevance", "gain", "bound", "probability")),
        ("shape", arrow.list_(arrow.int32())), ("dtype", arrow.string()), ("labels", arrow.binary()),
    ]  # fmt: skip
    table = arrow.Table.from_pylist(rows, arrow.schema(fields))
    need("pyarrow.parquet", "parquet", "Parquet files").write_table(table, out, compression="zstd")
    return out.getvalue()


def drop_stale_rows(store: Store, outcomes: Iterable[Outcome], prefix: str | None) -> None:
    """Remove rows that no outcome names: of runs that were killed before they could say so, of items done again."""
    parts = [name for name in store.names(_PARTS) if prefix is None or name.startswith(f"{_PARTS}/part-{prefix}-")]
    if not parts:
        return
    wanted: dict[str, set[str]] = {name: set() for name in parts}
    for outcome in outcomes:
        if outcome.file in wanted:
            wanted[outcome.file].add(outcome.item)
    parquet = need("pyarrow.parquet", "parquet", "Parquet files")
    for name in parts:
        rows = parquet.read_table(BytesIO(store.read(name) or b"")) if wanted[name] else None
        if rows is None:
            store.remove(name)
        elif set(rows["item"].to_pylist()) - wanted[name]:
            store.write(name, _parquet([row for row in rows.to_pylist() if row["item"] in wanted[name]]))
