# SPDX-License-Identifier: BSD-3-Clause
"""Linear functions above and below a potential: what the relaxation asks of one that is no function of counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels


@dataclass(frozen=True, eq=False)
class Lines:
    """Sums of scores of single labels, (n, L), that are nowhere below a potential, or nowhere above it.

    Attributes
    ----------
    above : function of an (n, L) mask
        Scores, and a constant to add, that are at least the potential wherever all labels are among those of the mask.
    below : function of a labeling
        Scores that are, with some constant, at most the potential everywhere, and equal to it at the labeling.
    candidates : (k, n) labels
        Labelings to begin with, if some are known to be good.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> gain = hh.potentials.AgreementGains(np.array([[0, 1]], np.int32), best=np.array([0.5]), weights=np.ones(2))
    >>> lines = gain.lines(hh.FactorGraph(np.zeros((2, 2))))
    >>> scores, constant = lines.above(np.ones((2, 2), bool))
    >>> float(scores[0, 0] + scores[1, 1] + constant)  # the gain itself, where both labels agree
    0.5
    """

    above: Callable[[NDArray[np.bool_]], tuple[Doubles, float]]
    below: Callable[[Labels], Doubles]
    candidates: Labels = field(default_factory=lambda: np.zeros((0, 0), np.int32))
