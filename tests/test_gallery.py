# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the gallery run alone and quickly, and their pictures are there, small."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/gallery.md"
SHOWN = re.findall(r"^```{literalinclude} \.\./examples/(\w+)\.py$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
MOST_SECONDS = 60.0  # by the clock, on a machine that runs other tests as well; alone, each takes below 15


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_draws_its_picture_alone(name, tmp_path):
    pytest.importorskip("skimage")
    pytest.importorskip("matplotlib")
    command = [sys.executable, "-W", "error", ROOT / "examples" / f"{name}.py", "small.png"]
    start = time.perf_counter()
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=4 * MOST_SECONDS)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "small.png").read_bytes().startswith(b"\x89PNG")
    assert time.perf_counter() - start < MOST_SECONDS


def test_all_examples_that_need_no_data_are_shown():
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == {*SHOWN, "taggings_and_parses"}


def test_pictures_are_there_and_small():
    sizes = {path.stem: path.stat().st_size for path in (ROOT / "docs/pictures/gallery").glob("*.png")}
    assert set(sizes) == set(SHOWN)
    assert max(sizes.values()) < 150_000
    assert sum(sizes.values()) < 1_500_000
