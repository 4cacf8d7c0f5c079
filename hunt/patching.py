# SPDX-License-Identifier: BSD-3-Clause
"""Tries changed functions in forks of one session of pytest, which has collected its tests and runs none itself.

Collecting takes seconds, and most mutants are killed in a fraction of one. So each fork gets new code for the functions
that a mutant changes. What a module computes when it is loaded can't be changed this way: that is left to reloading.
"""

from __future__ import annotations

import gc
import importlib
import os
import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from inspect import CO_OPTIMIZED
from types import CodeType, FunctionType
from typing import Any, TextIO

import pytest

QUIETLY = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
UNPATCHED = 77  # exit status of a fork that did not find a function
_STOPPED = (signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM)

Pairs = list[tuple[CodeType, CodeType]]  # a function as it is, and as it becomes


def changes(old: str, new: str) -> Pairs | None:
    """The functions that differ between two sources of a module; None if anything else does."""
    before, after = compile(old, "module", "exec"), compile(new, "module", "exec")
    if _outside(before) != _outside(after):
        return None
    every = zip(_functions(before), _functions(after), strict=True)
    pairs = [(a, b) for a, b in every if a != b]
    return pairs if all(a.co_freevars == b.co_freevars for a, b in pairs) else None


def patch(module: str, pairs: Pairs) -> bool:
    """Give new code to the functions of a loaded module; False if one can't be found."""
    names = vars(importlib.import_module(module))
    living = [f for f in gc.get_objects() if isinstance(f, FunctionType) and f.__globals__ is names]
    for old, new in pairs:
        found = [f for f in living if f.__code__ == old]
        if not found:
            return False
        for function in found:
            function.__code__ = new
    return True


def limited(seconds: float, run: Callable[[], int]) -> str:
    """Run tests in a fork: "survived" if they return 0, "unpatched", "timeout" (which counts as killed) or "killed".

    The limit is one of processor time, so that a busy machine kills nothing; one of wall time is for deadlocks.
    """
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        signal.alarm(int(20 * seconds))
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        os._exit(run())
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in _STOPPED:
        return "timeout"
    return {0: "survived", UNPATCHED << 8: "unpatched"}.get(status, "killed")


class Loop:
    """A plug-in of pytest that tries mutants in place of running the tests."""

    def __init__(self, tries: Sequence[tuple[str, Pairs, list[str], float]], lines: TextIO) -> None:
        self.tries = tries  # each a module, what changes in it, its tests and the seconds they may take
        self.lines = lines

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Write one outcome per mutant."""
        items = {item.nodeid: item for item in session.items}
        for module, pairs, tests, seconds in self.tries:
            chosen = [items[test] for test in tests]
            end = limited(seconds, lambda m=module, p=pairs, c=chosen: _run(session, m, p, c))
            print(end, file=self.lines)
        return True


def _run(session: pytest.Session, module: str, pairs: Pairs, items: list[pytest.Item]) -> int:
    if not patch(module, pairs):
        return UNPATCHED
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return 1
    return 0


def outcomes(tries: Sequence[tuple[str, Pairs, list[str], float]], arguments: list[str]) -> Iterator[str]:
    """The outcome of each try, as it comes, from a fork that collects the tests named by arguments of pytest."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with os.fdopen(write, "w", buffering=1) as lines:
            pytest.main([*QUIETLY, "-s", *arguments], plugins=[Loop(tries, lines)])
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as lines:
        yield from (line.strip() for line in lines)
    os.waitpid(child, 0)


def _functions(code: CodeType) -> list[CodeType]:
    """The outermost functions of a module."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [f for c in inner for f in ([c] if c.co_flags & CO_OPTIMIZED else _functions(c))]


def _outside(code: CodeType) -> tuple[Any, ...]:
    """What a module runs outside functions."""
    plain = [repr(c) for c in code.co_consts if not isinstance(c, CodeType)]
    inner = [_outside(c) for c in code.co_consts if isinstance(c, CodeType) and not c.co_flags & CO_OPTIMIZED]
    return code.co_code, code.co_names, plain, inner, len(_functions(code))
