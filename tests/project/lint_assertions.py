# SPDX-License-Identifier: BSD-3-Clause
"""Finds tests that cannot fail: see ``RULES``. ``make lint`` runs it; ruff's B017 and PT011 find errors of any kind."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

CHECKS = ("assert", "check", "expect", "raises", "warns", "fail", "require")  # beginnings of names that check something
METHODS = (
    "all",
    "any",
    "exists",
    "is_dir",
    "is_file",
    "startswith",
    "endswith",
    "issubset",
    "isdisjoint",
)  # not called
INFINITE = ("np.inf", "math.inf", "inf", "float('inf')")
FOLDER = Path(__file__).parents[1]
Functions = dict[str, ast.FunctionDef | ast.AsyncFunctionDef]


def problems(source: str, file: str = "test_.py") -> Iterator[tuple[int, str]]:
    """Lines of a test file that cannot fail, and why.

    A helper of the same file that checks something counts as a check, also through other helpers.
    """
    tree = ast.parse(source)
    every = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    functions: Functions = {node.name: node for node in every}
    for node in ast.walk(tree):
        yield from ((node.lineno, text) for text, applies in RULES.items() if applies(node))  # type: ignore[attr-defined]
        called = isinstance(node, ast.Assert) and isinstance(node.test, ast.Name) and functions.get(node.test.id)
        if called and not called.decorator_list:  # fixtures are decorated, and are values in tests
            yield node.lineno, f"{called.name} is a function, which is always true: call it"
    yield from ((node.lineno, f"{node.name} is never called") for test in every for node in _idle(test))
    for name, node in functions.items():
        if name.startswith("test_") and not _checks(node, functions, set()):
            yield node.lineno, f"{name} asserts nothing"
        if name.startswith("test_") and not file.startswith("test_"):
            yield node.lineno, f"{name} never runs: the name of its file must begin with test_"


def _hides_a_side(node: ast.AST) -> bool:
    """Whether an assertion is one of two statements: ``a or b``, ``not (not a and not b)``, ``a if b else True``."""
    if not isinstance(node, ast.Assert):
        return False
    test = node.test
    if isinstance(test, ast.IfExp):
        return _holds(test.body) or _holds(test.orelse)
    if isinstance(test, ast.UnaryOp) and isinstance(test.operand, ast.BoolOp):
        return all(isinstance(part, ast.UnaryOp) for part in test.operand.values)
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)


def _is_always_true(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return _name(node.value.func).startswith("assert_") and _compares_with_itself(node.value)
    return isinstance(node, ast.Assert) and _holds(node.test)


def _holds(test: ast.expr) -> bool:
    """Whether a constant, a filled tuple, a generator, a method, the same twice, or a size >= 0 is asserted."""
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        return any(map(_says_nothing, sides, test.ops, sides[1:])) or all(isinstance(x, ast.Constant) for x in sides)
    if isinstance(test, ast.Attribute):
        return test.attr in METHODS
    if isinstance(test, ast.Call):
        return _name(test.func) in ("allclose", "array_equal", "isclose") and _compares_with_itself(test)
    always = (ast.GeneratorExp, ast.Lambda, ast.JoinedStr)
    filled = isinstance(test, (ast.Tuple, ast.List, ast.Set)) and bool(test.elts)
    return filled or isinstance(test, always) or (isinstance(test, ast.Constant) and bool(test.value))


def _says_nothing(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    if isinstance(right, ast.Call) and _name(right.func) == "approx" and right.args:
        infinite = any(ast.unparse(keyword.value) in INFINITE for keyword in right.keywords)
        return infinite or _is_same(left, right.args[0])
    if _is_same(left, right):
        return True
    if (isinstance(operator, ast.LtE) and ast.unparse(right) in INFINITE) or (
        isinstance(operator, ast.GtE) and ast.unparse(right).removeprefix("-") in INFINITE
    ):
        return True
    return _is_size(left) and (type(operator), ast.unparse(right)) in {(ast.GtE, "0"), (ast.Gt, "-1")}


def _compares_with_itself(call: ast.Call) -> bool:
    return len(call.args) >= 2 and _is_same(*call.args[:2])


def _is_same(left: ast.expr, right: ast.expr) -> bool:
    """Calls that are repeated may differ, so they are left alone."""
    return ast.dump(left) == ast.dump(right) and not any(isinstance(inner, ast.Call) for inner in ast.walk(left))


def _is_size(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return _name(node.func) == "len"
    return isinstance(node, ast.Attribute) and node.attr in ("size", "ndim")


def _swallows(node: ast.AST) -> bool:
    """Whether errors are passed over without a trace: by a handler that goes on or prints, or by ``suppress``."""
    if isinstance(node, ast.ExceptHandler):
        texts = [ast.unparse(inner) for inner in node.body]
        return all(t in ("pass", "continue", "break", "return") or t.startswith("print(") for t in texts)
    return isinstance(node, ast.Call) and _name(node.func) == "suppress"


def _never_runs(node: ast.AST) -> bool:
    """Whether something follows an end, is in ``if False`` or a loop over nothing, or is always skipped."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(map(_is_always_skipped, node.decorator_list)):
        return True
    if isinstance(node, (ast.If, ast.While)) and isinstance(node.test, ast.Constant) and not node.test.value:
        return True
    if isinstance(node, ast.For) and isinstance(node.iter, (ast.List, ast.Tuple)) and not node.iter.elts:
        return True
    bodies = (body for name in ("body", "orelse", "finalbody") if isinstance(body := getattr(node, name, None), list))
    return any(_ends(statement) for body in bodies for statement in body[:-1])


def _ends(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func) in ("pytest.skip", "pytest.fail")
    return isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _is_always_skipped(decorator: ast.expr) -> bool:
    if not isinstance(decorator, ast.Call):
        return ast.unparse(decorator) == "pytest.mark.skip"
    empty = len(decorator.args) == 2 and ast.unparse(decorator.args[1]) in ("[]", "()")
    return _name(decorator.func) == "skip" or (_name(decorator.func) == "parametrize" and empty)


def _idle(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.FunctionDef]:
    """Functions inside a test that check something, but that nothing names or decorates."""
    used = {inner.id for inner in ast.walk(test) if isinstance(inner, ast.Name)}
    inside = [part for part in test.body if isinstance(part, ast.FunctionDef) and not part.decorator_list]
    for inner in inside if test.name.startswith("test_") else []:
        if inner.name not in used and any(isinstance(part, ast.Assert) for part in ast.walk(inner)):
            yield inner


RULES: dict[str, Callable[[ast.AST], bool]] = {
    "an assertion with `or` hides which side holds: assert what must be true in this case": _hides_a_side,
    "this assertion is always true": _is_always_true,
    "what is here never runs": _never_runs,
    "an error is passed over: assert what it must say, or when it may come": _swallows,
}


def _checks(node: ast.AST, functions: Functions, seen: set[str]) -> bool:
    """Whether a function asserts something, itself or by another one; a value that is kept is no check."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.Assert, ast.Raise)):
            return True
        call = inner.value if isinstance(inner, ast.Expr) else getattr(inner, "context_expr", None)
        while isinstance(call, ast.Call):
            if _name(call.func).lstrip("_").startswith(CHECKS):
                return True
            call = getattr(call.func, "value", None)  # expect(...).to_have_text(...)
        name = _name(inner.func) if isinstance(inner, ast.Call) else ""
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
        for line, text in problems(path.read_text(encoding="utf-8"), path.name)
    ]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
