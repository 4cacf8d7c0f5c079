# SPDX-License-Identifier: BSD-3-Clause
"""The three solvers on the same problems: objective, gap, inferences."""

from __future__ import annotations

import time
from pathlib import Path

from experiments.learning import letters, snakes
from hedgehop.learning import StructuredSVM

SOLVERS = ("bcfw", "one-slack", "n-slack")
TOL = 1e-3
MOST_EXAMPLES = 50  # the program of n-slack grows with their planes


def objectives(data: Path, limit: int | None) -> dict[str, dict[str, float]]:
    """Primal value, gap, inferences and processor seconds by problem and solver."""
    count = min(MOST_EXAMPLES, limit or MOST_EXAMPLES)
    (X, Y), _ = letters.read(data, count)
    images, truths = snakes.read(data, "train", count)
    graphs = [snakes.graph(x, with_ends=False) for x in images]
    problems = {
        f"letters, {count} words": (StructuredSVM("chain", C=letters.C), X, Y),
        f"snakes, {count} images": (
            StructuredSVM("graph", C=snakes.C, pairwise="tables", oracle="trws"),
            graphs,
            [y.ravel() for y in truths],
        ),
    }
    results = {}
    for name, (machine, inputs, labelings) in problems.items():
        for solver in SOLVERS:
            start = time.process_time()
            machine.set_params(solver=solver, tol=TOL, max_iter=1500).fit(inputs, labelings)
            spent = time.process_time() - start
            results[f"{name}: {solver}"] = {
                "primal": machine.primal_, "gap": machine.gap_, "calls": machine.n_calls_, "seconds": spent
            }  # fmt: skip
    return results
