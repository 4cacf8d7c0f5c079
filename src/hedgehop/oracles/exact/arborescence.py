# SPDX-License-Identifier: BSD-3-Clause
"""Best parses: Chu-Liu and Edmonds in Tarjan's dense form (C++)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.structures.arborescence import Arborescence, best_arcs
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.potentials import Potential


class Edmonds(LinearOracle[Arborescence]):
    """Maximum arborescences in O(n^2), with a single root or several; the best relation of every arc first (C++).

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> arcs = np.array([[0.0, 5.0, 1.0], [0.0, 0.0, 4.0], [0.0, 6.0, 0.0]])
    >>> hh.best(hh.Arborescence(arcs), oracle=hh.oracles.Edmonds()).exact
    True
    """

    name = "arborescence"
    summary = "Chu-Liu-Edmonds on arborescences; exact, with linear potentials"
    structure = Arborescence

    def _argmax(self, model: Arborescence, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        heads, value = _core.graphs.best_arborescence(best_arcs(scores, model.n_relations), model.single_root)
        words = np.arange(heads.size)
        relations = scores.reshape(heads.size, -1, model.n_relations)[words, heads].argmax(axis=1)
        return heads * np.int32(model.n_relations) + relations.astype(np.int32), value
