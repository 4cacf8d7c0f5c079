# SPDX-License-Identifier: BSD-3-Clause
"""Whether an automaton reads every string in only one way: then sums over its ways are sums over its strings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from hedgehop._arrays import Doubles, Labels

_MOST_PAIRS = 2**18  # of arcs that are compared before the search gives up
Targets = dict[int, list[int]]  # by symbol


class _Ambiguous(Exception):
    """Some string has two ways, or the search took too long."""


def reads_in_one_way(arcs: Labels, finals: Doubles, most: int = _MOST_PAIRS) -> bool:
    """Return True if no two ways through a lattice read the same string; False if some do, or it takes too long.

    Parameters
    ----------
    arcs : (E, 4) array
        From, to, position, symbol (-1 reads nothing), as ``Lattice.unrolled`` returns them.
    finals : (nodes,) array
        Scores of ends; -inf where ways cannot end.
    most : int
        How many arcs are compared before the search gives up.
    """
    if _is_deterministic(arcs):
        return True
    try:
        _PairSearch(*_adjacency(arcs, finals), most).run()
    except _Ambiguous:
        return False
    return True


def _is_deterministic(arcs: Labels) -> bool:
    if (arcs[:, 3] < 0).any():
        return False
    ordered = arcs[np.lexsort((arcs[:, 3], arcs[:, 0]))][:, [0, 3]]
    return not (ordered[1:] == ordered[:-1]).all(axis=1).any()


def _adjacency(arcs: Labels, finals: Doubles) -> tuple[list[list[int]], list[Targets], list[bool]]:
    silent: list[list[int]] = [[] for _ in finals]
    reads: list[Targets] = [{} for _ in finals]
    for start, to, _, symbol in arcs.tolist():
        if symbol < 0:
            silent[start].append(to)
        else:
            reads[start].setdefault(symbol, []).append(to)
    return silent, reads, (finals > -np.inf).tolist()


@dataclass
class _PairSearch:
    """Pairs of nodes that two different ways reach by the same string."""

    silent: list[list[int]]
    reads: list[Targets]
    final: list[bool]
    left: int

    def run(self) -> None:
        """Raise an exception if two ways read the same string."""
        onward = [self._onward(v) for v in range(len(self.reads))]
        open_pairs = {pair for targets, _ in onward for ways in targets.values() for pair in self._pairs(ways)}
        known = set(open_pairs)
        while open_pairs:
            a, b = (onward[v] for v in open_pairs.pop())
            if a[1] and b[1]:
                raise _Ambiguous
            for symbol in a[0].keys() & b[0].keys():
                for pair in product(a[0][symbol], b[0][symbol]):
                    new = self._checked(*pair)
                    if new not in known:
                        known.add(new)
                        open_pairs.add(new)

    def _onward(self, node: int) -> tuple[Targets, bool]:
        """Where symbols lead from a node, after any arcs that read nothing; and whether strings can end."""
        reached, targets, ends = [node], Targets(), 0
        for v in reached:  # grows
            reached += self.silent[v]
            self._spend(1 + len(self.silent[v]))
            ends += self.final[v]
            for symbol, ways in self.reads[v].items():
                targets.setdefault(symbol, []).extend(ways)
        if len(set(reached)) < len(reached) or ends > 1:
            raise _Ambiguous
        return targets, ends > 0

    def _pairs(self, ways: list[int]) -> Iterator[tuple[int, int]]:
        return (self._checked(a, b) for a, b in combinations(ways, 2))

    def _checked(self, a: int, b: int) -> tuple[int, int]:
        self._spend(1)
        if a == b:
            raise _Ambiguous
        return min(a, b), max(a, b)

    def _spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise _Ambiguous
