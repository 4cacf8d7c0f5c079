# SPDX-License-Identifier: BSD-3-Clause
"""One of the interactive-segmentation models released with DivMBest: its known MAP energy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.io
import scipy.sparse

import hedgehop as hh


def superpixels(data):
    """The model of 2910 superpixels; the rows of data_term are stored in the wrong order."""
    stored = scipy.io.loadmat(data / "divmbest_voctest50" / "2007_000170.mat")
    upper = scipy.sparse.triu(scipy.sparse.csr_matrix(stored["sparse_term"]), k=1).tocoo()
    scores = -np.asarray(stored["data_term"], float)[::-1].T
    return hh.FactorGraph(scores, np.stack([upper.row, upper.col], axis=1), upper.data)


def test_map_energy(data):
    step = hh.best(superpixels(data))
    assert step.exact
    assert step.oracle == "graphcut"
    assert -step.value == pytest.approx(480.056, abs=5e-4)
