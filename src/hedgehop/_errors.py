# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions hedgehop raises beyond ValueError and TypeError."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hedgehop.lists.result import DiverseList


class InfeasibleError(ValueError):
    """No labeling is allowed: every one has a score of -inf."""


class UnsupportedError(ValueError):
    """An oracle was asked for something it cannot solve."""


class BoundError(RuntimeError):
    """A list scored above its own upper bound: a solver is wrong, and its results cannot be trusted."""


class MissingExtraError(ImportError):
    """An optional dependency is not installed."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; ``found`` holds the list so far (None before the first labeling)."""

    def __init__(self, found: DiverseList | None) -> None:
        super().__init__()
        self.found = found

    def __reduce__(self) -> tuple[type[Interrupted], tuple[DiverseList | None]]:
        return type(self), (self.found,)  # from a process of a pool


def said(error: BaseException) -> str:
    """Return the text of an error without its full stop, for use within another message."""
    return str(error).rstrip(". ")


def need(module: str, extra: str, what: str) -> ModuleType:
    """Import an optional module, or say which extra installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(f"{what} needs {package}: pip install 'hedgehop[{extra}]'") from error
