# SPDX-License-Identifier: BSD-3-Clause
"""What a batch works on: items, named by the files that they come from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from hedgehop.batch.stores import is_address
from hedgehop.io.images import IMAGE_SUFFIXES
from hedgehop.io.models import is_model_file

ITEM_PARTS = ("model", "image", "scribbles", "scores", "truth")
_LONGEST_PART = 200  # bytes of a folder's or file's name; systems allow 255


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
        given = {part for part in ITEM_PARTS[:4] if getattr(self, part)}
        if given not in ({"model"}, {"image", "scribbles"}, {"image", "scores"}, {"scores"}):
            got = " and ".join(part for part in ITEM_PARTS if part in given) or "none of them"
            raise ValueError(f"an item must have a model, an image with scribbles or scores, or scores; got {got}.")
        if not _is_plain(self.name):
            raise ValueError(f"an item's name must be a path below a folder, without ..; got {self.name!r}.")

    @property
    def source(self) -> str:
        """The main file of the item."""
        return self.model or self.image or self.scores or ""

    @property
    def files(self) -> dict[str, str]:
        """Everything that is read for the item, by part."""
        return {part: path for part in ITEM_PARTS if (path := getattr(self, part))}

    @property
    def file_name(self) -> str:
        """Name of the results as a path without suffix, different for different items, and short enough for a disk."""
        *folders, last = Path(self.name).parts
        return "/".join([*(_folder_name(part) for part in folders), _short(last)])


def _folder_name(part: str) -> str:
    """Return a folder's name that is not one of a list's file: an underscore more after .npz and the like."""
    bare = part.rstrip("_")
    return _short(part + "_" if bare.endswith((".npz", ".zarr")) else part)


def _short(part: str) -> str:
    encoded = os.fsencode(part)
    if len(encoded) <= _LONGEST_PART:
        return part
    return f"{os.fsdecode(encoded[: _LONGEST_PART - 40])}~{hashlib.sha256(encoded).hexdigest()[:32]}"


def _is_plain(name: str) -> bool:
    """Whether a name leads nowhere but down."""
    path = Path(name)
    return bool(name) and "\0" not in name and not path.is_absolute() and ".." not in path.parts and path.name != ""


@dataclass(frozen=True)
class Shard:
    """One of several parts of a batch, about equal, chosen by names: each process of a job array does one."""

    number: int
    count: int

    @staticmethod
    def parse(text: str) -> Shard:
        """Read ``i/n``."""
        first, _, second = text.partition("/")
        if not (first.isdecimal() and second.isdecimal() and int(first) < int(second)):
            raise ValueError(f"a shard must be i/n with i = 0..n-1, such as 0/8; got {text!r}.")
        return Shard(int(first), int(second))

    def __contains__(self, item: Item) -> bool:
        name = item.name.encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little") % self.count == self.number

    def __str__(self) -> str:
        return f"{self.number}-of-{self.count}"


def is_item(file: str | PathLike[str], beside: Mapping[str, str], known: Collection[str] = ()) -> bool:
    """Whether a file of a folder is an item: a model or, with patterns, an image whose strokes or scores exist.

    At an address, `known` are the files that are there.
    """
    needed, remote = _needed(beside), is_address(file)
    path = Path(str(file).partition("::")[0] if remote else file)
    if not remote and not path.is_file():  # no pipes, no folders
        return False
    if not needed:
        return is_model_file(path)
    others = [_beside(file, beside[part]) for part in needed]
    present = [other in known if remote else Path(other).is_file() for other in others]
    return path.suffix.lower() in IMAGE_SUFFIXES and all(present)


def file_items(files: Iterable[str | PathLike[str]], beside: Mapping[str, str]) -> Sequence[Item]:
    """Return an item for each file, named by its path below the folder that all have in common.

    Files are models, or images if there are patterns `beside` for their scribbles or scores, seen from the folder of
    each; ``{stem}`` is its name without the suffix. A truth may be missing.
    """
    paths = sorted({str(file) if is_address(file) else os.path.abspath(file) for file in files})
    if not paths:
        raise ValueError(
            "a batch needs at least one model file (.uai, .wcsp, .npz, ...), or an image whose scribbles or scores "
            'are where the recipe says, such as scribbles = "{stem}_strokes.png"; got none. A manifest also works.'
        )
    places = [path.partition("://")[2].partition("::")[0] if is_address(path) else path for path in paths]
    if any(map(is_address, paths)):
        places = [place.lstrip("/") for place in places]  # some addresses have a slash there, others have none
    root = os.path.commonpath([os.path.dirname(place) for place in places])
    names = [Path(os.path.relpath(place, root)).as_posix() for place in places]
    _refuse_same_names(names, paths)
    return [_item(path, name, beside) for path, name in zip(paths, names, strict=True)]


def _refuse_same_names(names: Sequence[str], paths: Sequence[str]) -> None:
    """Refuse files of several archives or stores that have one path there: they would have one result."""
    seen: dict[str, str] = {}
    for name, path in zip(names, paths, strict=True):
        if seen.setdefault(name, path) != path:
            raise ValueError(
                f"{seen[name]} and {path} have the same name, {name!r}. Use a folder of results for each, or a "
                "manifest with a column name."
            )


def _item(file: str, name: str, beside: Mapping[str, str]) -> Item:
    others = {part: _beside(file, pattern) for part, pattern in beside.items()}
    truth = others.get("truth", "")
    if not (is_address(truth) or Path(truth).is_file()):
        others.pop("truth", None)
    kind = "image" if _needed(beside) else "model"
    return Item(name, **{kind: file}, **others)


def _beside(file: str | PathLike[str], pattern: str) -> str:
    if not is_address(file):
        return os.path.abspath(Path(file).parent / pattern.replace("{stem}", Path(file).stem))
    name, *archive = str(file).split("::", 1)  # zip://a/b.png::all.zip
    return "::".join([f"{name.rpartition('/')[0]}/{pattern.replace('{stem}', Path(name).stem)}", *archive])


def _needed(beside: Mapping[str, str]) -> list[str]:
    """What images need beside them; files that need nothing are models."""
    return [part for part in ("scribbles", "scores") if part in beside]
