# SPDX-License-Identifier: BSD-3-Clause
"""Tests that cannot fail: assertions whose top is an ``or``, and tests without any assertion. ``make lint`` runs it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKS = ("assert", "check", "expect", "raises", "warns", "fail", "require")  # beginnings of names that check something
FOLDER = Path(__file__).parents[1]


def problems(source: str) -> Iterator[tuple[int, str]]:
    """Lines of a test file that cannot fail, and why.

    A helper of the same file that checks something counts as a check, also through other helpers.
    """
    tree = ast.parse(source)
    every = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    functions = {node.name: node for node in every}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or):
            yield node.lineno, "an assertion with `or` hides which side holds: assert what must be true in this case"
    for name, node in functions.items():
        if name.startswith("test_") and not _checks(node, functions, set()):
            yield node.lineno, f"{name} asserts nothing"


def _checks(node: ast.AST, functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef], seen: set[str]) -> bool:
    """Whether a function asserts something, itself or by another one."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.Assert, ast.Raise)):
            return True
        if isinstance(inner, ast.Call):
            name = _name(inner.func)
            if name.lstrip("_").startswith(CHECKS):
                return True
            if name in functions and name not in seen and _checks(functions[name], functions, seen | {name}):
                return True
    return False


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def main() -> int:
    """Print what cannot fail; 1 if there is any."""
    found = [
        f"{path}:{line}: {text}"
        for path in sorted(FOLDER.rglob("test_*.py"))
        for line, text in problems(path.read_text(encoding="utf-8"))
    ]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
