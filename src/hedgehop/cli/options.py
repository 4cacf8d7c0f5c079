# SPDX-License-Identifier: BSD-3-Clause
"""Options that commands share: how they are read, checked, and completed when Tab is pressed."""

from __future__ import annotations

import errno
from collections.abc import Callable
from os import W_OK as WRITABLE
from os import PathLike, access
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from hedgehop.oracles import available
from hedgehop.specifications import EXAMPLES

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Value = TypeVar("Value")


def parse_option(name: str, read: Callable[[str], Value], text: str) -> Value:
    """Read an option's words; what cannot be read is wrong use, exit code 2."""
    try:
        return read(text)
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(str(error), param_hint=f"'{name}'") from None


def check_writable(path: str | PathLike[str] | None) -> None:
    """Refuse to begin long work whose result cannot be written."""
    if path is None:
        return
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", str(folder))
    if Path(path).is_dir() or not access(folder, WRITABLE):
        raise PermissionError(errno.EACCES, "cannot be written", str(path))


def complete_oracle(incomplete: str) -> list[str]:
    """Names of oracles that begin so."""
    return [name for name in ("auto", *available()) if name.startswith(incomplete)]


def complete_diversity(incomplete: str) -> list[str]:
    """Complete a diversity; in a sum, its last term."""
    done, plus, term = incomplete.rpartition("+")
    return [f"{done}{plus}{example}" for example in EXAMPLES if example.startswith(term)]
