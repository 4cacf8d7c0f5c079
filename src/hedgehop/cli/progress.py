# SPDX-License-Identifier: BSD-3-Clause
"""A bar on stderr while labelings are found: on a terminal only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hedgehop.cli.speech import Speech


@contextmanager
def progress_bar(out: Speech, what: str, total: int) -> Iterator[Callable[[object], None]]:
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
