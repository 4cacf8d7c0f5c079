# SPDX-License-Identifier: BSD-3-Clause
"""Small models in files."""

import numpy as np
import pytest

import hedgehop as hh


@pytest.fixture
def models(tmp_path):
    folder = tmp_path / "models"
    for k in range(8):
        place = folder / ("inner" if k % 3 == 0 else ".")
        place.mkdir(parents=True, exist_ok=True)
        scores = np.random.default_rng(k).normal(size=(6, 7, 3))
        hh.write(hh.Grid(scores, smoothness=0.4), place / f"grid{k}.npz")
    return sorted(folder.rglob("*.npz"))
