# SPDX-License-Identifier: BSD-3-Clause
"""What commands print: words on a terminal, one JSON object for machines, sentences instead of tracebacks."""

from __future__ import annotations

import errno
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from hedgehop._errors import BoundError, MissingExtraError
from hedgehop.io.file_access import atomic_write
from hedgehop.lists.result import DiverseList

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_USERS_CAN_MEND = (ValueError, TypeError, OSError, MissingExtraError, BoundError, MemoryError)


class Output:
    """What one command says: words and notes as they come or, as JSON, all of it at the end."""

    def __init__(self, as_json: bool, quiet: bool) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.fields: dict[str, Any] = {}
        self.stdout_is_taken = False  # by a file: words then go to stderr

    @property
    def on_terminal(self) -> bool:
        """Whether to draw progress: stderr is a terminal."""
        return not self.quiet and sys.stderr.isatty()

    def say(self, text: str, /, **fields: Any) -> None:
        """Print a result on stdout, or add it to the JSON object."""
        self.fields |= fields
        if not (self.as_json or self.quiet):
            print(text, file=sys.stderr if self.stdout_is_taken else sys.stdout, flush=True)

    def note(self, text: str) -> None:
        """Tell something about the run on stderr; in JSON it is one of the ``notes``."""
        if self.as_json:
            self.fields.setdefault("notes", []).append(text)
        elif not self.quiet:
            print(f"note: {text}", file=sys.stderr, flush=True)

    def fail(self, text: str) -> None:
        """Tell what went wrong: on stderr, and in JSON as ``error``."""
        self.fields["error"] = text
        print(f"error: {text}", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """Print the JSON object, if that is wanted."""
        if self.as_json:
            print(json.dumps(plain(self.fields), allow_nan=False), flush=True)


@contextmanager
def command_output(as_json: bool, quiet: bool) -> Iterator[Output]:
    """Run a command's body: warnings become notes, user errors become a message and exit code 1."""
    out, failed = Output(as_json, quiet), False
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
        except _USERS_CAN_MEND as error:
            if getattr(error, "errno", None) == errno.EPIPE:  # the reader has closed the pipe
                raise
            failed = True
            out.fail(sentence(error))
    try:
        out.finish()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        failed = True
        out.fail(sentence(error))
    if failed:
        raise typer.Exit(1)


@contextmanager
def progress_bar(out: Output, what: str, total: int) -> Iterator[Callable[[object], None]]:
    """Yield a function to call with each part done; it draws nothing in a pipe or when quiet."""
    if not out.on_terminal:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda _: bar.advance(task)


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure, completely or not at all; the suffix says the format."""
    kind = path.suffix.lower().removeprefix(".") or "png"
    if kind not in figure.canvas.get_supported_filetypes():
        raise ValueError(f"a picture's suffix must be .png, .pdf, .svg or .jpg; got {path.name!r}.")
    with atomic_write(path) as file:
        figure.savefig(file, format=kind)


def sentence(error: BaseException) -> str:
    """Return the message of an error, without names of Python types."""
    if isinstance(error, MemoryError):
        return f"there is not enough memory. {error}".strip()
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return str(error)


def fields_of(found: DiverseList) -> dict[str, Any]:
    """Everything about a list but its labelings, for JSON."""
    how = ("model", "diversity", "tradeoff", "method")
    proven = ("distinct", "objective", "upper_bound", "guarantee", "ratio")
    steps = ("relevance", "gains", "bounds", "exact", "seconds", "oracles", "sources")
    sure = ("probabilities", "none_of_these") if found.is_weighed else ()
    fields = {name: getattr(found, name) for name in (*how, *proven, *steps, *sure)}
    if found.is_weighed:
        fields |= {"mean_sure": found.sure.mean(), "mean_entropy": found.entropy.mean()}
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
