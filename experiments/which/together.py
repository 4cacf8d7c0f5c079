# SPDX-License-Identifier: BSD-3-Clause
"""One re-ranker for all sets of images, however good their scores, judged on images that it did not learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.which.cases import Case
from experiments.which.rows import FOLDS, Remembering, Row, fold_of, paired

Sets = Mapping[str, Sequence[Case]]


def together(sets: Sets, more: Sequence[Case], lengths: Sequence[int]) -> str:
    """Return a table with a row per re-ranker and a column per set; `more` are cases that are only learned from."""
    lines = [f"| difference to the first one | {' | '.join(sets)} |", "|---|" + "---|" * len(sets)]
    for m in lengths:
        short = {key: [case.first(m) for case in cases] for key, cases in sets.items()}
        others = [case.first(m) for case in more]
        for kind in ("regression", "pairwise"):
            taken = reranked(short, others, kind)
            shown = [_difference(short[key], taken[key]) for key in sets]
            lines.append(f"| one re-ranker, {kind}, list of {m} | {' | '.join(shown)} |")
    return "\n".join([*lines, ""])


def reranked(sets: Sets, more: Sequence[Case], kind: str) -> dict[str, np.ndarray]:
    """Return what is taken from each list. An image is in the same fold in all sets."""
    fold = {group: place for cases in sets.values() for group, place in fold_of(cases).items()}
    taken = {key: np.zeros(len(cases), int) for key, cases in sets.items()}
    for test in range(FOLDS):
        known = [*(case for cases in sets.values() for case in cases if fold[case.group] != test), *more]
        machine = Remembering(kind=kind).fit([c.found for c in known], losses=[1.0 - c.quality / 100.0 for c in known])
        for key, cases in sets.items():
            for k, case in enumerate(cases):
                if fold[case.group] == test:
                    taken[key][k] = machine.predict([case.found])[0]
    return taken


def _difference(cases: Sequence[Case], taken: np.ndarray) -> str:
    first, found = (
        Row("", np.array([c.quality[k] for c, k in zip(cases, t, strict=True)])) for t in (0 * taken, taken)
    )
    change, error = paired(found, first, cases)
    return f"{change:+.2f} ± {error:.2f}"
