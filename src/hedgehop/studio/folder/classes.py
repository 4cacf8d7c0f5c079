# SPDX-License-Identifier: BSD-3-Clause
"""Names and colours of classes from a file: one per line, ``cat #ff8800``, or JSON as in session files."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from hedgehop.studio.requests import MOST_LABELS, Label, class_labels, default_labels

_LARGEST_CLASS_FILE = 2**16
_LINE = re.compile(r"(?P<name>.*?)\s*(?P<color>#[0-9a-fA-F]{6})?$")


def read_classes(path: Path) -> tuple[Label, ...]:
    """Return the brushes of a file, the background first; it need not be in the file.

    Parameters
    ----------
    path : path
        Lines with a name and optionally a colour, or a JSON list of ``{"name": ..., "color": ...}``.
    """
    with path.open("rb") as file:
        data = file.read(_LARGEST_CLASS_FILE + 1)
    if len(data) > _LARGEST_CLASS_FILE:
        raise ValueError(f"{path} must have at most {_LARGEST_CLASS_FILE} bytes. Give one class per line.")
    try:
        text = data.decode("utf-8-sig").strip()
        if text.startswith("["):
            found = TypeAdapter(list[Label]).validate_json(text)
        else:
            found = _from_lines([line.strip() for line in text.splitlines() if line.strip()])
    except (UnicodeDecodeError, ValidationError):
        raise ValueError(
            f"{path} must name one class per line, with at most 60 letters, such as: cat #ff8800, or be a JSON list."
        ) from None
    if not found or found[0].name.lower() != "background":
        found = [default_labels()[0], *found]
    if not 2 <= len(found) <= MOST_LABELS:
        raise ValueError(f"{path} must name 1 to {MOST_LABELS - 1} classes of objects; got {len(found) - 1}.")
    return tuple(found)


def _from_lines(lines: list[str]) -> list[Label]:
    found = []
    for line, spare in zip(lines, class_labels(len(lines) + 1)[1:], strict=True):
        parts = _LINE.match(line)
        assert parts is not None  # it matches everything
        found.append(Label(name=parts["name"] or line, color=parts["color"] or spare.color))
    return found
