# SPDX-License-Identifier: BSD-3-Clause
"""The rule that finds tests which cannot fail."""

from __future__ import annotations

import pytest
from tests.project.lint_assertions import problems


@pytest.mark.parametrize(
    "source",
    [
        "def test_a():\n    assert a or b",
        "def test_a():\n    f()",
        "def f():\n    g()\ndef g():\n    f()\ndef test_a():\n    f()",
        "class TestA:\n    def test_b(self):\n        pass",
        "def test_a():\n    assert a.b[0] == a.b[0]",
        "def test_a():\n    assert a <= b == b",
        "def test_a():\n    assert len(a) >= 0",
        "def test_a():\n    assert a.size > -1",
        "def test_a():\n    assert True",
        "def test_a():\n    assert (a == b, 'what')",
        "def test_a():\n    assert (x for x in a)",
        "def test_a():\n    try:\n        assert a\n    except ValueError:\n        return",
        "while a:\n    try:\n        assert b\n    except ValueError:\n        continue",
        "def test_a():\n    with contextlib.suppress(ValueError):\n        assert a",
    ],
)
def test_what_cannot_fail_is_found(source):
    assert len(list(problems(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "def test_a():\n    assert a",
        "def test_a():\n    assert (a or b) == c",
        "def test_a():\n    with pytest.raises(ValueError):\n        f()",
        "def test_a():\n    hh.testing.check_model(m)",
        "def helper():\n    assert a\ndef middle():\n    helper()\ndef test_a():\n    middle()",
        "def test_a():\n    def inner():\n        assert a\n    inner()",
        "def test_a():\n    assert digest(a) == digest(a)",
        "def test_a():\n    assert a.min() >= 0",
        "def test_a():\n    assert len(a) > 0",
        "def test_a():\n    try:\n        f()\n    except ValueError as error:\n        assert 'x' in str(error)",
    ],
)
def test_what_can_fail_is_left_alone(source):
    assert list(problems(source)) == []
