# SPDX-License-Identifier: BSD-3-Clause
"""``make mutants``: would the tests notice? Changes one place of a module at a time, by mutmut's operators.

mutmut's own runner copies the package and replaces every function, which a compiled editable installation does not
survive. So only its operators are used: a process forks for each mutant, in which the changed function gets new code,
or the module is loaded from the changed source, and runs the tests that touch the changed line. Texts, annotations and
``__repr__`` are left alone.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.abc
import importlib.util
import json
import os
import random
import shlex
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import hypothesis
import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.node_mutation import mutation_operators, operator_string

from hunt.patching import QUIETLY, changes, limited, outcomes
from hunt.touching import Touching, measure

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "hedgehop"
_TABLE = "tests/conformance/test_conformance.py"
_FEW = "chain- or ragged- or matching- or tree- or arbor or binary-"
TESTS = ["tests/lists", "tests/diversity", "tests/potentials", "tests/oracles", "tests/models", "tests/metrics",
         "tests/io/test_saving.py", "tests/test_errors.py", "tests/test_baselines.py", "tests/tuning",
         "tests/test_specifications.py", "tests/test_identity.py", "tests/test_extremes.py", "tests/plotting",
         _TABLE, "-k", f"not thread and (not conformance or {_FEW})"]  # fmt: skip
TARGETS = ["lists", "diversity", "potentials", "oracles/exact", "oracles/routing.py", "metrics"]

_SHOWN = (cst.Annotation, cst.Import, cst.ImportFrom, cst.Raise, cst.Decorator, cst.FormattedString)


@dataclass(eq=False)
class Mutant:
    """A module with one change."""

    path: Path
    first: int  # the lines of the changed statement
    last: int
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
    places = wrapper.resolve(PositionProvider)
    for node in places:
        if _left_alone(node, parents):
            continue
        for kind, operator in mutation_operators:
            if operator is operator_string or not isinstance(node, kind):
                continue
            for changed in operator(node):
                if not node.deep_equals(changed):
                    yield Mutant(path, *_statement(node, parents, places), module, node, changed)


def _statement(node: cst.CSTNode, parents: Any, places: Any) -> tuple[int, int]:
    """The first and the last line of the statement around a node, without the body of a compound one."""
    last, inner = places[node].end.line, node
    while not isinstance(inner, (cst.SimpleStatementLine, cst.BaseCompoundStatement, cst.Module)):
        inner = parents[inner]
    if isinstance(inner, cst.SimpleStatementLine):
        last = places[inner].end.line
    return (places[node] if isinstance(inner, cst.Module) else places[inner]).start.line, last


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


def reloaded(mutant: Mutant, tests: list[str], seconds: float) -> str:
    """The outcome of tests in a fork that loads the module from the changed source."""

    def run() -> int:
        import pytest

        sys.meta_path.insert(0, _Finder(mutant))
        return int(pytest.main([*QUIETLY, "-x", *tests]))

    return limited(seconds, run)


def main() -> int:
    """Sample mutants of every part, and print the share that the tests kill; 1 if one is below the limit."""
    options = _options()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    tests = shlex.split(options.tests) if options.tests else TESTS
    _without_haste()
    kept = f"touching-{sha256(repr(tests).encode()).hexdigest()[:8]}.json"
    touching = measure(PACKAGE, tests, ROOT / "build" / kept)
    for name in touching.modules:  # so that forks need not
        with suppress(Exception):
            importlib.import_module(name)
    scores: dict[str, dict[str, Any]] = {}
    for part in options.parts or TARGETS:
        row = scores[part] = _score(part, touching, tests, options)
        print(f"{part:<20} {row['killed']:>4} of {row['tried']:>4} killed, of {row['all']} mutants", flush=True)
        for survivor in row["survivors"]:
            print(f"  survived: {survivor}", flush=True)
    if options.json:
        print(json.dumps(scores, indent=1))
    return 1 if any(row["killed"] < 0.85 * row["tried"] for row in scores.values()) else 0


def _score(part: str, touching: Touching, arguments: list[str], options: argparse.Namespace) -> dict[str, Any]:
    files = [PACKAGE / part] if part.endswith(".py") else sorted((PACKAGE / part).rglob("*.py"))
    every = [m for f in files for m in mutants(f)]
    tried = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    chosen = {m: touching.tests(m.path, m.first, m.last, options.seconds) for m in tried}
    limits = {m: 5 + 2 * sum(touching.seconds[t] for t in tests) for m, tests in chosen.items()}
    _refuse_broken_forks(next(m for m in tried if chosen[m]), chosen)
    ends = _ends(tried, chosen, limits, arguments)
    survivors, killed = [], 0
    for mutant, end in ends:
        killed += end != "survived"
        where = f"{mutant.path.relative_to(ROOT)}:{mutant.first} ({len(chosen[mutant])} tests)"
        print(f"  {end}: {where}", file=sys.stderr, flush=True)
        if end == "survived":
            survivors.append(f"{where}\n{mutant.difference()}")
    return {"all": len(every), "tried": len(tried), "killed": killed, "survivors": survivors}


def _ends(
    tried: list[Mutant], chosen: dict[Mutant, list[str]], limits: dict[Mutant, float], arguments: list[str]
) -> Iterator[tuple[Mutant, str]]:
    """Each mutant and its outcome: at once if no test touches it, by new code for functions, or by reloading."""
    left = [m for m in tried if chosen[m]]
    yield from ((m, "survived") for m in tried if not chosen[m])
    patches = {m: changes(m.path.read_text(), m.source) for m in left}
    tries = [(m, pairs) for m, pairs in patches.items() if pairs]
    found = outcomes([(m.module, pairs, chosen[m], limits[m]) for m, pairs in tries], arguments)
    for (mutant, _), end in zip(tries, found, strict=True):
        if end != "unpatched":
            left.remove(mutant)
            yield mutant, end
    yield from ((m, reloaded(m, chosen[m], limits[m])) for m in left)


def _refuse_broken_forks(mutant: Mutant, chosen: dict[Mutant, list[str]]) -> None:
    """Stop if tests fail in a fork whatever the source says: then every mutant would count as killed."""
    if reloaded(replace(mutant, changed=mutant.node), chosen[mutant], 600) != "survived":
        raise SystemExit("mutants: the tests fail in a fork without any mutant")


def _without_haste() -> None:
    """Let examples of hypothesis be the same each time, slow (a busy machine must kill nothing) and never shrunk."""
    every, phases = list(hypothesis.HealthCheck), [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    hypothesis.settings.register_profile(
        "mutants",
        max_examples=50,  # as many as `make test` tries
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=every,
        phases=phases,
    )
    hypothesis.settings.load_profile("mutants")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m hunt.mutants", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of {', '.join(TARGETS)}; all by default")
    parser.add_argument("--tests", help="arguments of pytest; fewer tests are measured sooner, and kill fewer mutants")
    parser.add_argument("--sample", type=int, default=25, help="mutants per part")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--seconds", type=float, default=30.0, help="of tests per mutant, the quickest first")
    parser.add_argument("--json", action="store_true", help="scores and survivors, for machines")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
