# SPDX-License-Identifier: BSD-3-Clause
"""Models whose relevance is a plain sum, over labelings that fit together."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.models.unary import UnaryModel


class LinearModel(UnaryModel):
    """``r(y) = sum_i U[i, y_i]`` if a structure allows y, otherwise ``-inf``, to be maximised.

    Examples
    --------
    >>> import hedgehop as hh
    >>> pairs = hh.Matching([[3.0, 2.0], [2.0, 0.0]])
    >>> isinstance(pairs, hh.models.LinearModel), pairs.score([[1, 0], [0, 0]])
    (True, array([  4., -inf]))
    """

    @abstractmethod
    def _allows(self, flat: Labels) -> NDArray[np.bool_]:
        """Whether the labels of each of (m, n) labelings fit together."""

    def _joint_score(self, flat: Labels) -> Doubles:
        return np.where(self._allows(flat), 0.0, -np.inf)

    def _joint_floor(self) -> float:
        return 0.0
