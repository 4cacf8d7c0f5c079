# SPDX-License-Identifier: BSD-3-Clause
"""What a studio allows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from hedgehop.studio.requests import Label

MEGABYTE = 2**20


@dataclass(frozen=True)
class Settings:
    """Limits of a studio, and who may connect to it.

    Attributes
    ----------
    host : str
        The address it listens on, which is also a name it answers to.
    token : str or None
        What a visitor must know; None only where the server listens to this machine alone.
    images : tuple of paths
        The images that were given on the command line; no other file is ever read.
    scores : path or None
        Scores of the only image.
    may_save : bool
        Whether masks and what was made of images may be written next to them.
    labels : tuple of Label
        The brushes of a new image; empty for Background and Object.
    most_sessions, most_bytes : int
        Beyond these the session that was longest idle is closed.
    most_pixels, most_upload, most_scores : int
        Of one image; bytes of its file, and of a file of scores.
    solvers : int
        How many sessions solve at once.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    images: tuple[Path, ...] = ()
    scores: Path | None = None
    may_save: bool = True
    labels: tuple[Label, ...] = ()
    most_sessions: int = 64
    most_bytes: int = 2048 * MEGABYTE
    most_pixels: int = 25_000_000
    most_upload: int = 64 * MEGABYTE
    most_scores: int = 256 * MEGABYTE
    solvers: int = max(1, os.cpu_count() or 1)
