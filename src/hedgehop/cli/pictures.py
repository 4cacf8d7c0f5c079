# SPDX-License-Identifier: BSD-3-Clause
"""Figures to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hedgehop.io.file_access import atomic_write

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure, completely or not at all; the suffix says the format."""
    kind = path.suffix.lower().removeprefix(".") or "png"
    if kind not in figure.canvas.get_supported_filetypes():
        raise ValueError(f"a picture's suffix must be .png, .pdf, .svg or .jpg; got {path.name!r}.")
    with atomic_write(path) as file:
        figure.savefig(file, format=kind)
