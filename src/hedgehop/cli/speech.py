# SPDX-License-Identifier: BSD-3-Clause
"""How commands talk: words on a terminal, one JSON object for machines, sentences instead of tracebacks."""

from __future__ import annotations

import errno
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from math import isfinite
from os import W_OK as WRITABLE
from os import PathLike, access
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
import typer

from hedgehop._errors import BoundError, MissingExtraError
from hedgehop.lists.result import DiverseList

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of words.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Value = TypeVar("Value")

_FAILURES = (ValueError, TypeError, OSError, MissingExtraError, BoundError, MemoryError)


class Speech:
    """What one command says: words and notes as they come or, as JSON, all of it at the end."""

    def __init__(self, as_json: bool, quiet: bool) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.fields: dict[str, Any] = {}

    @property
    def on_terminal(self) -> bool:
        """Whether somebody watches: progress is drawn then."""
        return not self.quiet and sys.stderr.isatty()

    def say(self, text: str) -> None:
        """Print an answer in words on stdout."""
        if not (self.as_json or self.quiet):
            print(text, flush=True)

    def note(self, text: str) -> None:
        """Tell something about the run on stderr; in JSON it is one of the ``notes``."""
        if self.as_json:
            self.fields.setdefault("notes", []).append(text)
        elif not self.quiet:
            print(f"note: {text}", file=sys.stderr, flush=True)

    def answer(self, **fields: Any) -> None:
        """Add to the JSON object."""
        self.fields |= fields

    def fail(self, text: str) -> None:
        """Tell what went wrong: on stderr, and in JSON as ``error``."""
        self.fields["error"] = text
        print(f"error: {text}", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """Print the JSON object, if that is wanted."""
        if self.as_json:
            print(json.dumps(plain(self.fields), allow_nan=False), flush=True)


@contextmanager
def speech(as_json: bool, quiet: bool) -> Iterator[Speech]:
    """Run a command's body: warnings become notes, what users can mend becomes a sentence and exit code 1."""
    out, failed = Speech(as_json, quiet), False
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_args, **_more: out.note(str(message))
        warnings.simplefilter("always", UserWarning)
        try:
            yield out
        except typer.Exit as error:
            failed = error.exit_code != 0
        except KeyboardInterrupt:
            failed = True
            out.fail("interrupted.")
        except _FAILURES as error:
            if getattr(error, "errno", None) == errno.EPIPE:  # the reader has gone: nobody to talk to
                raise
            failed = True
            out.fail(sentence(error))
    out.finish()
    if failed:
        raise typer.Exit(1)


def sentence(error: BaseException) -> str:
    """Return what an error says, without a word of Python."""
    if isinstance(error, MemoryError):
        return f"there is not enough memory. {error}".strip()
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return str(error)


def option(name: str, read: Callable[[str], Value], text: str) -> Value:
    """Read an option's words; what cannot be read is wrong use, exit code 2."""
    try:
        return read(text)
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(str(error), param_hint=f"'{name}'") from None


def check_target(path: str | PathLike[str] | None) -> None:
    """Refuse to begin long work whose result cannot be written."""
    if path is None:
        return
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(folder))
    if Path(path).is_dir() or not access(folder, WRITABLE):
        raise PermissionError(errno.EACCES, "cannot be written", str(path))


def fields_of(found: DiverseList) -> dict[str, Any]:
    """Everything about a list but its labelings, for JSON."""
    how = ("model", "diversity", "tradeoff", "method")
    proven = ("distinct", "objective", "upper_bound", "guarantee", "ratio")
    steps = ("relevance", "gains", "bounds", "exact", "seconds", "oracles", "sources")
    fields = {name: getattr(found, name) for name in (*how, *proven, *steps)}
    return {"m": len(found), "shape": found.labelings.shape[1:]} | fields | {"certificate": asdict(found.certificate)}


def plain(value: Any) -> Any:
    """Return what JSON can hold: arrays as lists, numbers that are not finite as null."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
