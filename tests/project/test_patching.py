# SPDX-License-Identifier: BSD-3-Clause
"""Mutants of functions are put in place without loading their module again."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from hunt.patching import changes, patch

SOURCE = """
LIMIT = 3

def twice(x, extra=1):
    return 2 * x + extra

class Counter:
    start = 0

    @property
    def next(self):
        return self.start + 1
"""


@pytest.fixture
def module(monkeypatch):
    made = ModuleType("patched_here")
    exec(compile(SOURCE, "patched_here", "exec"), made.__dict__)
    monkeypatch.setitem(sys.modules, "patched_here", made)
    return made


@pytest.mark.parametrize(("old", "new"), [("2 * x", "3 * x"), ("start + 1", "start - 1")])
def test_bodies_of_functions_are_changed_where_they_live(module, old, new):
    counter = module.Counter()
    before = module.twice(5), counter.next
    pairs = changes(SOURCE, SOURCE.replace(old, new))
    assert len(pairs) == 1
    assert patch("patched_here", pairs)
    assert (module.twice(5), counter.next) in ((16, before[1]), (before[0], -1))


@pytest.mark.parametrize(
    ("old", "new"), [("LIMIT = 3", "LIMIT = 4"), ("extra=1", "extra=2"), ("start = 0", "start = 1")]
)
def test_what_runs_while_a_module_is_loaded_is_left_to_reloading(old, new):
    assert changes(SOURCE, SOURCE.replace(old, new)) is None


def test_a_function_that_is_gone_is_not_found(module):
    pairs = changes(SOURCE, SOURCE.replace("2 * x", "3 * x"))
    del module.twice
    assert not patch("patched_here", pairs)
