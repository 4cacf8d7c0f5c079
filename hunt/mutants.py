# SPDX-License-Identifier: BSD-3-Clause
"""``make mutants``: would the tests notice? Changes one place of a module at a time, by mutmut's operators.

mutmut's own runner copies the package and replaces every function, which a compiled editable installation does not
survive. So only its operators are used: a process imports pytest once and forks for each mutant, in which the module
is loaded from the changed source while the tests of its part run. Texts, annotations and ``__repr__`` are left alone.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.node_mutation import mutation_operators, operator_string

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "hedgehop"
_TABLE = "tests/conformance/test_conformance.py"
_FEW = "(chain- or ragged-)"
_OF_POTENTIALS = [f"tests/oracles/test_{name}.py" for name in ("own_potentials", "counts", "label_weights", "samples")]
PARTS: dict[str, tuple[list[str], list[str]]] = {  # sources, and the arguments of pytest
    "lists": (["lists"], ["tests/lists", _TABLE, "-k", f"not thread and (not conformance or (certified and {_FEW}))"]),
    "diversity": (["diversity"], ["tests/diversity", _TABLE, "-k", f"not conformance or (definition and {_FEW})"]),
    "potentials": (["potentials"], [*_OF_POTENTIALS, _TABLE, "-k",
                   f"not conformance or ((definition or solve) and {_FEW})"]),
    "oracles/exact": (["oracles/exact"], ["tests/oracles/test_structure_oracles.py", "tests/oracles/test_chain.py",
                      _TABLE, "-k", "not conformance or (solve and (chain- or matching- or tree- or arbor))"]),
    "oracles/routing.py": (["oracles/routing.py"], ["tests/oracles/test_routing.py"]),
    "metrics.py": (["metrics.py"], ["tests/test_metrics.py"]),
}  # fmt: skip


_SHOWN = (cst.Annotation, cst.Import, cst.ImportFrom, cst.Raise, cst.Decorator, cst.FormattedString)


@dataclass(eq=False)
class Mutant:
    """A module with one change."""

    path: Path
    line: int
    whole: cst.Module
    node: cst.CSTNode
    changed: cst.CSTNode

    @cached_property
    def source(self) -> str:
        """The changed source, written only for mutants that are tried."""
        return self.whole.deep_replace(self.node, self.changed).code  # type: ignore[arg-type, union-attr]

    @property
    def module(self) -> str:
        names = self.path.relative_to(PACKAGE.parent).with_suffix("").parts
        return ".".join(names[:-1] if names[-1] == "__init__" else names)

    def difference(self) -> str:
        """The changed lines."""
        lines = difflib.unified_diff(self.path.read_text().splitlines(), self.source.splitlines(), n=0, lineterm="")
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def mutants(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text()))
    parents, module = wrapper.resolve(ParentNodeProvider), wrapper.module
    lines = wrapper.resolve(PositionProvider)
    for node in lines:
        if _left_alone(node, parents):
            continue
        for kind, operator in mutation_operators:
            if operator is operator_string or not isinstance(node, kind):
                continue
            for changed in operator(node):
                if not node.deep_equals(changed):
                    yield Mutant(path, lines[node].start.line, module, node, changed)


def _left_alone(node: cst.CSTNode, parents: Any) -> bool:
    """Whether a node is within an annotation, an import, an error, a decorator, or code that only shows things."""
    while node is not None:
        if isinstance(node, _SHOWN):
            return True
        if isinstance(node, cst.FunctionDef) and node.name.value in ("__repr__", "as_markdown"):
            return True
        if isinstance(node, cst.If) and isinstance(node.test, cst.Name) and node.test.value == "TYPE_CHECKING":
            return True
        node = parents.get(node)
    return False


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from a changed source."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.mutant.module:
            return None
        places = [str(self.mutant.path.parent)] if self.mutant.path.name == "__init__.py" else None
        spec = importlib.util.spec_from_loader(name, self, origin=str(self.mutant.path), is_package=places is not None)
        if spec is not None and places is not None:
            spec.submodule_search_locations = places
        return spec

    def exec_module(self, module: Any) -> None:
        module.__file__ = str(self.mutant.path)
        exec(compile(self.mutant.source, str(self.mutant.path), "exec"), module.__dict__)


def outcome(mutant: Mutant | None, arguments: list[str], seconds: float) -> str:
    """Run the tests on a mutant in a fork: "killed", "survived" or "timeout" (which counts as killed)."""
    child = os.fork()
    if child == 0:
        _run(mutant, arguments)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def _run(mutant: Mutant | None, arguments: list[str]) -> None:
    import pytest

    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))
    os._exit(int(pytest.main(["-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *arguments])))


def main() -> int:
    """Sample mutants of every part, and print the share that the tests kill; 1 if one is below the limit."""
    options = _options()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    import numpy  # noqa: F401 so that forks have it
    import scipy.optimize  # noqa: F401

    scores: dict[str, dict[str, Any]] = {}
    for part in options.parts or PARTS:
        sources, arguments = PARTS[part]
        start = time.monotonic()
        if outcome(None, arguments, 600) != "survived":
            print(f"mutants: the tests of {part} fail without any mutant", file=sys.stderr)
            return 2
        limit = 20 + 5 * (time.monotonic() - start)
        scores[part] = _score(sources, arguments, limit, options)
        row = scores[part]
        print(f"{part:<20} {row['killed']:>4} of {row['tried']:>4} killed, of {row['all']} mutants", flush=True)
        for survivor in row["survivors"]:
            print(f"  survived: {survivor}", flush=True)
    if options.json:
        print(json.dumps(scores, indent=1))
    return 1 if any(row["killed"] < 0.85 * row["tried"] for row in scores.values()) else 0


def _score(sources: list[str], arguments: list[str], limit: float, options: argparse.Namespace) -> dict[str, Any]:
    files = [f for s in sources for f in ([PACKAGE / s] if s.endswith(".py") else sorted((PACKAGE / s).rglob("*.py")))]
    every = [m for f in files for m in mutants(f)]
    tried = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    survivors, killed = [], 0
    for mutant in tried:
        end = outcome(mutant, arguments, limit)
        killed += end != "survived"
        where = f"{mutant.path.relative_to(ROOT)}:{mutant.line}"
        print(f"  {end}: {where}", file=sys.stderr, flush=True)
        if end == "survived":
            survivors.append(f"{where}\n{mutant.difference()}")
    return {"all": len(every), "tried": len(tried), "killed": killed, "survivors": survivors}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m hunt.mutants", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of {', '.join(PARTS)}; all by default")
    parser.add_argument("--sample", type=int, default=25, help="mutants per part")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--json", action="store_true", help="scores and survivors, for machines")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
