# SPDX-License-Identifier: BSD-3-Clause
"""The template of a package that adds to hedgehop: installed as anybody would, and tested by its own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import hedgehop as hh
from hedgehop import _plugins

TEMPLATE = Path(__file__).parents[2] / "examples/plugin"


@pytest.fixture(scope="module")
def with_plugin(tmp_path_factory) -> dict[str, str]:
    """An environment in which the template is installed, without a network and without touching this one."""
    place = tmp_path_factory.mktemp("plugin")
    source = place / "source"
    subprocess.run(["cp", "-r", str(TEMPLATE), str(source)], check=True)
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--quiet", "--target", str(place / "installed")]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True)
    return {**os.environ, "PYTHONPATH": str(place / "installed")}


@pytest.mark.slow
def test_the_template_passes_its_own_tests(with_plugin):
    tests = TEMPLATE / "tests"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, str(tests)]
    done = subprocess.run(command, env=with_plugin, capture_output=True, text=True, cwd=tests)
    assert done.returncode == 0, done.stdout[-3000:]
    assert done.stdout.splitlines()[-1].startswith("7 passed")


def test_unknown_groups_are_refused():
    with pytest.raises(ValueError, match="group must be one of"):
        hh.plugins("colours")


def test_what_cannot_be_loaded_is_named_and_left_out(monkeypatch):
    broken = EntryPoint("torn", "no_such_package:thing", "hedgehop.models")
    monkeypatch.setattr(_plugins, "entry_points", lambda group: [broken])
    _plugins._installed.cache_clear()
    try:
        with pytest.warns(UserWarning, match="'torn'.*cannot be loaded"):
            assert hh.plugins("models") == {}
    finally:
        _plugins._installed.cache_clear()
