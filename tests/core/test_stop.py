# SPDX-License-Identifier: BSD-3-Clause
"""One thread stops the kernels of another."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import hedgehop as hh
from hedgehop import _core


def test_a_kernel_that_runs_is_stopped_soon():
    random = np.random.default_rng(0)
    model = hh.Grid(random.normal(size=(400, 400, 8)), 2.0)
    stop, outcome = _core.Stop(), []

    def work():
        with stop:
            try:
                for _ in range(1000):
                    hh.best(model, oracle="expansion")
            except KeyboardInterrupt:
                outcome.append("stopped")

    worker = threading.Thread(target=work)
    worker.start()
    time.sleep(0.3)
    stop.set()
    worker.join(60)  # all of it would take minutes
    assert outcome == ["stopped"]


def test_a_stop_is_for_its_block_and_its_thread():
    model = hh.FactorGraph([[1.0, 0.0], [0.0, 1.0]], edges=[[0, 1]], pairwise=0.1)
    stop = _core.Stop()
    stop.set()
    assert stop.is_set()
    assert hh.best(model).exact
    with stop:
        with pytest.raises(KeyboardInterrupt):
            _core.check_stop()
        with pytest.raises(KeyboardInterrupt):
            hh.best(model, oracle="graphcut")
        found = []
        other = threading.Thread(target=lambda: found.append(hh.best(model, oracle="graphcut")))
        other.start()
        other.join()
        assert len(found) == 1
    _core.check_stop()


def test_a_list_that_is_stopped_keeps_what_it_has():
    model = hh.Grid(np.random.default_rng(0).normal(size=(30, 30, 2)), 0.5)
    stop = _core.Stop()
    with stop, pytest.raises(hh.Interrupted) as told:
        hh.diverse(model, hh.VariableCoverage(), m=50, oracle="graphcut", callback=lambda step: stop.set())
    assert len(told.value.found) == 1
