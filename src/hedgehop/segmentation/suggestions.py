# SPDX-License-Identifier: BSD-3-Clause
"""Candidates at the size of the image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.lists.result import DiverseList
from hedgehop.metrics import accuracy, refuse_masks


@dataclass(frozen=True, eq=False, repr=False)
class Suggestions(DiverseList):
    """A list whose labelings have the size of the image; see :class:`hedgehop.DiverseList` for the rest.

    Attributes
    ----------
    parts : tuple of (str, float)
        What was done, and the seconds it took.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image, strokes = np.zeros((20, 20, 3)), np.zeros((20, 20), int)
    >>> image[5:15, 5:15], strokes[8:12, 8:12] = 1.0, 2
    >>> found = hh.Segmenter(image, n_segments=50).suggest(strokes, m=2)
    >>> found.masks.shape, bool(found.masks[0, 10, 10])
    ((2, 20, 20), True)
    """

    parts: tuple[tuple[str, float], ...] = ()

    @property
    def masks(self) -> NDArray[np.bool_]:
        """Where each candidate has an object, any label but the background: (m, H, W)."""
        return np.asarray(self.labelings != 0)

    def pixel_accuracy(self, truth: ArrayLike, ignore: int = 255) -> Doubles:
        """Share of right pixels of each candidate, (m,); pixels whose truth is `ignore` do not count."""
        refuse_masks(truth, ignore)
        return np.asarray(accuracy(self.labelings, truth, ignore))

    def report(self) -> str:
        """Everything that is known about the list, and the time of each part, as text."""
        times = ", ".join(f"{name} {spent:.3f} s" for name, spent in self.parts)
        return f"{super().report()}\ntime: {times}"


def at_image_size(found: DiverseList, enlarge: Callable[[Labels], Labels]) -> Suggestions:
    """Return a list of superpixel labelings as one of images; it can go on if the other can."""
    values: dict[str, Any] = {f.name: getattr(found, f.name) for f in fields(DiverseList)}
    further = found._more
    values["labelings"] = own(enlarge(found.labelings.reshape(len(found), -1)))
    if further is not None:
        values["_more"] = lambda k: at_image_size(further(k), enlarge)
    return Suggestions(**values)
