# SPDX-License-Identifier: BSD-3-Clause
"""The wcsp format of toulbar2: cost functions in extension. Costs become negative scores; the top is forbidden."""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop._errors import UnsupportedError
from hedgehop.io.file_access import MAX_BYTES, FilePath, atomic_write
from hedgehop.io.formats.factors import (
    LARGEST_COUNT,
    LARGEST_WHOLE,
    MOST_ENTRIES,
    Factors,
    Integers,
    check_scope,
    factors_of,
    refuse_padding,
    scores_of_costs,
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
    counts = np.abs(tokens.integers(n_variables, "a number of labels", low=-LARGEST_COUNT, high=LARGEST_COUNT))
    if counts.min() == 0:
        raise tokens.error("every variable needs at least one label; one has none")
    refuse_padding(counts)
    reader = _CostFunctions(tokens, counts, top)
    for _ in range(n_functions):
        reader.add()
    tokens.end()
    return Factors.of(counts, reader.tables).model()


class _CostFunctions:
    """Cost functions read so far, and those that may be shared."""

    def __init__(self, tokens: Tokens, counts: Integers, top: float) -> None:
        self.tables: list[tuple[list[int], Doubles]] = []
        self._tokens, self._counts, self._top = tokens, counts, top
        self._shared: list[Doubles] = []
        self._room = float(MOST_ENTRIES)

    def add(self) -> None:
        """Read one more."""
        tokens, n = self._tokens, self._counts.size
        arity = tokens.integer("the arity of a cost function", low=-n, high=n)
        scope = tokens.integers(abs(arity), "a variable of a cost function", high=n - 1).tolist()
        problem = check_scope(scope, self._counts, self._room)
        if problem:
            raise tokens.error(problem)
        default = tokens.number("a default cost")
        if default == -1:
            name = tokens.word("the name of a global cost function")
            raise UnsupportedError(f"{tokens.path}: the cost function {name!r} is not supported; only tables are.")
        count = tokens.integer("the number of tuples", low=-len(self._shared))
        scores = self._repeated(-count, scope) if count < 0 else self._table(scope, default, count)
        if arity < 0:
            self._shared.append(scores)
        self._room -= scores.size
        self.tables.append((scope, scores))

    def _repeated(self, number: int, scope: list[int]) -> Doubles:
        scores = self._shared[number - 1]
        if scores.shape != tuple(self._counts[scope]):
            raise self._tokens.error("a shared cost function must have the same numbers of labels as the first one")
        return scores

    def _table(self, scope: list[int], default: float, count: int) -> Doubles:
        shape = self._counts[scope]
        if count > np.prod(shape.astype(float)):
            raise self._tokens.error(f"a cost function over {int(np.prod(shape))} tuples lists {count}")
        values = self._tokens.numbers(count * (len(scope) + 1), "a tuple or a cost").reshape(count, len(scope) + 1)
        tuples, costs = values[:, :-1], values[:, -1]
        bad = ~((tuples >= 0) & (tuples < shape) & (tuples == np.floor(tuples))).all(axis=1) | ~np.isfinite(costs)
        if bad.any() or not np.isfinite(default):
            back = (count - int(np.argmax(bad))) * (len(scope) + 1)
            problem = "a tuple must be labels of the variables, then a finite cost"
            raise self._tokens.error(problem, self._tokens.taken - back)
        table = np.full(tuple(shape), default)
        table[tuple(tuples.T.astype(np.int64))] = costs if len(scope) else costs.sum() + default * (count == 0)
        return scores_of_costs(table, self._top)


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
