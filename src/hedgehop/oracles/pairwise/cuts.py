# SPDX-License-Identifier: BSD-3-Clause
"""Models of two labels as minimum cuts: terminals, capacities, and a flow that is kept from step to step."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.models.pairwise import PairwiseModel

Build = Callable[[Doubles], _core.flow.AnyFlow]
_CAPACITY_BITS = 60
_COARSE = 1e-7  # error, against the sum of the terminals, above which a flow is built again


class KeptFlow:
    """A flow that is built once by ``build(terminals)`` and solved on from there for other terminals."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._flow: _core.flow.AnyFlow | None = None

    def copy(self) -> KeptFlow:
        """The same flow once more; a new one while another thread uses it."""
        other = KeptFlow(self._build)
        with suppress(RuntimeError):
            other._flow = None if self._flow is None else self._flow.copy()
        return other

    def solved(self, terminals: Doubles, size: float) -> _core.flow.AnyFlow:
        """Continue from the last flow; start over if its scale, chosen for other terminals, is too coarse or too fine.

        `size`: the sum of the sizes of the terminals.
        """
        if self._flow is not None:
            try:
                self._flow.set_terminals(terminals)
                self._flow.solve()
                if self._flow.error <= _COARSE * size:
                    return self._flow
            except OverflowError:
                pass
        self._flow = self._build(terminals)
        self._flow.solve()
        return self._flow


def straightened(model: PairwiseModel, tables: Doubles) -> tuple[Doubles, float]:
    """Return what pairs add to the unaries, (n, 2), and a constant, so that only their bends are left.

    ``P = P00 + (P10 - P00) x_i + (P11 - P10) x_j - bend [x_i = 0, x_j = 1]`` (Kolmogorov, Zabih 2004).
    """
    added = np.zeros((model.n_variables, 2))
    i, j = model.edges.T
    np.add.at(added[:, 1], i, tables[:, 1, 0] - tables[:, 0, 0])
    np.add.at(added[:, 1], j, tables[:, 1, 1] - tables[:, 1, 0])
    return added, float(tables[:, 0, 0].sum())


class Terminals:
    """From the scores of two labels to the terminals of a cut.

    Parameters
    ----------
    model : PairwiseModel
        Of two labels.
    around : (n,) array
        Half of what the capacities at each variable sum up to.
    base : 0 or 1
        The label whose cost is 0: the one that wins ties.
    offsets : (n, 2) array, or None
        What is added to all scores.
    """

    def __init__(self, model: PairwiseModel, around: Doubles, base: int, offsets: Doubles | None = None) -> None:
        self._scores, self._around, self._base, self._offsets = model.unary, around, base, offsets
        self._stake = stake_of_variable(model)

    @property
    def decisive(self) -> Doubles:
        """More than the capacities at each variable sum up to, by about what is at stake there."""
        return np.asarray(2.0 * self._around + self._stake)

    def of(self, theta: Doubles | None) -> tuple[Doubles, float, float]:
        """Cost of the other label against the base one, (n,), the score of all bases, and the size of all costs.

        A forbidden label costs more than all edges around can save. So do scores beyond that: nothing changes, and a
        few huge ones do not cost all others their digits.
        """
        changes = None if theta is None else np.ascontiguousarray(theta, np.float64)
        return _core.flow.terminals(self._scores, changes, self._offsets, self._base, self._around, 2.0, self._stake)


def stake_of_variable(model: PairwiseModel) -> float:
    """About what is at stake at one variable; 1 if nothing is."""
    stake = model.spread / model.n_variables
    return stake if stake > 0 else 1.0


def capacities_around(model: PairwiseModel, capacities: Doubles) -> Doubles:
    """More than the sum of the capacities at each variable, by about what is at stake there."""
    total = _core.scores.reaches(model.n_variables, model.edges, capacities)
    return np.asarray(2.0 * total + stake_of_variable(model))


def in_64_bits(
    model: PairwiseModel, capacities: Doubles, both_ways: bool, terminals: Doubles
) -> tuple[NDArray[np.int32], float, float]:
    """Return labels, minimum and error of a cut whose numbers are rounded to 64-bit integers.

    Where every labeling loses something huge, flows of 32 bits, which suffice for what is typical then, cannot tell
    labelings apart. `both_ways`: whether an edge has its capacity in both directions, or on the way back alone.
    """
    total = float(np.abs(terminals).sum() + 4.0 * capacities.sum())
    exponent = _CAPACITY_BITS - int(np.frexp(total)[1])
    cost, back = (np.rint(np.ldexp(x, exponent)).astype(np.int64) for x in (terminals, capacities))
    forward = back if both_ways else np.zeros_like(back)
    flow = _core.flow.Flow(model.n_variables, model.edges, forward, back, cost)
    flow.solve()
    error = float(np.ldexp(0.5 * (cost.size + 2 * back.size) + 1.0, -exponent)) + 2.0**-52 * total
    return flow.labels(), float(np.ldexp(float(flow.minimum), -exponent)), error
