# SPDX-License-Identifier: BSD-3-Clause
"""What several tests share: the folder of real data, which is not part of the repository; no optional oracle."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import hypothesis
import pytest

# `make test` tries fewer examples than hypothesis by itself, other ones each time; each test may say how many it needs.
hypothesis.settings.register_profile(
    "quick", hypothesis.settings(), max_examples=300 if os.environ.get("HEDGEHOP_THOROUGH") else 50
)

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("HEDGEHOP_DATA", ROOT.parent / "shared" / "data"))

# Shells start background jobs with Ctrl-C ignored, and what these start ignores it as well: some tests would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def without_toulbar2(monkeypatch):
    """Choose the same oracles whether or not the optional one is installed."""
    monkeypatch.setattr("hedgehop.oracles.exact.toulbar2.is_installed", lambda: False)


@pytest.fixture
def thorough():
    """Skip what takes minutes, such as whole experiments, unless it is asked for."""
    if not os.environ.get("HEDGEHOP_THOROUGH"):
        pytest.skip("takes minutes: set HEDGEHOP_THOROUGH=1")


@pytest.fixture
def data():
    """Folder of real data; tests that need it are skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip("no data folder: set HEDGEHOP_DATA")
    return DATA
