# SPDX-License-Identifier: BSD-3-Clause
"""Dependency parses: every word has a head, and all hang from the root."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Floats, Labels, as_labelings, own
from hedgehop._errors import InfeasibleError
from hedgehop.models.linear import LinearModel


class Arborescence(LinearModel):
    """``r(y) = sum over words of arc_scores[word, head]``, to be maximised over parses without cycles.

    The convention of graph-based dependency parsers: the words of a sentence are 1..n and 0 is the root; a labeling
    gives every word its head, so entry i of a labeling is the head of word ``i + 1``. Following heads from any word
    must end at the root.

    Parameters
    ----------
    arc_scores : (n, n + 1) or (n, n + 1, R) array
        ``arc_scores[i, h]`` is what head h adds for word ``i + 1``; ``-inf`` forbids it. The score of a word as its own
        head is ignored. Scores with a row for the root, (n + 1, n + 1) or (n + 1, n + 1, R), dependents first, are
        taken without that row. With R relations, label ``head * R + relation`` names both.
    single_root : bool
        Whether exactly one word hangs from the root, as treebanks of Universal Dependencies demand.

    Examples
    --------
    >>> import hedgehop as hh
    >>> scores = [[9, 0, 8], [9, 7, 0]]  # both words like the root best
    >>> parse = hh.Arborescence(scores, single_root=True)
    >>> parse
    Arborescence(2 words, single root)
    >>> hh.best(hh.Arborescence(scores)).labeling.tolist(), hh.best(parse).labeling.tolist()
    ([0, 0], [2, 0])
    """

    n_relations: int
    single_root: bool

    _only_scores = True

    def __init__(self, arc_scores: ArrayLike, single_root: bool = False) -> None:
        arcs = _without_root(_arrays.scores(arc_scores, "arc_scores", ndim=(2, 3)))
        words, heads, relations = arcs.shape
        arcs = arcs.copy()
        arcs[np.arange(words), np.arange(1, words + 1)] = -np.inf
        counts: Labels = own(np.full(words, heads * relations, np.int32))
        self._set(unary=own(arcs.reshape(words, -1)), label_counts=counts, shape=(words,))
        self._set(n_relations=relations, single_root=_arrays.flag(single_root, "single_root"))
        self._refuse_infeasible()
        if _core.graphs.best_arborescence(best_arcs(self.unary, relations), self.single_root)[1] == -np.inf:
            raise InfeasibleError("no arborescence is allowed: too many arc_scores are -inf. Allow more arcs.")

    def split(self, labelings: ArrayLike) -> tuple[Labels, Labels]:
        """Return heads (0: the root) and relations of one labeling or of many."""
        flat, single = as_labelings(labelings, self.shape, self.label_counts)
        heads, relations = np.divmod(flat[0] if single else flat, np.int32(self.n_relations))
        return heads, relations

    def _allows(self, flat: Labels) -> NDArray[np.bool_]:
        return _core.graphs.are_arborescences(flat // np.int32(self.n_relations), self.single_root).astype(bool)

    def _known_loss(self) -> float:
        """How far the best parse is below the sum of the best scores of all words."""
        arcs = best_arcs(self.unary, self.n_relations)
        heads, _ = _core.graphs.best_arborescence(arcs, self.single_root)
        return float((arcs.max(axis=1) - arcs[np.arange(len(arcs)), heads]).sum())

    def _describe(self, variable: int) -> str:
        return f"word {variable + 1}"

    def __repr__(self) -> str:
        relations = f", {self.n_relations} relations" if self.n_relations > 1 else ""
        return f"Arborescence({self.n_variables} words{relations}{', single root' if self.single_root else ''})"


def best_arcs(unary: Floats, n_relations: int) -> Doubles:
    """Scores of the arcs with their best relations, (n, n + 1)."""
    arcs = unary.reshape(len(unary), -1, n_relations).max(axis=2)
    return np.ascontiguousarray(arcs, np.float64)


def _without_root(arcs: Floats) -> Floats:
    """Arc scores as (n, n + 1, R)."""
    rows, columns, *relations = arcs.shape
    if rows not in (columns, columns - 1) or columns < 2 or 0 in relations:
        raise ValueError(
            "arc_scores must have shape (n, n + 1), a row per word and a column per head with the root first, or "
            f"(n, n + 1, R); got {arcs.shape}."
        )
    words = arcs[1:] if rows == columns else arcs
    return words.reshape(columns - 1, columns, *(relations or [1]))
