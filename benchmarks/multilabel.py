# SPDX-License-Identifier: BSD-3-Clause
"""One Potts problem of 21 labels against gco-wrapper: energy at a time, bound at a time, and with label costs."""

from __future__ import annotations

import numpy as np
import problems
import solvers
import table

import hedgehop as hh

# Iterations, energy to reach, bound to reach (None: nothing asked), share of the peer's time.
GOALS = {
    "grid256L21h": [(7, 191_633_000, None, 1 / 45), (12, 191_610_000, None, 1 / 28), (30, None, 191_598_500, 1 / 18)],
    "grid256L21": [(50, None, 62_006_353, 1 / 15)],
    "sp2000L21": [(50, 5_057_805, 5_057_805, 1 / 16)],
}
ENERGIES_WITH_COSTS = {"grid256L21h": 211_661_000, "grid256L21": 94_774_000, "sp2000L21": 5_863_290}  # gco's own C++
LONG = 5.0  # seconds of the peer from which it is measured once
PROVEN = 1e-6  # of the energy: a bound this close proves it
PLAIN_SWEEP, FULL_SWEEP = 16.0, 22.0  # nanoseconds per edge and iteration


def of_size(quick):
    if quick:
        return problems.superpixels(200), problems.multilabel_grid(24), problems.multilabel_grid(24, hard=True)
    return problems.superpixels(2000), problems.multilabel_grid(256), problems.multilabel_grid(256, hard=True)


def peer_of(problem, repeats):
    """Time and labeling of the peer; measured once if it takes long, since it takes minutes in all."""
    if not table.peer("gco"):
        return None
    runs = [table.timed(lambda: solvers.peer_expansion(problem, problem["U"]))]
    while runs[0][0] < LONG and len(runs) < repeats:
        runs.append(table.timed(lambda: solvers.peer_expansion(problem, problem["U"])))
    return min(spent for spent, _ in runs), runs[0][1]


def public(problem, repeats):
    """Print what hh.best reaches, by default and with a tolerance; return the peer's time and labeling."""
    given, other = solvers.arrays(problem), peer_of(problem, repeats)
    for tolerance, goal in ((None, 1 / 15 if problem["grid"] else 1 / 10), (1e-3, 1 / 30)):
        [mine] = table.turns(repeats, lambda t=tolerance: hh.best(solvers.built(given), tolerance=t))
        step = mine[1]
        reached = problems.energy(problem, step.labeling)
        words, good = table.verdict(reached, problems.energy(problem, other[1]) if other else None)
        name = f"best, {problem['name']}" + (f", tolerance {tolerance:g}" if tolerance else "")
        proven = ", proven" * (step.upper_bound - step.value <= PROVEN * abs(step.value))
        found = f"{words}; E {reached}, B {-step.upper_bound:.0f}, {step.oracle}{proven}"
        table.compared(name, mine[0], other and other[0], goal, found, good)
    return other


def kernel(problem, repeats, other):
    """Print a line for each goal of the kernel of messages, and return the peer's time."""
    for iterations, energy, bound, goal in GOALS.get(problem["name"], [(50, None, None, 1 / 16)]):
        [mine] = table.turns(repeats, lambda k=iterations: solvers.messages(problem).run(iterations=k))
        labeling, _, upper, _ = mine[1]
        reached = problems.energy(problem, labeling)
        words, _ = table.verdict(reached, problems.energy(problem, other[1]) if other else None)
        good = (energy is None or reached <= energy) and (bound is None or -upper >= bound * (1 - 1e-6))
        asked = "".join([f", E <= {energy}" * bool(energy), f", B >= {bound}" * bool(bound)])
        name = f"MAP, {problem['name']}, kernel, {iterations} iterations"
        found = f"{words}; E {reached}, B {-upper:.0f}{asked}"
        table.compared(name, mine[0], other and other[0], goal, found, good, mine[0])
    return other and other[0]


def with_label_costs(problem, peer_time):
    """Compare with the time of the peer without label costs: it cannot have them."""
    cost = int(0.5 * problems.SCALE * problem["n"] / problem["L"])
    weights = hh.potentials.LabelWeights(np.full(problem["L"], -float(cost)))
    spent, step = table.timed(lambda: hh.best(solvers.model(problem), [weights]))
    energy = problems.energy(problem, step.labeling, cost)
    words, good = table.verdict(energy, ENERGIES_WITH_COSTS.get(problem["name"]), tolerance=1e-5)
    bound = f"; E {energy}, B {-step.upper_bound:.0f}, {step.oracle}"
    table.compared(f"label costs, {problem['name']}", spent, peer_time, 1.5, words + bound, good)


def sweeps(problem):
    """Nanoseconds per edge and iteration: plain, and with bound, decodes and polishing every time."""
    state = solvers.messages(problem)
    for what, every, goal in (("plain", 20, PLAIN_SWEEP), ("bound and labeling", 1, FULL_SWEEP)):
        spent = min(table.timed(lambda e=every: state.run(20, e, 0.0, -1e9, 1))[0] for _ in range(5))
        table.limited(f"sweep, {problem['name']}, {what}", spent / 20 / len(problem["ei"]) * 1e9, "ns", goal)


def run(quick):
    for problem in filter(table.wanted, of_size(quick)):
        repeats = 1 if quick else 3
        with_label_costs(problem, kernel(problem, repeats, public(problem, repeats)))
    for problem in filter(table.wanted, of_size(quick)[::2]):
        sweeps(problem)
