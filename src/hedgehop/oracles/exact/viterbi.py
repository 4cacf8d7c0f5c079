# SPDX-License-Identifier: BSD-3-Clause
"""Best strings of automata and best parses of grammars: dynamic programming (C++)."""

from __future__ import annotations

from collections.abc import Sequence

from hedgehop._arrays import Doubles, Labels
from hedgehop.models import Model
from hedgehop.models.structures.charted import ChartedModel
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.oracles.folding import changed_unary, fold
from hedgehop.potentials import Potential


class Viterbi(LinearOracle[ChartedModel]):
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
    structure = ChartedModel

    def _argmax(self, model: ChartedModel, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        return model.chart.best(scores)

    def _other(self, model: Model) -> str | None:
        known = isinstance(model, ChartedModel)
        return None if known else f"it solves Automaton and Cfg models, not {type(model).__name__}"

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        """Two passes; None for what the oracle refuses."""
        if self.refusal(model, potentials) is not None:
            return None
        assert isinstance(model, ChartedModel)
        theta, constant, _ = fold(model, potentials)
        return model.chart.max_marginals(changed_unary(model, theta)) + constant
