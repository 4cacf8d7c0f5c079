# SPDX-License-Identifier: BSD-3-Clause
"""The files of a batch: those given, and those of folders, patterns and addresses; never results of batches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from glob import glob
from pathlib import Path

from hedgehop.batch.items import is_item
from hedgehop.batch.stores import find_addresses, is_address

_RECIPE, _OUTCOMES = "recipe.json", ("outcomes.jsonl", "outcomes.*-of-*.jsonl")  # files of a folder with results
_OUTCOMES_FOLDER = "outcomes"  # in stores that cannot append


def find_files(sources: Iterable[str], beside: Mapping[str, str], target: str) -> list[str]:
    """Return all files that are given or found: models, or images with the files that they need `beside` them.

    Folders that contain results of a batch, of any of its shards, and the `target` of this one are left out.
    """
    found: list[str] = []
    for source in sources:
        if is_address(source):
            found += _at_address(source, beside, target)
            continue
        here = Path(source)
        paths = [here] if os.path.lexists(here) else [Path(path) for path in sorted(glob(source, recursive=True))]
        if not paths:
            raise ValueError(f"no file or folder matches {source!r}.")
        for path in paths:
            found += _in_folder(path, beside, target) if path.is_dir() else [str(path)]
    return found


def _in_folder(folder: Path, beside: Mapping[str, str], target: str) -> list[str]:
    found = []
    for where, folders, files in os.walk(folder):
        here = Path(where)
        if _is_of_a_batch(files) or here.absolute() == Path(target).absolute():
            folders.clear()
            continue
        found += [str(here / name) for name in files if is_item(here / name, beside)]
    return sorted(found)


def _is_of_a_batch(files: Sequence[str]) -> bool:
    """Whether the files of a folder are those of results: a recipe, and outcomes of all items or of some shards."""
    return _RECIPE in files and any(fnmatch(name, pattern) for name in files for pattern in _OUTCOMES)


def _at_address(source: str, beside: Mapping[str, str], target: str) -> list[str]:
    files = find_addresses(source)
    inside: dict[str, list[str]] = {}
    for file in files:
        folder, _, name = file.partition("::")[0].rpartition("/")
        inside.setdefault(folder, []).append(name)
    of_batches = [
        f"{folder}/"
        for folder, names in inside.items()
        if _is_of_a_batch(names) or (_RECIPE in names and f"{folder}/{_OUTCOMES_FOLDER}" in inside)
    ]
    results, known = (*of_batches, f"{target.rstrip('/')}/"), frozenset(files)
    return [file for file in files if not file.startswith(results) and is_item(file, beside, known)]
