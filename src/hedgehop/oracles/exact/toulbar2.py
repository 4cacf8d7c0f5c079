# SPDX-License-Identifier: BSD-3-Clause
"""toulbar2, if it is installed: branch and bound for small models whose scores contradict each other.

It searches with the bounds of soft local consistencies (Cooper et al. 2010), which close gaps that messages leave on
frequency assignments, pedigrees and other weighted constraints. ``pip install 'hedgehop[exact]'`` installs it.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import ceil, fsum, inf
from pathlib import Path
from typing import Any

import numpy as np

from hedgehop import _arrays
from hedgehop._arrays import Doubles
from hedgehop._errors import InfeasibleError, UnsupportedError
from hedgehop.models import Model, PairwiseModel
from hedgehop.models.elimination import scopes
from hedgehop.oracles.base import Oracle, Step, better
from hedgehop.oracles.conditioning import exponent_for
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exact.elimination import factor_tables
from hedgehop.oracles.folding import changed_unary, fold, not_linear
from hedgehop.oracles.search.annealing import annealed
from hedgehop.oracles.search.later import SearchingSolver
from hedgehop.potentials import Potential

_MOST_NETWORK_SCORES = 2**22  # of all tables together: what can be written to another process in a second
_COST_BITS = 40  # of what all factors together may cost: far below toulbar2's largest cost
_TIMES_FEWER = 4  # times as many backtracks in the first step as in later ones
_GRACE = 10.0  # seconds beyond a time limit until a process that does not answer is ended
_PROCESS = Path(__file__).with_name("toulbar2_process.py")


class Toulbar2(Oracle):
    """Branch and bound of toulbar2, in a separate process for each step.

    The budget is a number of backtracks, so that the same step has the same answer on every machine.

    Parameters
    ----------
    backtracks : int
        How many a step may take; then the best labeling so far and a valid bound are returned.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.oracles.Toulbar2(backtracks=100).backtracks
    100
    """

    name = "toulbar2"
    summary = "branch and bound of toulbar2 (extra: exact); small models, cliques included, with linear potentials"

    def __init__(self, backtracks: int = 2000) -> None:
        self.backtracks = _arrays.positive_count(backtracks, "backtracks")

    def on(self, model: Model) -> Toulbar2Solver:
        """Return a solver whose later steps take fewer backtracks, and anneal from what the first one found."""
        return Toulbar2Solver(self, model)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other models, potentials that are not linear, large tables, and everything if it is not installed."""
        reason = not_tables(model, potentials)
        if reason is not None:
            return reason
        return None if is_installed() else "toulbar2 is not installed (pip install 'hedgehop[exact]')"

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """Search, then anneal if nothing is proven."""
        assert isinstance(model, PairwiseModel)
        step, theta = self.searched(model, potentials, self.backtracks), fold(model, potentials)[0]
        if step.exact:
            return step
        found = annealed(model, theta, step.labeling)
        return better(model, step, self.step(model, found, potentials, step.upper_bound))

    def searched(self, model: PairwiseModel, potentials: Sequence[Potential], backtracks: int) -> Step:
        """Write the model as costs in whole numbers, search, and read labeling and bound."""
        theta, constant, _ = fold(model, potentials)
        network = _Network(model, changed_unary(model, theta))
        answer = _answer(network.arrays(backtracks), effort().seconds)
        if answer["labels"] is None and answer["backtracks"] < backtracks and effort().seconds > 0.0:
            raise InfeasibleError("no labeling is allowed: every one contains a forbidden label or pair.")
        labels = model.unary.argmax(axis=1) if answer["labels"] is None else answer["labels"]
        bound = network.most(answer["bound"]) + constant
        return self.step(model, np.asarray(labels, np.int32), potentials, bound, network.error)


class Toulbar2Solver(SearchingSolver):
    """Searches for a quarter as long after the first step: a list has dozens."""

    oracle: Toulbar2

    def later(self, potentials: Sequence[Potential]) -> Step:
        """Search, without annealing."""
        assert isinstance(self.model, PairwiseModel)
        return self.oracle.searched(self.model, potentials, max(1, self.oracle.backtracks // _TIMES_FEWER))


def table_cells(model: PairwiseModel) -> int:
    """Return the number of scores of all factors."""
    counts = model.label_counts.astype(np.int64)
    pairs = int((counts[model.edges[:, 0]] * counts[model.edges[:, 1]]).sum()) if len(model.edges) else 0
    return int(counts.sum()) + pairs + sum(clique.table.size for clique in model.cliques)


def not_tables(model: Model, potentials: Sequence[Potential]) -> str | None:
    """Return why a step is not the sum of factors with tables that are small enough, or None."""
    if not isinstance(model, PairwiseModel):
        return f"{type(model).__name__} has no unary and pairwise scores"
    reason = not_linear(model, potentials)
    if reason is None and table_cells(model) > _MOST_NETWORK_SCORES:
        return f"its tables would have more than 2^{_MOST_NETWORK_SCORES.bit_length() - 1} cells"
    return reason


@cache
def is_installed() -> bool:
    """Whether pytoulbar2 can be imported."""
    return find_spec("pytoulbar2") is not None


@dataclass
class _Network:
    """A model as costs: how far each score is below its factor's best one, rounded down to units of 2^-p."""

    model: PairwiseModel
    unary: Doubles

    def __post_init__(self) -> None:
        self._variables, self._starts = scopes(self.model)
        tables, self._cells = factor_tables(self.model, self.unary)
        begins = self._cells[:-1]
        best = np.maximum.reduceat(tables, begins)
        if np.isneginf(best).any():
            raise InfeasibleError("no labeling is allowed: all labels of a variable, pair or clique are forbidden.")
        below = np.repeat(best, np.diff(self._cells)) - tables
        spans = np.maximum.reduceat(np.where(np.isinf(below), 0.0, below), begins)
        exponent = exponent_for(fsum(spans), _COST_BITS)
        self._best, self._unit = fsum(best), float(np.ldexp(1.0, -exponent))
        self._costs = np.floor(np.ldexp(below, exponent))
        self.error = best.size * self._unit  # each factor loses less than a unit

    def arrays(self, backtracks: int) -> dict[str, Any]:
        """What the other process needs, without its time limit."""
        return {
            "label_counts": self.model.label_counts, "variables": self._variables, "starts": self._starts,
            "cells": self._cells, "costs": self._costs, "backtracks": backtracks,
        }  # fmt: skip

    def most(self, least_cost: float) -> float:
        """Return what no labeling scores more than, if none costs less than `least_cost` units."""
        return self._best - least_cost * self._unit + self.error


def _answer(network: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Let the other process search."""
    limited = seconds < inf
    task = io.BytesIO()
    np.savez(task, seconds=max(1, ceil(seconds)) if limited else 0, **network)
    command = [sys.executable, str(_PROCESS)]
    try:
        child = subprocess.run(
            command, input=task.getvalue(), capture_output=True, timeout=seconds + _GRACE if limited else None
        )
    except subprocess.TimeoutExpired:
        raise UnsupportedError("toulbar2 exceeded its time limit. Use another oracle.") from None
    if child.returncode != 0:
        last = child.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise UnsupportedError(f"toulbar2 failed ({''.join(last) or child.returncode}). Use another oracle.")
    answer: dict[str, Any] = json.loads(child.stdout.decode().splitlines()[-1])
    return answer
