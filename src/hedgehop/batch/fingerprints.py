# SPDX-License-Identifier: BSD-3-Clause
"""Whether an item's files are those that were read: by size and time and, if these differ, by their bytes."""

from __future__ import annotations

import hashlib
from typing import Any

from hedgehop.batch.items import Item
from hedgehop.batch.stores import is_address, stamp
from hedgehop.io.formats.uai import evidence_names

_BLOCK = 2**20


def digest(path: str) -> str:
    """Return a number that any two different files differ in."""
    seen = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            seen.update(block)
    return seen.hexdigest()


def files_read(item: Item) -> dict[str, str]:
    """Return an item's files, by part, and the evidence beside its model if there is any."""
    path = item.model or ""
    name, mark, archive = path.partition("::") if is_address(path) else (path, "", "")
    beside = (f"{evidence}{mark}{archive}" for evidence in evidence_names(name))
    found = next((each for each in beside if stamp(each) is not None), None)
    return item.files | ({} if found is None else {"evidence": found})


def stamps(item: Item) -> dict[str, list[Any]]:
    """Return what is known of an item's files without reading them."""
    return {part: [stamp(path), ""] for part, path in files_read(item).items()}


def is_changed(item: Item, known: dict[str, list[Any]] | None) -> bool:
    """Whether an item has other files than those known, or other bytes in them; unknown ones count as unchanged."""
    if known is None:
        return False
    files = files_read(item)
    return files.keys() != known.keys() or any(_differs(files[part], known[part]) for part in files)


def _differs(path: str, known: list[Any]) -> bool:
    now = stamp(path)
    if bool(now == known[0]):
        return False
    if now is None or is_address(path):
        return True
    try:
        return digest(path) != str(known[1])
    except OSError:
        return True
