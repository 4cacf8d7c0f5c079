# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a user's own mixed-integer program (HiGHS, through scipy): diversity and limits become part of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import ldexp

import numpy as np

from hedgehop.models import Model, Program
from hedgehop.oracles.base import Step
from hedgehop.oracles.effort import effort
from hedgehop.oracles.folding import nonlinear
from hedgehop.oracles.narrowing import ScaledStep
from hedgehop.oracles.program.ilp import Ilp, scaling_exponent, unwritable
from hedgehop.potentials import Potential


class Milp(Ilp):
    """The program of an ``hh.Program`` with what potentials add; with the dual bound of HiGHS.

    Parameters
    ----------
    time_limit : float, optional
        Seconds a step may take; then the best labeling so far and a valid bound are returned. By default a number of
        nodes is the limit.

    Examples
    --------
    >>> import hedgehop as hh
    >>> knapsack = hh.Program([5, 4, 3], constraints=([[3, 2, 2]], 0, 4), maximize=True)
    >>> hh.best(knapsack, oracle=hh.oracles.Milp(time_limit=5.0)).labeling
    array([0, 1, 1], dtype=int32)
    """

    name = "milp"
    summary = "HiGHS on mixed-integer programs; exact for every built-in potential, except for unions of many balls"

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other models, and potentials that cannot be written as rows."""
        if not isinstance(model, Program):
            return f"it solves Program models, not {type(model).__name__}"
        return unwritable(model, nonlinear(potentials))

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """Solve the program in units that suit HiGHS, whose tolerances are absolute.

        What is completed may be worth anything, so no score can be narrowed.
        """
        assert isinstance(model, Program)
        seconds = min(self.time_limit, effort().seconds)
        exponent = scaling_exponent(nonlinear(potentials), float(np.abs(model.gains).max()))
        terms = [p.scaled(ldexp(1.0, exponent)) for p in potentials]
        problem = ScaledStep(model.in_units(exponent), terms, exponent)
        step = self._by_program(problem, time.monotonic() + seconds)
        if step is None:
            raise TimeoutError("no labeling was found in time. Use a longer time_limit.")
        return self.step(model, step.labeling, potentials, float(np.ldexp(step.upper_bound, -exponent)))
