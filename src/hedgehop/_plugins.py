# SPDX-License-Identifier: BSD-3-Clause
"""What other packages add, found by their entry points."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

GROUPS = ("models", "potentials", "diversities", "oracles", "formats", "commands")


def plugins(group: str) -> dict[str, Any]:
    """Return what installed packages add, by name: classes, functions or modules.

    A package declares them as entry points of the group ``hedgehop.models``, ``hedgehop.diversities`` and so on;
    ``examples/plugin`` is a package with one of each kind. A plug-in that cannot be loaded is left out, with a warning.

    Parameters
    ----------
    group : str
        "models", "potentials", "diversities", "oracles", "formats" or "commands".

    Examples
    --------
    >>> import hedgehop as hh
    >>> sorted(hh.plugins("models"))
    []
    """
    if group not in GROUPS:
        raise ValueError(f"group must be one of {', '.join(GROUPS)}; got {group!r}.")
    return dict(_installed(group))


@cache
def _installed(group: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in entry_points(group=f"hedgehop.{group}"):
        try:
            found.setdefault(entry.name, entry.load())
        except Exception as error:  # somebody else's package must not break this one
            warnings.warn(f"{_named(entry)} cannot be loaded: {error!r}. Update or remove it.", stacklevel=3)
    return found


def _named(entry: EntryPoint) -> str:
    package = f" of {entry.dist.name}" if entry.dist is not None else ""
    return f"the plug-in {entry.name!r} ({entry.group}){package}"
