# SPDX-License-Identifier: BSD-3-Clause
"""What is printed after every change: small problems through the public functions, as ratios to the peers' times."""

from __future__ import annotations

import cuts
import diverse
import multilabel
import problems
import table


def run(quick):
    size, repeats = (64, 1) if quick else (256, 3)
    for kind, goal in (("noisy", 0.40), ("scribble", 0.50)):
        cuts.compare(problems.binary_grid(size, kind), goal, repeats)
    cuts.compare(problems.superpixels(500 if quick else 20_000, 2), 0.45, repeats)
    problem = problems.binary_grid(size // 2, "noisy")
    peer = (lambda: diverse.peer_cuts(problem, diverse.PENALTY)) if table.peer("maxflow") else None
    for certify in (False, "auto"):
        diverse.compare(problem, diverse.PENALTY, 0.50, peer, repeats, None, certify)
    multilabel.public(problems.superpixels(200 if quick else 2000), repeats)
    multilabel.public(problems.multilabel_grid(24 if quick else 64, hard=True), repeats)
