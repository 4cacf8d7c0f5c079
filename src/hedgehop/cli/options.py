# SPDX-License-Identifier: BSD-3-Clause
"""Options and files that commands share: "-" is stdin or stdout, and no file is replaced without asking."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import W_OK as WRITABLE
from os import access
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Annotated, TypeVar

import typer

from hedgehop.cli.output import Output
from hedgehop.oracles import available
from hedgehop.specifications import EXAMPLES

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Also print all bounds and how they are proven.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace output files that exist, without asking.")]
Value = TypeVar("Value")
STANDARD = Path("-")


def parse_option(name: str, read: Callable[[str], Value], text: str) -> Value:
    """Read an option's words; what cannot be read is wrong use, exit code 2."""
    try:
        return read(text)
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(str(error), param_hint=f"'{name}'") from None


def complete_oracle(incomplete: str) -> list[str]:
    """Names of oracles that begin so."""
    return [name for name in ("auto", *available()) if name.startswith(incomplete)]


def complete_diversity(incomplete: str) -> list[str]:
    """Complete a diversity; in a sum, its last term."""
    done, plus, term = incomplete.rpartition("+")
    return [f"{done}{plus}{example}" for example in EXAMPLES if example.startswith(term)]


def must_exist(source: Path) -> Path:
    """Refuse what is no file as wrong use, exit code 2; "-" is stdin."""
    if source == STANDARD or source.is_file():
        return source
    if not source.exists():
        raise typer.BadParameter(f"file {str(source)!r} does not exist.")
    what = "a folder" if source.is_dir() else "a pipe or a device"
    raise typer.BadParameter(
        f"{str(source)!r} is {what}. Give a file, or - for stdin where the command reads one file."
    )


def check_targets(
    out: Output, targets: Path | Iterable[Path] | None, force: bool, sources: Iterable[Path | None] = ()
) -> None:
    """Refuse to begin work whose result cannot be written, or would replace a file without permission.

    Files that exist are replaced with --force, or if a person at a terminal agrees; sources never are.
    """
    paths = [] if targets is None else [targets] if isinstance(targets, Path) else list(targets)
    for path in paths:
        if path == STANDARD:
            _take_stdout(out)
        else:
            _check_place(path)
    there = [path for path in paths if path != STANDARD and path.exists()]
    for source in sources:
        if source is not None and source.exists() and any(path.samefile(source) for path in there):
            raise ValueError(f"{source} is read by this command and must not be replaced. Write to another file.")
    if there and not force:
        _ask(out, there)


def name_of(target: Path) -> str:
    """What to call a file that was written."""
    return "stdout" if target == STANDARD else str(target)


def _take_stdout(out: Output) -> None:
    if out.as_json:
        raise ValueError("both --json and '-' need stdout. Write to a file, or leave out --json.")
    out.stdout_is_taken = True


def _check_place(path: Path) -> None:
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", str(folder))
    if path.is_dir() or not access(folder, WRITABLE):
        raise PermissionError(errno.EACCES, "cannot be written", str(path))


def _ask(out: Output, there: list[Path]) -> None:
    """Ask a person at a terminal; a script must have said it before."""
    one = len(there) == 1
    what = f"{there[0]} already exists" if one else f"{there[0]} and {len(there) - 1} more files already exist"
    them = "it" if one else "them"
    if not _is_at_terminal(out):
        raise ValueError(f"{what}. Pass --force to replace {them}.")
    if not typer.confirm(f"{what}. Replace {them}?", err=True):
        out.fail("nothing was written.")
        raise typer.Exit(1)


def _is_at_terminal(out: Output) -> bool:
    return out.on_terminal and not out.as_json and sys.stdin.isatty()


@contextmanager
def readable(source: Path, kind: str | None) -> Iterator[Path]:
    """Yield a file to read: the source itself or, for "-", a copy of stdin with a suffix that says its kind."""
    if source != STANDARD:
        yield source
        return
    if kind is None:
        raise ValueError("the format of stdin is not known. Give it with --from, such as --from uai.")
    with TemporaryDirectory() as folder:
        copy = Path(folder) / f"stdin.{kind.removeprefix('.')}"
        with copy.open("wb") as file:
            copyfileobj(sys.stdin.buffer, file)
        try:
            yield copy
        except ValueError as error:
            error.args = tuple(str(part).replace(str(copy), "stdin") for part in error.args)
            raise


@contextmanager
def writable(target: Path, kind: str) -> Iterator[Path]:
    """Yield a file to write: the target itself or, for "-", one of this kind that goes to stdout."""
    if target != STANDARD:
        yield target
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / f"stdout.{kind.removeprefix('.')}"
        yield copy
        sys.stdout.flush()
        with copy.open("rb") as file:
            copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()
