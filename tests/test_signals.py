# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C at random moments in every public call: a KeyboardInterrupt or the usual answer, and all goes on after it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = (
    "best", "diverse", "refine", "stream", "more", "select", "portfolio", "samples", "m_best", "program", "segmenter",
    "batch",
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
