# SPDX-License-Identifier: BSD-3-Clause
"""What is going on, on stderr: stdout is for the answer."""

import sys

WIDTH = 30


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def count(done: int, total: int, what: str) -> None:
    """Draw a bar on a terminal; elsewhere only say when all is done."""
    full = WIDTH * done // total
    if sys.stderr.isatty():
        print(f"\r  [{'#' * full}{'.' * (WIDTH - full)}] {done}/{total} {what}", end="", file=sys.stderr, flush=True)
    if done == total:
        tell("" if sys.stderr.isatty() else f"  {done} {what}")
