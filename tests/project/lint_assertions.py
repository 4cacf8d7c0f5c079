# SPDX-License-Identifier: BSD-3-Clause
"""Finds tests that cannot fail: see ``RULES``. ``make lint`` runs it; ruff's B017 and PT011 find errors of any kind."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

CHECKS = ("assert", "check", "expect", "raises", "warns", "fail", "require")  # beginnings of names that check something
FOLDER = Path(__file__).parents[1]
Functions = dict[str, ast.FunctionDef | ast.AsyncFunctionDef]


def problems(source: str) -> Iterator[tuple[int, str]]:
    """Lines of a test file that cannot fail, and why.

    A helper of the same file that checks something counts as a check, also through other helpers.
    """
    tree = ast.parse(source)
    every = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    functions: Functions = {node.name: node for node in every}
    for node in ast.walk(tree):
        yield from ((node.lineno, text) for text, applies in RULES.items() if applies(node))  # type: ignore[attr-defined]
    for name, node in functions.items():
        if name.startswith("test_") and not _checks(node, functions, set()):
            yield node.lineno, f"{name} asserts nothing"


def _hides_a_side(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) and isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or)


def _is_always_true(node: ast.AST) -> bool:
    """Whether an assertion is about a constant, a filled tuple, a generator, the same twice, or a size below 0."""
    if not isinstance(node, ast.Assert):
        return False
    if isinstance(node.test, ast.Compare):
        sides = [node.test.left, *node.test.comparators]
        return any(map(_says_nothing, sides, node.test.ops, sides[1:]))
    always = (ast.GeneratorExp, ast.Lambda, ast.JoinedStr)
    filled = isinstance(node.test, (ast.Tuple, ast.List, ast.Set)) and bool(node.test.elts)
    return filled or isinstance(node.test, always) or (isinstance(node.test, ast.Constant) and bool(node.test.value))


def _says_nothing(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    """Calls that are repeated may differ, so they are left alone."""
    if ast.dump(left) == ast.dump(right):
        return not any(isinstance(inner, ast.Call) for inner in ast.walk(left))
    return _is_size(left) and (type(operator), ast.unparse(right)) in {(ast.GtE, "0"), (ast.Gt, "-1")}


def _is_size(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return _name(node.func) == "len"
    return isinstance(node, ast.Attribute) and node.attr in ("size", "ndim")


def _swallows(node: ast.AST) -> bool:
    """Whether errors are passed over without a trace: by a handler that only goes on, or by ``suppress``."""
    if isinstance(node, ast.ExceptHandler):
        return all(ast.unparse(inner) in ("pass", "continue", "break", "return") for inner in node.body)
    return isinstance(node, ast.Call) and _name(node.func) == "suppress"


RULES: dict[str, Callable[[ast.AST], bool]] = {
    "an assertion with `or` hides which side holds: assert what must be true in this case": _hides_a_side,
    "this assertion is always true": _is_always_true,
    "an error is passed over: assert what it must say, or when it may come": _swallows,
}


def _checks(node: ast.AST, functions: Functions, seen: set[str]) -> bool:
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
        for path in sorted(FOLDER.rglob("*.py"))
        for line, text in problems(path.read_text(encoding="utf-8"))
    ]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
