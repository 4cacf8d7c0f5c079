# SPDX-License-Identifier: BSD-3-Clause
"""Short files that describe much: refused by what the model would need, within a limit on the process's memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory differ")
BUDGET = 2**28  # bytes beyond what the process has: four times what a short file may describe
READ = """
import resource, sys
import hedgehop as hh
hh.read(sys.argv[1])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[3]),) * 2)
try:
    model = hh.read(sys.argv[2])
except ValueError as error:
    print("refused:", error)
else:
    print("read:", model)
"""
WARM = {
    "wcsp": "x 1 1 0 9\n1\n",
    "uai": "MARKOV\n1\n1\n0\n",
    "cfn": '{{x "<9"} {a: 2} {{[a] [1 2]}}}',
    "max": "p max 3 1\nn 1 s\nn 2 t\na 1 3 1\n",
}
HOSTILE = {
    "two domains of 8192": ("wcsp", "x 2 8192 1 9\n8192 8192\n2 0 1 3 0\n"),
    "a hundred large functions": ("wcsp", "x 2 900 100 9\n900 900\n" + "2 0 1 0 0\n" * 100),
    "a shared function": ("wcsp", "x 2 2000 90 9\n2000 2000\n-2 0 1 0 0\n" + "2 0 1 0 -1\n" * 89),
    "ten variables": ("wcsp", "x 10 9 1 9\n" + "9 " * 10 + "\n10 0 1 2 3 4 5 6 7 8 9 0 0\n"),
    "one large domain": ("uai", "MARKOV\n2\n1 100000000\n0\n"),
    "a default cost": ("cfn", '{{x "<9"} {a: 8192 b: 8192} {{[a b] 0.5 []}}}'),
    "a borrowed table": (
        "cfn", '{{x "<9"} {a: 2000 b: 2000} {t: {[a b] 0.5 []} ' + "{[a b] t} " * 90 + "}}",
    ),
    "one large variable": ("cfn", '{{x "<9"} {a: 2 b: 100000000} {{[a] [1 2]}}}'),
    "many nodes": ("max", "p max 200000000 1\nn 1 s\nn 2 t\na 1 3 1\n"),
}  # fmt: skip
LARGEST = {
    "wcsp": "x 2 2800 1 9\n2800 2800\n2 0 1 3 1\n0 0 4\n",
    "uai": "MARKOV\n2\n1 4000000\n0\n",
    "cfn": '{{x "<9"} {a: 2800 b: 2800} {{[a b] 0.5 [1 2 3]}}}',
    "max": "p max 4000000 1\nn 1 s\nn 2 t\na 1 3 1\n",
}


def read_within(folder, suffix, text, budget):
    """What a process says that reads a small file, and then this one within so many further bytes."""
    (folder / f"warm.{suffix}").write_text(WARM[suffix])
    (folder / f"file.{suffix}").write_text(text)
    words = [sys.executable, "-c", READ, folder / f"warm.{suffix}", folder / f"file.{suffix}", str(budget)]
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize("name", HOSTILE)
def test_what_a_short_file_describes_is_refused_with_the_number(name, tmp_path):
    suffix, text = HOSTILE[name]
    child = read_within(tmp_path, suffix, text, BUDGET // 2)
    assert child.stdout.startswith("refused:"), child.stdout + child.stderr
    assert "bytes; a file of" in child.stdout
    assert "Pass max_bytes=" in child.stdout


@pytest.mark.parametrize("suffix", LARGEST)
def test_the_largest_that_is_read_needs_at_most_four_times_its_model(suffix, tmp_path):
    child = read_within(tmp_path, suffix, LARGEST[suffix], BUDGET)
    assert child.stdout.startswith("read:"), child.stdout + child.stderr
