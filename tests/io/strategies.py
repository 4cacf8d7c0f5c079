# SPDX-License-Identifier: BSD-3-Clause
"""Random models for the tests of file formats: ragged labels, forbidden labels and pairs, cliques, one variable."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import hedgehop as hh

PLAIN = st.sampled_from([0.0, 0.5, -1.25, 2.0, -3.0, -np.inf])


@st.composite
def models(draw, score=PLAIN):
    """A factor graph with scores from a strategy."""
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    n = len(counts)

    def table(scope):
        shape = [counts[v] for v in scope]
        size = int(np.prod(shape))
        return np.array(draw(st.lists(score, min_size=size, max_size=size))).reshape(shape)

    several = st.lists(st.integers(0, n - 1), min_size=2, max_size=3, unique=True)
    scopes = draw(st.lists(several, max_size=5)) if n > 1 else []
    unary = [table([v]) for v in range(n)]
    for row in unary:
        row[0] = 0.0 if np.isneginf(row).all() else row[0]
    return hh.FactorGraph(unary, (), 0.0, [(scope, table(scope)) for scope in scopes])


def labelings(model):
    """Every labeling of a small model."""
    each = np.meshgrid(*map(np.arange, model.label_counts), indexing="ij")
    return np.stack(each, axis=-1).reshape(-1, model.n_variables)


def assert_same(a, b):
    """Two models with the same scores, bit for bit."""
    assert a.label_counts.tolist() == b.label_counts.tolist()
    rows = labelings(a)
    assert np.array_equal(a.score(rows), b.score(rows))
