# SPDX-License-Identifier: BSD-3-Clause
"""Bounds by multipliers of count functions: Polyak's steps, halved if they fail (docs/theory.md 11).

Every choice of multipliers gives a bound. The linear steps are solved by TRW-S for moves, or by any other oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Floats, Labels
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.branching import Relaxed, without_labels
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exact.linear import refuse_infeasible
from hedgehop.oracles.folding import changed_unary
from hedgehop.oracles.pairwise.kernels import MessageSolvers, closed, pair_tables, pass_messages, table_pairs
from hedgehop.oracles.relaxation.multipliers import Multipliers
from hedgehop.potentials.counts import CountFunction, LabelClasses, PairClasses, threshold
from hedgehop.potentials.labels import label_counts, thresholds

_WARM_PASSES = 8  # for each choice of multipliers, messages kept; half of them where there are many scores
_COLD_PASSES = 25  # the same where messages begin
_PASSES_PER_BRANCH = 50  # the same where scores change more
_MANY_SCORES = 20_000  # of labels: beyond, half of the passes are made
_FORBIDDEN_PAIR = 3.0  # times its cost: what an edge pays for a pair that is to be avoided, valid whatever it is
_STALLED_ROUNDS = 5  # rounds that have to gain a share of the gap, or there is no use in more
_LEAST_GAIN = 0.05
_NEGLIGIBLE_GAP = 1e-7  # of what is at stake: a gap that is not worth further rounds
_LARGEST_TABLES = 4_000_000  # entries of all pairs' tables, up to which transitions get multipliers of their own

Evaluate = Callable[[Doubles, Doubles | None], tuple[Labels, float]]  # labeling and bound of scores and pairs' tables


class CountMultipliers:
    """Multipliers of all count functions of a step, begun at a labeling.

    Parameters
    ----------
    unary : (n, L) array
        Scores of single variables.
    tables : (E, L, L) array or None
        Scores of edges, where edges are counted.
    """

    def __init__(
        self, counts: Iterable[CountFunction], labeling: Labels, unary: Floats, tables: Doubles | None = None
    ) -> None:
        self.tables = tables
        self._shape, self._unary = unary.shape, unary
        groups: dict[tuple[type, object], list[CountFunction]] = {}
        for count in counts:
            groups.setdefault((type(count.codes), count.codes.key), []).append(count)
        self.classes = [
            (group[0].codes, Multipliers(group, group[0].codes.of(labeling), self._losses(group[0].codes, labeling)))
            for group in groups.values()
        ]
        del self._unary  # which may be a large copy

    def scores(self) -> tuple[Doubles, Doubles | None]:
        """What to add to the scores of labels, (n, L), and all scores of pairs, (E, L, L), if these are changed."""
        theta, tables = None, None
        for codes, multipliers in self.classes:
            if isinstance(codes, LabelClasses):
                added = codes.spread(multipliers.scores())
                theta = added if theta is None else theta + added
            else:
                assert self.tables is not None
                before = (self.tables if tables is None else tables).reshape(len(self.tables), -1)
                tables = multipliers.added_to(before, codes.twins).reshape(self.tables.shape)
        return np.zeros(self._shape) if theta is None else theta, tables

    def rest(self) -> float:
        """What the functions may add beside these scores."""
        return sum(multipliers.rest() for _, multipliers in self.classes)

    def improve(self, labeling: Labels, length: float) -> bool:
        """Step against the subgradient; False if it vanishes."""
        norm = sum(multipliers.slope(codes.of(labeling)) for codes, multipliers in self.classes)
        for _, multipliers in self.classes if norm else ():
            multipliers.step(length / norm)
        return norm > 0

    def _losses(self, codes: LabelClasses | PairClasses, labeling: Labels) -> Doubles:
        if isinstance(codes, LabelClasses):
            return codes.losses(self._unary, labeling)
        assert self.tables is not None
        i, j = codes.edges.T
        single = np.maximum(0.0, self._unary[np.arange(labeling.size), labeling][:, None] - self._unary)
        now = self.tables[np.arange(len(self.tables)), labeling[i], labeling[j]]
        lost = single[i][:, :, None] + single[j][:, None, :] + now[:, None, None] - self.tables
        return np.asarray(np.maximum(0.0, lost).reshape(len(self.tables), -1))

    def descend(
        self, evaluate: Evaluate, reached: Callable[[], float], rounds: int, stake: float
    ) -> tuple[float, list[Labels]]:
        """Return the best bound of Polyak's steps towards what is `reached`, and labelings found on the way.

        They end early where the gap is next to nothing beside what is at `stake`, and at a time limit.
        """
        step, bests, found = 1.0, [np.inf], []
        for _ in range(rounds):
            labeling, bound = evaluate(*self.scores())
            bound += self.rest()
            found.append(labeling)
            step, known = step if bound < bests[-1] else step / 2, reached()
            bests.append(min(bests[-1], bound))
            gap = bests[-1] - known
            stuck = len(bests) > _STALLED_ROUNDS and bests[-1 - _STALLED_ROUNDS] - bests[-1] < _LEAST_GAIN * gap
            if gap <= _NEGLIGIBLE_GAP * stake or stuck or effort().seconds == 0.0:
                break
            if not self.improve(labeling, step * (bound - known)):
                break
        return bests[-1], found


def bound_by_messages(
    messages: MessageSolvers,
    model: PairwiseModel,
    theta: Doubles | None,
    counts: Sequence[CountFunction],
    labeling: Labels,
    reached: float,
    rounds: int,
) -> tuple[float, list[Labels]]:
    """Return a bound on ``max_y r(y) + theta(y) + sum of the functions``, and labelings found on the way.

    `reached` is a value that is known to be possible, and `labeling` reaches it.
    """
    if not counts:
        bound = pass_messages(messages.plain, model, theta, 50)[2]
        return closed(messages.plain, model, theta, labeling, reached, bound), []
    constant, flat = 0.0, labeling.reshape(-1)
    pairs = [c for c in counts if isinstance(c.codes, PairClasses)]
    tabled = bool(pairs) and has_tables(model)
    if pairs and not tabled:
        relaxed, constant = _relaxed_pairs(model, pairs, flat)
        counts = [c for c in counts if isinstance(c.codes, LabelClasses)] + relaxed
    tables = pair_tables(model) if tabled else None
    unary = model.unary if theta is None and tables is None else changed_unary(model, theta)
    multipliers = CountMultipliers(counts, flat, unary, tables)

    def evaluate(scores: Doubles, tables: Doubles | None) -> tuple[Labels, float]:
        changed = scores if theta is None else np.add(theta, scores, out=scores if scores.flags.writeable else None)
        passes = _WARM_PASSES if model.unary.size <= _MANY_SCORES else _WARM_PASSES // 2
        if tables is not None and not messages.has_tables:
            passes = _COLD_PASSES
        ready = messages.plain if tables is None else messages.of(tables)
        found, _, bound = pass_messages(ready, model, changed, passes)
        if tables is None:
            ready.release_linear()  # before the next multipliers are laid out
        return found.reshape(-1), bound + constant

    return multipliers.descend(evaluate, lambda: reached, rounds, model.spread)


def without_codes(messages: MessageSolvers, model: PairwiseModel, theta: Doubles | None, has_pairs: bool) -> Relaxed:
    """Return a function that bounds ``r(y) + theta(y)`` of labelings without some codes, all other costs left out."""
    tables = pair_tables(model) if has_pairs else None
    passes = _PASSES_PER_BRANCH if model.unary.size <= _MANY_SCORES else _PASSES_PER_BRANCH // 2

    def relaxed(avoided: Sequence[CountFunction]) -> tuple[Labels, float]:
        labels, other = [c for c in avoided if isinstance(c.codes, LabelClasses)], None
        changed = theta if not labels else without_labels(model, labels) + (0.0 if theta is None else theta)
        for count in avoided:
            if isinstance(count.codes, PairClasses):
                assert tables is not None
                other = tables.copy() if other is None else other
                for a, b in count.codes.pairs(count.code):  # finite scores keep the digits of all others
                    other[count.members, a, b] += _FORBIDDEN_PAIR * threshold(count).weight
        if model.is_forest:  # exactly: what messages leave open, in whole numbers, may be more than `exact` allows
            pairs = model.pairs if other is None else table_pairs(model, other)
            labeling, value = _core.graphs.forest_argmax(changed_unary(model, changed), pairs)
            refuse_infeasible(value)
            return labeling, value
        found, _, bound = pass_messages(messages.plain if other is None else messages.of(other), model, changed, passes)
        return found.reshape(-1), bound

    return relaxed


def has_tables(model: PairwiseModel) -> bool:
    """Whether pairs of labels can have multipliers of their own."""
    same = bool((model.label_counts == model.n_labels).all())
    return same and 0 < len(model.edges) * model.n_labels**2 <= _LARGEST_TABLES


def _relaxed_pairs(
    model: PairwiseModel, counts: Sequence[CountFunction], labeling: Labels
) -> tuple[list[CountFunction], float]:
    """Return thresholds of labels and a constant that are at least the weights of pairs on edges.

    A pair can be used only if both of its labels are: its reward is at most that of using the one which
    `labeling` does not use; if it uses both, at most a constant. Costs are at most nothing.
    """
    rewards, constant = np.zeros(model.n_labels), 0.0
    used = label_counts(labeling.reshape(1, -1), model.n_labels)[0] > 0
    for count in counts:
        (a, b), worth = divmod(count.code, model.n_labels), max(0.0, threshold(count).weight)
        if used[a] and used[b]:
            constant += worth
        else:
            rewards[b if used[a] else a] += worth
    return thresholds(np.arange(model.n_labels, dtype=np.int32), rewards, 1, model), constant
