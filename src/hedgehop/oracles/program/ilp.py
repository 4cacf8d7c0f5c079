# SPDX-License-Identifier: BSD-3-Clause
"""Integer linear programming (HiGHS, through scipy): every potential, every sign, on small models."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from hedgehop import _arrays
from hedgehop._arrays import Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models import LinearModel, Model, PairwiseModel, Program, UnaryModel
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.conditioning import exponent_for
from hedgehop.oracles.effort import effort
from hedgehop.oracles.folding import changed_unary, fold, kinds, nonlinear, not_finite_pairs
from hedgehop.oracles.narrowing import Narrowing, ScaledStep, restated
from hedgehop.oracles.pairwise.kernels import message_solver, pass_messages
from hedgehop.oracles.program.ball_rows import cut_balls
from hedgehop.oracles.program.model_rows import Encoded
from hedgehop.oracles.program.program import Solution
from hedgehop.oracles.program.structure_rows import encoder, structure_columns
from hedgehop.oracles.search.annealing import annealed
from hedgehop.potentials import PairClasses, Potential, Table

MOST_COLUMNS = 1_000_000
_MOST_SOLVES = 12
_ANNEALING_SECONDS = 1.0  # seconds kept for it
_PASSES_FOR_A_BOUND = 10  # messages, if the program has none


class Ilp(Oracle):
    """Local polytope with constraints for all potentials; with the bound of HiGHS if its budget runs out.

    The budget is a number of nodes, so that the same step has the same answer on every machine.

    Parameters
    ----------
    time_limit : float, optional
        Seconds a step may take; then the best labeling so far and a valid bound are returned. By default, the clock
        is not used.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = hh.Grid(np.random.default_rng(0).normal(size=(3, 3, 2)), smoothness=0.3)
    >>> bool(hh.diverse(image, hh.HammingBall(gamma=0.5), m=2, oracle=hh.oracles.Ilp(time_limit=5.0)).exact.all())
    True
    """

    name = "ilp"
    summary = (
        "integer programming with HiGHS on small models; exact for every built-in potential of any sign, "
        "except for unions of five and more balls, which it bounds"
    )

    def __init__(self, time_limit: float | None = None) -> None:
        limited = time_limit is not None
        self.time_limit = _arrays.number(time_limit, "time_limit", low=0.0, strict=True) if limited else np.inf

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse unknown structures, unknown potentials and very large programs."""
        if isinstance(model, Program):
            return "a Program has its own oracle, which writes what is completed"
        if not isinstance(model, PairwiseModel) and encoder(model) is None:
            return f"it cannot write the rules of {type(model).__name__} as linear constraints"
        rest = nonlinear(potentials)
        size = columns(model, rest)
        if size > MOST_COLUMNS:
            return f"{size} columns are more than {MOST_COLUMNS}"
        return unwritable(model, rest)

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """Solve, on narrower scores if some are huge; exact if value and bound meet, whatever HiGHS says."""
        assert isinstance(model, UnaryModel)
        seconds = min(self.time_limit, effort().seconds)
        deadline = time.monotonic() + max(seconds / 2, seconds - _ANNEALING_SECONDS)
        narrowing = Narrowing(model, potentials, partial(scaling_exponent, fold(model, potentials)[2]))
        try:
            found = narrowing.solved(partial(self._by_program, deadline=deadline))
        except InfeasibleError:  # HiGHS is mistaken if a labeling is allowed after all: its rows keep 1e-7 only
            other = self._without_program(model, potentials)
            if other.value == -np.inf:
                raise
            return other
        step = None
        if found is not None:
            gap = found.bound - found.value
            step = restated(self, model, potentials, found.labeling, gap, found.exact, self.name)
        return step if step is not None and step.exact else self._better(model, potentials, step)

    def _by_program(self, problem: ScaledStep, deadline: float) -> Step | None:
        """Solve once, and cut where an encoding is only an upper bound; None if nothing is found in time."""
        if time.monotonic() > deadline:
            return None
        model, terms = problem.model, problem.potentials
        theta, constant, rest = fold(model, terms)
        reach = float(sum(p.span() for p in rest))
        ilp = Encoded(model, theta, _counts_edges(model, rest), reach)
        for potential in rest:
            potential.encode(ilp)
        best: Step | None = None
        bound = np.inf
        for _ in range(_MOST_SOLVES):
            if best is not None and time.monotonic() > deadline:
                break
            solution = ilp.program.solve(deadline - time.monotonic())
            bound = min(bound, solution.upper_bound + ilp.constant + constant)
            labeling = _labeling(ilp, solution)
            if labeling is None:
                break
            step = self.step(model, labeling, terms, bound)
            best = step if best is None or step.value > best.value else best
            if solution.x is None or not cut_balls(ilp, labeling, solution.x):
                break
        return None if best is None else self.step(model, best.labeling.reshape(-1), terms, bound)

    def _without_program(self, model: UnaryModel, potentials: Sequence[Potential]) -> Step:
        """Return a good labeling that no program found; its value is -inf if it is not allowed.

        Pairwise models have the bound of a few messages: a program that is stopped early may know none.
        """
        theta, constant, rest = fold(model, potentials)
        labeling, bound = np.argmax(changed_unary(model, theta), axis=1).astype(np.int32), np.inf
        if isinstance(model, PairwiseModel) and not rest and not not_finite_pairs(model):
            bound = constant + pass_messages(message_solver(model), model, theta, _PASSES_FOR_A_BOUND)[2]
        if isinstance(model, PairwiseModel) and effort().seconds > 0:
            labeling = annealed(model, theta, labeling)
        return self.step(model, labeling, potentials, bound)

    def _better(self, model: UnaryModel, potentials: Sequence[Potential], best: Step | None) -> Step:
        """Return what annealing finds, if that is better than what the program found in its time."""
        step = self._without_program(model, potentials)
        labeling = step.labeling.reshape(-1)
        if best is not None and best.value >= step.value:
            return best
        if best is not None:
            return self.step(model, labeling, potentials, max(min(best.upper_bound, step.upper_bound), step.value))
        if step.value == -np.inf:
            limited = np.isfinite(min(self.time_limit, effort().seconds))
            within = "the time of this step" if limited else "the program's budget of nodes"
            raise TimeoutError(f"no labeling was found within {within}. Use a longer time_limit, or another oracle.")
        return step


def scaling_exponent(potentials: Sequence[Potential], largest: float) -> int:
    """Return the power of two that makes the largest score or weight of a potential about a thousand."""
    sizes = [size for p in potentials if np.isfinite(size := p.reach())]
    return exponent_for(max([largest, *sizes]), 10)


def _labeling(ilp: Encoded, solution: Solution) -> Labels | None:
    if solution.infeasible:
        raise InfeasibleError("no labeling is allowed: every one has a score or a potential of -inf.")
    return None if solution.x is None else ilp.label(solution.x)


def unwritable(model: Model, potentials: Sequence[Potential]) -> str | None:
    """Say which potentials cannot be written as rows; None if all can."""
    unknown = [p for p in potentials if not _writable(model, p)]
    return f"it cannot write {kinds(unknown)} as linear constraints; fractional counts need slopes" if unknown else None


def _writable(model: Model, potential: Potential) -> bool:
    """Whether a potential says how to write it: by rows of its own, or by counts that are whole or smooth."""
    if type(potential).encode is not Potential.encode:
        return True
    counts = potential.counts(model)
    tables = [(c.function, c.weights) for c in counts or () if isinstance(c.function, Table)]
    return counts is not None and all(t.smooth is not None or t.has_all(weights) for t, weights in tables)


def _counts_edges(model: Model, potentials: Sequence[Potential]) -> bool:
    """Whether some potential counts pairs of labels on edges."""
    own = [p for p in potentials if type(p).encode is Potential.encode and p.distances() is None]
    return any(isinstance(c.codes, PairClasses) for p in own for c in p.counts(model) or ())


def columns(model: Model, potentials: Sequence[Potential]) -> int:
    """Return how many columns a program has before potentials add theirs."""
    if not isinstance(model, PairwiseModel):
        assert isinstance(model, LinearModel)
        return model.unary.size + structure_columns(model)
    tables = not model.is_potts or _counts_edges(model, potentials)
    per_edge = model.n_labels**2 if tables else model.n_labels
    cells = sum(c.table.size for c in model.cliques)
    return model.unary.size + model.n_edges * per_edge + cells
