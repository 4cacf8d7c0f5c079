# SPDX-License-Identifier: BSD-3-Clause
"""Counts that moves understand: labels from a number of variables on, regions taken whole, pairs on some edge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.potentials import Potential
from hedgehop.potentials.count_functions import Threshold
from hedgehop.potentials.counts import CountFunction, Indices, PairClasses, threshold


class MoveWeights:
    """The weights of a step's potentials, as the kernel of moves takes them.

    Attributes
    ----------
    counts : list of CountFunction
        What the potentials are made of.
    sized : list of CountFunction
        Those that ask for more than one variable of a label.
    """

    def __init__(self, model: PairwiseModel, potentials: Sequence[Potential]) -> None:
        self.model = model
        self.counts = [c for p in potentials for c in p.counts(model) or ()]
        self.sized: list[CountFunction] = []
        self.labels: dict[int, Doubles] = {}  # by the least count at which they are earned
        self.pairs: dict[bool, Doubles] = {}  # by whether pairs are ordered
        self.has_equal = False  # whether pairs of equal labels have weights, which the kernel does not know
        self.regions: dict[tuple[bytes, int], tuple[Indices, Doubles]] = {}  # by members and slack
        n_labels = model.n_labels
        for count in self.counts:
            rises = threshold(count)
            if isinstance(count.codes, PairClasses):
                table = self.pairs.setdefault(count.codes.ordered, np.zeros((n_labels, n_labels)))
                for a, b in count.codes.pairs(count.code):
                    table[a, b] += rises.weight
                    if a == b:  # mostly the same: neighbours use the label. Labelings are valued truly
                        self.labels.setdefault(1, np.zeros(n_labels))[a] += rises.weight
                        self.has_equal = True
            elif _is_whole(model, count, rises):
                key = (count.members.tobytes(), int(rises.width))
                _, weights = self.regions.setdefault(key, (count.members, np.zeros(n_labels)))
                weights[count.code] += rises.weight
            else:
                self.labels.setdefault(int(rises.start) + 1, np.zeros(n_labels))[count.code] += rises.weight
                self.sized += [count] if rises.start > 0 else []

    @property
    def size(self) -> int:
        """How many weights there are."""
        tables = (*self.labels.values(), *self.pairs.values(), *(mu for _, mu in self.regions.values()))
        return sum(table.size for table in tables)

    @property
    def label_costs(self) -> Doubles:
        """What each label costs as soon as one variable takes it, (L,); 0 if it does not."""
        return np.maximum(0.0, -self.labels.get(1, np.zeros(self.model.n_labels)))

    @property
    def is_settled_by_labels(self) -> bool:
        """Whether nothing matters beside the model's own scores and which labels cost: moves find nothing else."""
        only = not self.sized and not self.pairs and not self.regions
        return only and all((table <= 0).all() for table in self.labels.values())

    @property
    def needs_no_search(self) -> bool:
        """Whether labels and pairs only cost, whatever their number, and whole regions only earn."""
        costs = (*self.labels.values(), *self.pairs.values())
        earns = all((mu >= 0).all() for _, mu in self.regions.values())
        return earns and not self.sized and not self.has_equal and all((table <= 0).all() for table in costs)

    def tell(self, moves: _core.moves.Moves, theta: Doubles | None) -> None:
        """Tell the kernel all terms beside the model's own."""
        moves.set_linear(None if theta is None else np.ascontiguousarray(theta, np.float64))
        least = np.array(list(self.labels), np.int64)
        moves.set_label_weights(*((np.array(list(self.labels.values())), least) if self.labels else (None, None)))
        ordered, pairs = next(iter(self.pairs.items()), (False, None))
        moves.set_transition_weights(pairs, ordered)
        if not self.regions:
            moves.set_regions(None)
            return
        members = [region for region, _ in self.regions.values()]
        offsets = np.cumsum([0, *(region.size for region in members)]).astype(np.int64)
        mu = np.array([weights for _, weights in self.regions.values()])
        slack = np.array([width for _, width in self.regions], np.int64)
        moves.set_regions(np.concatenate(members).astype(np.int32), offsets, mu, slack)


def understood(model: PairwiseModel, potential: Potential, pairs: bool) -> bool:
    """Whether a potential is a sum of counts that moves understand, those of pairs of labels only if asked for."""
    if potential.relaxed_as != "counts" and not (pairs and potential.relaxed_as is None):  # pairs are not relaxed
        return False
    counts = potential.counts(model)
    return counts is not None and all(_fits(model, count, pairs) for count in counts)


def _fits(model: PairwiseModel, count: CountFunction, pairs: bool) -> bool:
    rises, codes = count.function, count.codes
    if not isinstance(rises, Threshold) or count.weights is not None or rises.start != int(rises.start):
        return False
    if isinstance(codes, PairClasses):
        return pairs and (rises.start, rises.width) == (0, 1) and count.members.size == len(model.edges)
    everyone = count.members.size == model.n_variables and rises.width == 1
    return codes.is_identity and (everyone or _is_whole(model, count, rises))


def _is_whole(model: PairwiseModel, count: CountFunction, rises: Threshold) -> bool:
    """Whether a label has to take all members of a region but a slack."""
    size, slack = count.members.size, rises.width
    return rises.start + slack == size and slack in range(1, max(1, size // 2) + 1) and model.n_variables > 1
