# SPDX-License-Identifier: BSD-3-Clause
"""What is printed on stderr while people wait: lines, and a bar for work whose end can be foreseen."""

from __future__ import annotations

import sys

_BAR_WIDTH = 40


def draw_bar(share: float, text: str) -> None:
    """Draw a bar filled to a share between 0 and 1, over the last one; a full one stays."""
    filled = min(_BAR_WIDTH, int(_BAR_WIDTH * share))
    end = "\n" if share >= 1.0 else "\r"
    print(f"[{'#' * filled:<{_BAR_WIDTH}}] {text}", end=end, file=sys.stderr, flush=True)


def tell(text: str, done: bool = False) -> None:
    """Write a line over the last one; it stays if all is done, or if nobody watches."""
    print(f"{text:<78}", end="\n" if done or not sys.stderr.isatty() else "\r", file=sys.stderr, flush=True)
