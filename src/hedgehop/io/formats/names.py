# SPDX-License-Identifier: BSD-3-Clause
"""What a file calls its variables and their labels."""

from __future__ import annotations

from dataclasses import dataclass

from hedgehop._arrays import Labels


@dataclass(frozen=True)
class Names:
    """Names of the variables, and of each variable's labels; an empty tuple if labels have no names."""

    variables: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    def words(self, labeling: Labels) -> list[str]:
        """Return a labeling in words; labels without a name keep their number."""
        numbers = labeling.ravel().tolist()
        return [own[label] if own else str(label) for own, label in zip(self.labels, numbers, strict=True)]


def plain_words(labeling: Labels, names: Names | None) -> list[str]:
    """Return a labeling in words, or in numbers if nothing has a name."""
    return list(map(str, labeling.ravel().tolist())) if names is None else names.words(labeling)
