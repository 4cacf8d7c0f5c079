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
        "def test_a():\n    try:\n        assert a\n    except AssertionError as e:\n        print(e)",
        "def test_a():\n    assert not (not a and not b)",
        "def test_a():\n    assert a if b else True",
        "def test_a():\n    assert a == pytest.approx(a)",
        "def test_a():\n    assert a == pytest.approx(b, abs=np.inf)",
        "def test_a():\n    np.testing.assert_allclose(a, a)",
        "def test_a():\n    assert np.allclose(a, a)",
        "def test_a():\n    assert a <= np.inf",
        "def test_a():\n    assert a >= -math.inf",
        "def test_a():\n    assert 1 < 2",
        "def test_a():\n    assert (a == b).all",
        "def holds(a):\n    return a\ndef test_a():\n    assert holds",
        "def test_a():\n    def inner():\n        assert a\n    f()",
        "def test_a():\n    return\n    assert a",
        "def test_a():\n    pytest.skip('why')\n    assert a",
        "def test_a():\n    for a in []:\n        assert a",
        "def test_a():\n    if False:\n        assert a",
        "@pytest.mark.skip\ndef test_a():\n    assert a",
        "@pytest.mark.skip(reason='why')\ndef test_a():\n    assert a",
        "@pytest.mark.parametrize('a', [])\ndef test_a(a):\n    assert a",
        "def test_a():\n    wanted = expected_list(model)",
    ],
)
def test_what_cannot_fail_is_found(source):
    assert len(list(problems(source))) == 1


def test_tests_in_files_that_are_not_collected_are_found():
    assert len(list(problems("def test_a():\n    assert a", "more_tests.py"))) == 1


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
        "def value():\n    try:\n        return f()\n    except ValueError:\n        return None",
        "def test_a():\n    expect(page).to_have_text('x')",
        "@pytest.fixture\ndef options():\n    return []\ndef test_a(options):\n    assert options",
        "def test_a():\n    assert a < np.inf",
        "def test_a():\n    assert a == pytest.approx(b, abs=1e-9)",
        "def test_a():\n    def inner():\n        assert a\n    call(inner)",
        "def test_a():\n    if a:\n        pytest.skip('why')\n    assert a",
        "@pytest.mark.skipif(a, reason='why')\ndef test_a():\n    assert a",
    ],
)
def test_what_can_fail_is_left_alone(source):
    assert list(problems(source)) == []
