# SPDX-License-Identifier: BSD-3-Clause
"""What a batch works on: items, named by the files that they come from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

PARTS = ("model", "image", "scribbles", "scores", "truth")


@dataclass(frozen=True)
class Item:
    """One thing to solve: a model file, an image with strokes or scores, or scores alone.

    Parameters
    ----------
    name : str
        Names the results; different for every item.
    model : str, optional
        A file that ``hh.read`` reads.
    image, scribbles, scores : str, optional
        Pictures, and strokes on it (``hh.io.read_strokes``) or scores of its pixels (``hh.io.read_scores``).
    truth : str, optional
        The right labels (``hh.io.read_labels``), to measure lists with.
    """

    name: str
    model: str | None = None
    image: str | None = None
    scribbles: str | None = None
    scores: str | None = None
    truth: str | None = None

    def __post_init__(self) -> None:
        given = {part for part in PARTS[:4] if getattr(self, part)}
        if given not in ({"model"}, {"image", "scribbles"}, {"image", "scores"}, {"scores"}):
            got = " and ".join(part for part in PARTS if part in given) or "none of them"
            raise ValueError(f"an item must have a model, an image with scribbles or scores, or scores; got {got}.")
        if not _is_plain(self.name):
            raise ValueError(f"an item's name must be a path below a folder, without ..; got {self.name!r}.")

    @property
    def source(self) -> str:
        """The file that everything follows from."""
        return self.model or self.image or self.scores or ""


def _is_plain(name: str) -> bool:
    """Whether a name leads nowhere but down."""
    path = Path(name)
    return bool(name) and "\0" not in name and not path.is_absolute() and ".." not in path.parts and path.name != ""


def model_items(files: Iterable[str | PathLike[str]]) -> Sequence[Item]:
    """Return an item for each model file, named by its path below the folder that all have in common."""
    paths = sorted({os.path.abspath(file) for file in files})
    if not paths:
        raise ValueError(
            "a batch needs at least one model file (.uai, .wcsp, .npz, ...); got none. For images with strokes or "
            "scores, give a manifest: a .csv or .jsonl file with the columns image, scribbles, scores, truth."
        )
    root = os.path.commonpath([os.path.dirname(path) for path in paths])
    return [Item(Path(path).relative_to(root).as_posix(), model=path) for path in paths]
