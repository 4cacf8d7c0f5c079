# SPDX-License-Identifier: BSD-3-Clause
"""What a batch works on: items, named by the files that they come from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from hedgehop.io.images import IMAGE_SUFFIXES
from hedgehop.io.models import is_model_file

PARTS = ("model", "image", "scribbles", "scores", "truth")


@dataclass(frozen=True)
class Item:
    """One thing to solve: a model file, an image with strokes or scores, or scores alone.

    Parameters
    ----------
    name : str
        Name of the results; must be unique.
    model : str, optional
        A file that ``hh.read`` reads.
    image, scribbles, scores : str, optional
        An image, and strokes on it (``hh.io.read_strokes``) or scores of its pixels (``hh.io.read_scores``).
    truth : str, optional
        The true labels (``hh.io.read_labels``), for the metrics.
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


def is_item(file: Path, beside: Mapping[str, str]) -> bool:
    """Whether a file of a folder is meant: a model or, with patterns, an image whose strokes or scores are there."""
    needed = _needed(beside)
    if not needed:
        return is_model_file(file)
    return file.suffix.lower() in IMAGE_SUFFIXES and all(Path(_beside(file, beside[part])).is_file() for part in needed)


def file_items(files: Iterable[str | PathLike[str]], beside: Mapping[str, str]) -> Sequence[Item]:
    """Return an item for each file, named by its path below the folder that all have in common.

    Files are models, or images if there are patterns `beside` for their scribbles or scores, seen from the folder of
    each; ``{stem}`` is its name without the suffix. A truth may be missing.
    """
    paths = sorted({os.path.abspath(file) for file in files})
    if not paths:
        raise ValueError(
            "a batch needs at least one model file (.uai, .wcsp, .npz, ...), or an image whose scribbles or scores "
            'are where the recipe says, such as scribbles = "{stem}_strokes.png"; got none. A manifest also works.'
        )
    root = os.path.commonpath([os.path.dirname(path) for path in paths])
    return [_item(Path(path), root, beside) for path in paths]


def _item(file: Path, root: str, beside: Mapping[str, str]) -> Item:
    others = {part: _beside(file, pattern) for part, pattern in beside.items()}
    if not Path(others.get("truth", "")).is_file():
        others.pop("truth", None)
    kind = "image" if _needed(beside) else "model"
    return Item(file.relative_to(root).as_posix(), **{kind: str(file)}, **others)


def _beside(file: Path, pattern: str) -> str:
    return os.path.abspath(file.parent / pattern.replace("{stem}", file.stem))


def _needed(beside: Mapping[str, str]) -> list[str]:
    """What images need beside them; files that need nothing are models."""
    return [part for part in ("scribbles", "scores") if part in beside]
