# SPDX-License-Identifier: BSD-3-Clause
"""Proofs replayed: what a certificate says, found again from the model, the list and the proof alone."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from hedgehop import diversity as diversities
from hedgehop._arrays import Labels
from hedgehop.diversity.base import Diversity
from hedgehop.lists.certificate import Certificate, baseline, baseline_gap, certify
from hedgehop.lists.methods.greedy import Greedy
from hedgehop.lists.objective import Objective, check_arguments
from hedgehop.lists.proofs.bounds import Arrays, Problem, Proof
from hedgehop.lists.proofs.claims import Claims, RecordingSolver
from hedgehop.lists.proofs.search import BOUND_METHODS
from hedgehop.lists.result import DiverseList
from hedgehop.lists.separation import Separation
from hedgehop.lists.state import ListState
from hedgehop.models.base import Model
from hedgehop.oracles.registry import OracleLike, get


def verify(
    found: DiverseList, model: Model, diversity: Diversity | None = None, oracle: OracleLike = "auto"
) -> Certificate:
    """Check every claim of a list again, whichever way it was found.

    Scores, gains, F, distances, the bound and the exactness of every step, the baseline, the bound on all lists from
    its proof, and what follows from these. One step is solved per labeling, one or two for the baseline, and one for
    the proof (one per labeling if it comes from joint cuts). If labelings must differ, each of these may take up to as
    many steps as the list has labelings.

    Parameters
    ----------
    found : DiverseList
        A list with a proof: from ``hh.diverse``, or from a file.
    model : Model
        What was labelled.
    diversity : Diversity, optional
        What made labelings different. It can be left out if ``found.diversity`` says everything about it, as
        ``VariableCoverage(h='log')`` does; regions, kinds, samples and weights have to be given.
    oracle : str or Oracle
        Which oracle solves the steps; it need not be the one that found the list.

    Returns
    -------
    Certificate
        What is proven now: with an oracle that is not exact, the bound may differ a little from the old one.

    Raises
    ------
    BoundError
        If a claim of the list does not hold; the message names it.

    Examples
    --------
    >>> import hedgehop as hh
    >>> chain = hh.Chain([[2.0, 1.5, 0.0]] * 4, [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]])
    >>> found = hh.diverse(chain, hh.VariableCoverage(), m=3, tradeoff=2.0)
    >>> abs(hh.verify(found, chain).upper_bound - found.upper_bound) < 1e-9
    True
    """
    if not isinstance(found, DiverseList):
        raise TypeError(f"found must be a list of hh.diverse or hh.load; got {type(found).__name__}.")
    objective = objective_of(found, model, diversity)
    proof = found.certificate.proof
    if proof is None:
        text = f"this list has no proof to check ({found.method})"
        raise ValueError(f"{text}: only lists of hh.diverse with a known bound have one.")
    rows = np.ascontiguousarray(found.labelings.reshape(len(found), -1), np.int32)
    solver, first = _fresh(model, oracle), _fresh(model, oracle)
    claims = Claims(found, objective, first, rows)
    claims.check_values()
    values, size, apart, allowed = claims.values, claims.size, found.certificate.apart, found.certificate.allowed
    bound = _checked(Problem(objective, solver, rows, apart), proof)
    solver.pause()
    compared = Separation(apart if allowed else 0)
    known = Greedy(objective, compared, first).measured(ListState(rows), allowed)
    failed = "a proof is about all lists, not about steps"
    proven = certify(values, [bound], [], baseline(objective, known, compared.distance), failed, size=size)
    first.pause()
    claims.solver = _fresh(model, oracle)
    claims.check_certificate(proven, solver.all_exact and first.all_exact)
    claims.solver = _fresh(model, oracle)
    claims.check_steps()
    return replace(proven, proof=proof, apart=apart, allowed=allowed, baseline_gap=baseline_gap(known))


def _fresh(model: Model, oracle: OracleLike) -> RecordingSolver:
    """Return a solver in the state in which that of a list began: what an inexact one proves depends on its past."""
    return RecordingSolver(get(oracle).on(model))


def objective_of(found: DiverseList, model: Model, diversity: Diversity | None) -> Objective:
    """Return what a list maximises; its diversity may be left out if its name says everything about it."""
    diversity = _named(found.diversity) if diversity is None else diversity
    check_arguments(model, diversity)
    return Objective(model, diversity, found.tradeoff)


def _checked(problem: Problem, proof: Proof) -> float:
    checks = {method.source: method.check for method in BOUND_METHODS} | {"steps": _by_steps}
    if proof.source not in checks:
        raise ValueError(f"this proof is by {proof.source!r}, which this version does not know. Update hedgehop.")
    return checks[proof.source](problem, proof.arrays)


def _by_steps(problem: Problem, arrays: Arrays) -> float:
    """B1 at a list (docs/theory.md 5)."""
    rows: Labels = arrays["rows"]
    step = problem.solver.step(problem.objective.bounding(rows))
    return problem.objective.list_bound(rows, step.upper_bound, problem.m)


def _named(text: str) -> Diversity:
    """Return the diversity that a list names, if its name says everything about it."""
    try:
        made = _made(ast.parse(text, mode="eval").body)
        if repr(made) == text:
            return made
    except (SyntaxError, TypeError, ValueError, AttributeError):
        pass
    raise ValueError(f"diversity must be given for this list: its name, {text!r}, does not say everything about it.")


def _made(node: Any) -> Diversity:
    """Make ``Name(values)`` and weighted sums of such: classes of this package and plain values, nothing else."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Mult):
            return float(ast.literal_eval(node.left)) * _made(node.right)
        return _made(node.left) + _made(node.right)
    kind = getattr(diversities, node.func.id)
    if not (isinstance(kind, type) and issubclass(kind, Diversity)):
        raise TypeError
    values = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
    return kind(*map(ast.literal_eval, node.args), **values)
