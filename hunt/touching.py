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

_MEASURED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
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

    The result is kept in a file: tests run again if a source is newer than it, or their own file is. Tests that fail
    without any mutant, as those of signals may on a busy machine, are named and left out.
    """
    places, options = [[a for a in arguments if a.startswith("tests/") is there] for there in (True, False)]
    tests = [f for a in places for f in ([Path(a)] if Path(a).is_file() else sorted(Path(a).rglob("test_*.py")))]
    written = into.stat().st_mtime if into.exists() else -1.0
    fresh = max(f.stat().st_mtime for f in package.rglob("*.py")) < written
    known = {t.partition("::")[0] for t in json.loads(into.read_text())["tests"]} if fresh else set()
    again = [str(f) for f in tests if str(f) not in known or f.stat().st_mtime > written]
    if again:
        child = os.fork()
        if child == 0:
            os._exit(_measure(package, [*again, *options], into, known - {*again}))
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
            raise SystemExit("mutants: the tests can't be run")
    stored = json.loads(into.read_text())
    names = stored["tests"]
    lines = {f: {n: [names[k] for k in places] for n, places in file.items()} for f, file in stored["lines"].items()}
    return Touching(lines, dict(zip(names, stored["seconds"], strict=True)), stored["modules"])


def _measure(package: Path, arguments: list[str], into: Path, kept: set[str]) -> int:
    """Measure tests, and keep what is known of those in some other files."""
    import coverage

    watched = coverage.Coverage(data_file=None, source=[str(package)], config_file=False)
    watched.start()
    watch = _Watch(watched)
    code = int(pytest.main([*QUIETLY, *arguments], plugins=[watch]))
    watched.stop()
    seconds = {t: s for t, s in watch.seconds.items() if t not in watch.failed}
    if code not in (*_MEASURED, pytest.ExitCode.NO_TESTS_COLLECTED) or not (seconds or kept):
        return 1
    data, lines = watched.get_data(), {}
    for file in data.measured_files():
        lines[file] = {str(n): [t for t in tests if t in seconds] for n, tests in data.contexts_by_lineno(file).items()}
    modules = [m for m in sys.modules if m.partition(".")[0] not in _CHANGING]
    if kept:
        old = json.loads(into.read_text())
        staying = {k: t for k, t in enumerate(old["tests"]) if t.partition("::")[0] in kept}
        seconds |= {t: old["seconds"][k] for k, t in staying.items()}
        modules = [*dict.fromkeys([*old["modules"], *modules])]
        for file, numbers in old["lines"].items():
            for n, places in numbers.items():
                lines.setdefault(file, {}).setdefault(n, []).extend(staying[k] for k in places if k in staying)
    place = {name: k for k, name in enumerate(seconds)}
    numbered = {f: {n: [place[t] for t in tests] for n, tests in file.items()} for f, file in lines.items()}
    into.parent.mkdir(parents=True, exist_ok=True)
    kept_text = {"tests": [*place], "seconds": [*seconds.values()], "lines": numbered, "modules": modules}
    into.write_text(json.dumps(kept_text))
    for test in sorted(watch.failed):
        print(f"mutants: left out, as it fails without any mutant: {test}", file=sys.stderr)
    return 0
