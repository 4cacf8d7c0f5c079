# SPDX-License-Identifier: BSD-3-Clause
"""The experiment on learning runs from end to end on a few examples, and again at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(data, output):
    command = [sys.executable, "-W", "error", "-m", "experiments.learning", "--data", data, "--limit", "4"]
    ran = subprocess.run(
        [*command, "--output", output], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_it_writes_tables_and_a_plot_and_repeats_itself_from_its_cache(data, thorough, tmp_path):
    for extra in ("sklearn", "clarabel", "skimage", "matplotlib"):
        pytest.importorskip(extra)
    first = run(data, tmp_path)
    assert run(data, tmp_path) == first[first.index("# Learned") :]
    assert (tmp_path / "oracle.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads((tmp_path / "solvers4.json").read_text(encoding="utf-8"))
    for problem in ("letters", "snakes"):
        values = [row["primal"] for name, row in found.items() if name.startswith(problem)]
        assert len(values) == 3
        assert max(values) <= 1.001 * min(values)
