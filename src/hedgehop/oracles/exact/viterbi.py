# SPDX-License-Identifier: BSD-3-Clause
"""Best strings of automata and best parses of grammars: dynamic programming (C++)."""

from __future__ import annotations

from collections.abc import Sequence

from hedgehop._arrays import Doubles
from hedgehop.models import Model
from hedgehop.models.structures.charted import ChartedModel
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.exact.linear import refuse_infeasible
from hedgehop.oracles.folding import changed_unary, fold, not_linear
from hedgehop.potentials import Potential


class Viterbi(Oracle):
    """Viterbi's algorithm on automata, and that of Cocke, Kasami and Younger on grammars (docs/theory.md 10).

    Linear potentials change the scores of symbols at positions, or of constituents.

    Examples
    --------
    >>> import hedgehop as hh
    >>> word = hh.Automaton.from_slots([{"a": -1.0, "b": 0.0}, {"c": 0.0, "d": -1.0}])
    >>> hh.best(word, oracle=hh.oracles.Viterbi()).labeling
    array([1, 2], dtype=int32)
    """

    name = "viterbi"
    summary = "dynamic programming on automata and grammars; exact, with linear potentials"

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other models, and potentials that are not linear."""
        if not isinstance(model, ChartedModel):
            return f"it solves Automaton and Cfg models, not {type(model).__name__}"
        return not_linear(model, potentials)

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """One pass."""
        assert isinstance(model, ChartedModel)
        theta, constant, _ = fold(model, potentials)
        labeling, value = model.chart.best(changed_unary(model, theta))
        refuse_infeasible(value)
        return self.step(model, labeling, potentials, value + constant)

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        """Two passes; None for what the oracle refuses."""
        if self.refusal(model, potentials) is not None:
            return None
        assert isinstance(model, ChartedModel)
        theta, constant, _ = fold(model, potentials)
        return model.chart.max_marginals(changed_unary(model, theta)) + constant
