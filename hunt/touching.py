# SPDX-License-Identifier: BSD-3-Clause
"""Which tests run a line, and how long they take: what a mutant of that line needs to be tried on."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hunt.patching import QUIETLY

_CHANGING = ("hedgehop", "tests", "hunt", "conftest", "__main__", "__mp_main__")  # what each fork loads itself


@dataclass(frozen=True)
class Touching:
    """The tests that run each line of each file, and the processor seconds that each test takes."""

    lines: dict[str, dict[str, list[str]]]  # of each file, by the number of the line as text (JSON)
    seconds: dict[str, float]
    modules: list[str]  # of other packages that the tests import

    def tests(self, path: Path, first: int, last: int, longest: float = 30.0) -> list[str]:
        """The tests of some lines, quickest first, up to some seconds; of the whole file where lines run at import."""
        file = self.lines.get(str(path), {})
        found = {t for line in range(first, last + 1) for t in file.get(str(line), [])}
        found = found or {t for tests in file.values() for t in tests}
        chosen, total = [], 0.0
        for test in sorted(found, key=lambda t: (self.seconds[t], t)):
            total += self.seconds[test]
            if total > longest and chosen:
                break
            chosen.append(test)
        return chosen


class _Watch:
    """A plug-in of pytest that tells coverage which test is running."""

    def __init__(self, watched: Any) -> None:
        self.watched = watched
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what can't be used."""
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        start = time.process_time()
        self.watched.switch_context(item.nodeid)
        result = yield
        self.watched.switch_context("")
        self.seconds[item.nodeid] = time.process_time() - start
        return result


def measure(package: Path, arguments: list[str], into: Path) -> Touching:
    """Run the tests once, in a fork that watches the lines of ``package``.

    The result is kept in a file, and taken from there while no source and no test is newer. Tests that fail without
    any mutant, as those of signals may on a busy machine, are named and left out.
    """
    tests = [Path(a) for a in arguments if a.startswith("tests/")]
    files = [f for place in (package, *tests) for f in ([place] if place.is_file() else place.rglob("*.py"))]
    if not into.exists() or into.stat().st_mtime < max(f.stat().st_mtime for f in files):
        child = os.fork()
        if child == 0:
            os._exit(_measure(package, arguments, into))
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
            raise SystemExit("mutants: the tests can't be run")
    stored = json.loads(into.read_text())
    names = stored["tests"]
    lines = {f: {n: [names[k] for k in places] for n, places in file.items()} for f, file in stored["lines"].items()}
    return Touching(lines, dict(zip(names, stored["seconds"], strict=True)), stored["modules"])


def _measure(package: Path, arguments: list[str], into: Path) -> int:
    import coverage

    watched = coverage.Coverage(data_file=None, source=[str(package)], config_file=False)
    watched.start()
    watch = _Watch(watched)
    code = int(pytest.main([*QUIETLY, *arguments], plugins=[watch]))
    watched.stop()
    seconds = {t: s for t, s in watch.seconds.items() if t not in watch.failed}
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or not seconds:
        return 1
    data, place = watched.get_data(), {name: k for k, name in enumerate(seconds)}
    lines = {f: {n: [place[t] for t in tests if t in place] for n, tests in data.contexts_by_lineno(f).items()}
             for f in data.measured_files()}  # fmt: skip
    into.parent.mkdir(parents=True, exist_ok=True)
    modules = [m for m in sys.modules if m.partition(".")[0] not in _CHANGING]
    kept = {"tests": [*place], "seconds": [*seconds.values()], "lines": lines, "modules": modules}
    into.write_text(json.dumps(kept))
    for test in sorted(watch.failed):
        print(f"mutants: left out, as it fails without any mutant: {test}", file=sys.stderr)
    return 0
