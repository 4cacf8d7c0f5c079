# SPDX-License-Identifier: BSD-3-Clause
"""The wcsp format of toulbar2: cost functions in extension. Costs become negative scores; the top is forbidden."""

from __future__ import annotations

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop._errors import UnsupportedError
from hedgehop.io.file_access import MAX_BYTES, FilePath, atomic_write
from hedgehop.io.formats.factors import (
    LARGEST_COUNT,
    LARGEST_WHOLE,
    Factors,
    Integers,
    ScoreLimit,
    factors_of,
    refuse_padding,
    scope_problem,
    scores_of_costs,
    table_sizes,
    top_of,
)
from hedgehop.io.formats.tokens import Tokens
from hedgehop.models import FactorGraph, PairwiseModel


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> FactorGraph:
    """Read a weighted constraint network; its initial upper bound only says which costs forbid."""
    tokens = Tokens(path, max_bytes)
    tokens.word("the name of the problem")
    n_variables = tokens.integer("the number of variables", low=1, high=LARGEST_COUNT)
    tokens.integer("the largest number of labels", low=1)
    n_functions = tokens.integer("the number of cost functions")
    top = tokens.number("the upper bound")
    if np.isnan(top):
        raise tokens.error("the upper bound must be a number; got nan")
    counts = np.abs(tokens.integers(n_variables, "a number of labels", low=-LARGEST_COUNT, high=LARGEST_COUNT))
    if counts.min() == 0:
        raise tokens.error("every variable needs at least one label; one has none")
    limit = ScoreLimit(tokens.size, max_bytes)
    refuse_padding(path, counts, limit)
    functions = _CostFunctions(tokens, counts, n_functions)
    tokens.end()
    scores = scores_of_costs(functions.costs(limit), top)
    return Factors(counts, functions.arities, functions.members, scores).model()


class _CostFunctions:
    """Scopes of all cost functions, and where their numbers are."""

    def __init__(self, tokens: Tokens, counts: Integers, n_functions: int) -> None:
        self._tokens, self._counts, self._before = tokens, counts, tokens.taken
        self._values = tokens.ahead("the arity of a cost function") if n_functions else np.zeros(0)
        found = _core.text.outline(self._values, counts.size, n_functions)
        signed, self.members, self._defaults, self._rows, self._heads, end = found
        tokens.skip(end)
        self.arities: Integers = np.abs(signed)
        self._sizes = table_sizes(counts, self.arities, self.members)
        self._refuse_long_lists()
        if signed.size < n_functions:
            raise _problem(tokens, counts.size, int((signed < 0).sum()))
        self._starts = np.cumsum(self.arities) - self.arities
        self._shared = np.flatnonzero(signed < 0)
        problem = scope_problem(counts.size, self.arities, self.members)
        if problem:
            function = int(np.searchsorted(np.cumsum(self.arities), problem[0], "right"))
            raise self._error(problem[1], function)

    def _error(self, problem: str, function: int, further: int = 0) -> ValueError:
        """Return an error at a function, or at a number further on."""
        return self._tokens.error(problem, self._before + int(self._heads[function]) + further)

    def costs(self, limit: ScoreLimit) -> Doubles:
        """All tables, end to end."""
        large = np.cumsum(self._sizes) > limit.entries
        if large.any():
            what = f"the tables of {large.size} cost functions"
            raise self._error(limit.problem(float(self._sizes.sum()), what) or "", int(np.argmax(large)))
        source = self._sources()
        firsts = self._heads + self.arities + 3
        tables, bad = _core.text.fill_tables(
            self._values, self._defaults[source], firsts[source], self._rows[source], self.arities, self.members,
            self._counts,
        )  # fmt: skip
        if bad >= 0:
            problem = "a tuple must be labels of the variables, then a finite cost"
            raise self._tokens.error(problem, self._before + bad)
        return tables

    def _refuse_long_lists(self) -> None:
        """Refuse functions with more tuples than there are: what follows them was misread."""
        many = self._rows > self._sizes
        if many.any():
            k = int(np.argmax(many))
            raise self._error(f"a cost function over {self._sizes[k]:.0f} tuples lists {self._rows[k]}", k)

    def _sources(self) -> Integers:
        """Which function's tuples each one has: its own, or those of a shared one."""
        sources = np.arange(self._rows.size)
        borrowers = np.flatnonzero(self._rows < 0)
        sources[borrowers] = self._shared[-self._rows[borrowers] - 1]
        while (self._rows[sources] < 0).any():  # a shared one may itself use an earlier one
            sources = sources[sources]
        for k in borrowers.tolist():
            if self._shape(k) != self._shape(int(sources[k])):
                raise self._error("a shared cost function must have the same numbers of labels as the first one", k)
        return sources

    def _shape(self, function: int) -> list[int]:
        start = int(self._starts[function])
        return list(self._counts[self.members[start : start + int(self.arities[function])]].tolist())


def _problem(tokens: Tokens, n_variables: int, n_shared: int) -> ValueError:
    """Return what is wrong with the cost function that begins here."""
    arity = tokens.integer("the arity of a cost function", low=-n_variables, high=n_variables)
    tokens.integers(abs(arity), "a variable of a cost function", high=n_variables - 1)
    default = tokens.number("a default cost")
    if default == -1:
        name = tokens.word("the name of a global cost function")
        raise UnsupportedError(f"{tokens.path}: the cost function {name!r} is not supported; only tables are.")
    if not np.isfinite(default):
        raise tokens.error(f"a default cost must be finite; got {default:g}")
    count = tokens.integer("the number of tuples", low=-n_shared)
    tokens.numbers(count * (abs(arity) + 1), "a tuple or a cost")
    return tokens.error("a cost function is wrong")


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a model whose scores are whole and not positive (or -inf), exactly."""
    top = top_of(model)
    tables = list(factors_of(model))
    values = np.concatenate([table.ravel() for _, table in tables])
    allowed = values[np.isfinite(values)]
    wrong = allowed[(allowed > 0) | (allowed != np.floor(allowed))]
    if wrong.size or top >= LARGEST_WHOLE:
        got = wrong[0] if wrong.size else allowed.min()
        raise ValueError(f"a wcsp file holds whole scores from -9e15 to 0; got {got:g}. Write a .cfn file instead.")
    header = f"hedgehop {model.n_variables} {model.n_labels} {len(tables)} {top:.0f}"
    with atomic_write(path) as file:
        file.write(f"{header}\n{' '.join(map(str, model.label_counts.tolist()))}\n".encode())
        for scope, table in tables:
            file.write(_function(scope, table, top).encode())


def _function(scope: tuple[int, ...], table: Doubles, top: float) -> str:
    """Return one cost function: tuples whose cost is not 0."""
    costs = np.where(np.isneginf(table), top, -table)
    listed = np.argwhere(costs != 0)
    lines = [f"{len(scope)} {' '.join(map(str, scope))} 0 {len(listed)}"]
    lines += [f"{' '.join(map(str, row))} {costs[tuple(row)]:.0f}" for row in listed.tolist()]
    return "\n".join(lines) + "\n"
