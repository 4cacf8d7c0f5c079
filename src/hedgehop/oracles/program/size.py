# SPDX-License-Identifier: BSD-3-Clause
"""How large integer programs are, and which end soon: a table of columns, by model and by kind of potentials."""

from __future__ import annotations

from collections.abc import Sequence

from hedgehop.models import GraphMatching, LinearModel, Model, PairwiseModel, UnaryModel
from hedgehop.oracles.folding import nonlinear
from hedgehop.oracles.program.structure_rows import structure_columns
from hedgehop.potentials import PairClasses, Potential
from hedgehop.potentials.ball_unions import MOST_EXACT

_FEW_COLUMNS = {
    "Potts": {"linear": 3000, "lines": 1000, "distances": 200},  # ties take HiGHS seconds
    "tables": {"linear": 1000, "lines": 333, "distances": 66},  # relaxations are loose: many branches
    "structure": {"linear": 3000, "lines": 1000, "distances": 400},
    "blossoms": {"linear": 3000, "lines": 300, "distances": 400},  # odd cycles take many branches
}
_MOST_TERMS = {"structure": 8000, "blossoms": 2000}  # columns times subsets of balls: unions have a term per subset
_MOST_EXTRA = 3000  # columns of a structure beside those of its labels, if labels are counted


def is_small(model: Model, potentials: Sequence[Potential] = ()) -> bool:
    """Whether an integer program ends soon, so that it may prove what another oracle leaves open."""
    balls = sum(p.n_balls for p in potentials)
    if not isinstance(model, UnaryModel) or balls > MOST_EXACT:  # a program bounds larger unions, as others do
        return False
    kind, relaxed = _kind(model), {p.relaxed_as for p in potentials}
    size = columns(model, nonlinear(potentials)) if isinstance(model, PairwiseModel) else model.unary.size
    if size > min(most for term, most in _FEW_COLUMNS[kind].items() if term == "linear" or term in relaxed):
        return False
    if not isinstance(model, LinearModel):
        return True
    extra, terms = structure_columns(model), 2**balls if balls > 1 else 0
    is_counted = "counts" in relaxed or "lines" in relaxed
    return not (is_counted and extra > _MOST_EXTRA) and (size + extra) * terms <= _MOST_TERMS[kind]


def _kind(model: UnaryModel) -> str:
    if isinstance(model, PairwiseModel):
        return "Potts" if model.is_potts else "tables"
    return "blossoms" if isinstance(model, GraphMatching) else "structure"


def counts_edges(model: Model, potentials: Sequence[Potential]) -> bool:
    """Whether some potential counts pairs of labels on edges."""
    own = [p for p in potentials if type(p).encode is Potential.encode and p.distances() is None]
    return any(isinstance(c.codes, PairClasses) for p in own for c in p.counts(model) or ())


def columns(model: Model, potentials: Sequence[Potential]) -> int:
    """Return how many columns a program has before potentials add theirs."""
    if not isinstance(model, PairwiseModel):
        assert isinstance(model, LinearModel)
        return model.unary.size + structure_columns(model)
    tables = not model.is_potts or counts_edges(model, potentials)
    per_edge = model.n_labels**2 if tables else model.n_labels
    cells = sum(c.table.size for c in model.cliques)
    return model.unary.size + model.n_edges * per_edge + cells
