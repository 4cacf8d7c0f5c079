# SPDX-License-Identifier: BSD-3-Clause
"""What every model offers, whatever its structure."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, Labels


@runtime_checkable
class Model(Protocol):
    """A frozen description of relevance ``r(y)``, to be maximised over labelings ``y``.

    A labeling gives each of ``n_variables`` variables a label ``0 .. label_counts[i] - 1``; it has the
    model's ``shape`` (an image for a grid). ``score`` is ``-inf`` for labelings the structure forbids.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> isinstance(hh.Grid(np.zeros((2, 3, 2))), hh.Model)
    True
    """

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        ...

    @property
    def label_counts(self) -> Labels:
        """Number of labels of each variable, (n,)."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one labeling."""
        ...

    def score(self, labelings: ArrayLike) -> float | Doubles:
        """Relevance of one labeling (a float) or of many (an array)."""
        ...
