# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C at random moments in every public call: a KeyboardInterrupt or the usual answer, and all goes on after it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
CALLS = (
    "best", "diverse", "refine", "stream", "more", "select", "portfolio", "samples", "m_best", "program", "segmenter",
    "batch", "blocks", "cycles",
)  # fmt: skip
TRIES = int(os.environ.get("HEDGEHOP_THOROUGH", "0")) or 3


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_at_any_moment(call, tmp_path):
    """In a process of its own, whose main thread hears it."""
    script = Path(__file__).with_name("interrupted_calls.py")
    command = [sys.executable, "-W", "error", str(script), call, str(TRIES), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout.splitlines()[-1])
    assert counts["interrupted"] + counts["finished"] == TRIES
    assert counts["wrong"] == []


EXIT_AFTER_CTRL_C = """
import os, signal, sys, threading, time
import numpy as np
import hedgehop as hh

signal.signal(signal.SIGINT, signal.default_int_handler)
grid = hh.Grid(np.random.default_rng(0).normal(size=(4, 4, 3)), 0.5)
call = lambda: hh.best(grid, hh.potentials.LabelWeights([3.0, 1.0, 2.0]), "ilp")
call()
start = time.perf_counter()
call()
threading.Timer(float(sys.argv[1]) * (time.perf_counter() - start), os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    call()
    time.sleep(1.0)
except KeyboardInterrupt:
    pass
"""


@pytest.mark.parametrize("share", [0.4, 0.6, 0.8])
def test_a_process_may_end_right_after_ctrl_c(share):
    """The interrupted solver, still at work in its thread, must not abort the interpreter's shutdown."""
    command = [sys.executable, "-c", EXIT_AFTER_CTRL_C, str(share)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
