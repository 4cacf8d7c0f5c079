# SPDX-License-Identifier: BSD-3-Clause
"""Items listed in a CSV or JSONL file, read line by line, so that memory does not grow with their number."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from hedgehop._errors import said
from hedgehop.batch.items import ITEM_PARTS, Item
from hedgehop.batch.stores import is_address, local_copy

MANIFEST_SUFFIXES = (".csv", ".jsonl")
_COLUMNS = ("name", *ITEM_PARTS)


class Manifest:
    r"""The items listed in a file, which is checked at once and read again for every iteration.

    Parameters
    ----------
    path : path
        A ``.csv`` file with a header, or a ``.jsonl`` file of objects. Columns: ``model``, or ``image`` with
        ``scribbles`` or ``scores``, or ``scores`` alone; optionally ``truth`` and ``name`` (by default the first file).
        Paths are relative to the manifest.

    Examples
    --------
    >>> import tempfile, pathlib, hedgehop as hh
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "items.csv"
    >>> _ = file.write_text("image,scores,truth\na.png,a.npy,a_truth.png\n")
    >>> [item.name for item in hh.batch.Manifest(file)]
    ['a.png']
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = path if is_address(path) else Path(path)
        self._suffix = Path(path).suffix.lower()
        if self._suffix not in MANIFEST_SUFFIXES:
            raise ValueError(f"a manifest must be a .csv or .jsonl file; got {Path(path).name!r}.")
        seen: set[int] = set()  # hashes, not names: of a million items that is little
        for number, item in self._numbered():
            if hash(item.name) in seen:
                raise self._error(
                    number, f"the name {item.name!r} occurs twice. Add a column 'name' with different names"
                )
            seen.add(hash(item.name))
        self._count = len(seen)
        if not seen:
            raise ValueError(f"{self.path} must list at least one item; it lists none.")

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        return (item for _, item in self._numbered())

    def _numbered(self) -> Iterator[tuple[int, Item]]:
        rows = self._objects() if self._suffix == ".jsonl" else self._rows()
        for number, row in rows:
            try:
                yield number, self._item(row)
            except ValueError as error:
                raise self._error(number, said(error)) from None

    def _item(self, row: Mapping[str, Any]) -> Item:
        unknown = [str(key) for key in row if key not in _COLUMNS]
        if unknown:
            raise ValueError(f"unknown column {unknown[0]!r}; known columns are {', '.join(_COLUMNS)}")
        given = {key: value for key, value in row.items() if value not in (None, "")}
        if not all(isinstance(value, str) for value in given.values()):
            raise ValueError("names and paths must be text")
        files = {key: self._beside(value) for key, value in given.items() if key != "name"}
        file = next((given[part] for part in ITEM_PARTS if part in given), "")
        return Item(given.get("name") or _below(file) or file, **files)

    def _beside(self, name: str) -> str:
        """Return a file as the manifest names it: seen from its own folder, or an address."""
        if is_address(name):
            return name
        if isinstance(self.path, Path):
            return str((self.path.parent / name).absolute())
        return f"{str(self.path).rpartition('/')[0]}/{name}"

    def _rows(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        with local_copy(str(self.path)) as here, open(here, newline="", encoding="utf-8-sig") as file:
            table = csv.DictReader(file, restkey="more columns than the header has", strict=True)
            try:
                for row in table:
                    yield table.line_num, row
            except (csv.Error, UnicodeDecodeError) as error:
                raise self._error(table.line_num + 1, f"this is not CSV: {said(error)}") from None

    def _objects(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        with local_copy(str(self.path)) as here, open(here, "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line) if line.strip() else None
                except (ValueError, RecursionError) as error:
                    raise self._error(number, f"this is not JSON: {said(error)}") from None
                if row is not None and not isinstance(row, dict):
                    raise self._error(number, f"expected an object; got {str(row)[:40]}")
                if row is not None:
                    yield number, row

    def _error(self, number: int, problem: str) -> ValueError:
        return ValueError(f"{self.path}, line {number}: {problem}.")


def _below(name: str) -> str:
    """Return a path as a name: what leads up or to the root is left out."""
    name = name.partition("://")[2].partition("::")[0] if is_address(name) else name
    return "/".join(part for part in name.replace("\\", "/").split("/") if part not in ("", ".", ".."))
