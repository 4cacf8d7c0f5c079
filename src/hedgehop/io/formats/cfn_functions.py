# SPDX-License-Identifier: BSD-3-Clause
"""Variables and cost functions of a cfn file: all at once, as arrays; only tuples are read function by function."""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop._errors import UnsupportedError
from hedgehop.io.formats.factors import MOST_ENTRIES, Integers, scope_problem, spans, table_sizes
from hedgehop.io.formats.nested_lists import NUMBER, OPEN, WORD, NestedLists

_KEYWORDS = frozenset({"scope", "defaultcost", "costs"})
_NONE = -1


class CfnVariables:
    """Numbers of labels, and the names of variables and labels."""

    def __init__(self, document: NestedLists, node: int) -> None:
        self.named = np.full(document.n_words, _NONE, np.int64)  # the variable of each word
        self.labels: list[dict[int, int]] = []  # of each variable, the label of each word
        counts: list[int] = []
        for token in document.children(node).tolist():
            kind, value = document.kinds[token], float(document.values[token])
            if kind == WORD:
                self.named[int(value)] = len(counts)
                continue
            labels = _labels_of(document, token) if kind == OPEN else []
            count = abs(value) if kind == NUMBER else len(labels)
            if not 1 <= count < 2**31 or count != int(count):
                raise document.error(f"a variable needs a whole number of labels, at least 1; got {count:g}", node)
            counts.append(int(count))
            self.labels.append({word: k for k, word in enumerate(labels) if word != _NONE})
        if not counts:
            raise document.error("there must be at least one variable", node)
        self.counts: Integers = np.array(counts, np.int64)


def _labels_of(document: NestedLists, node: int) -> list[int]:
    """Words in a list of labels; none for what is no word."""
    inside = document.children(node)
    return [int(value) for value in np.where(document.kinds[inside] == WORD, document.values[inside], _NONE)]


class Functions:
    """Cost functions: scopes end to end, and tables, some of which name another's."""

    def __init__(self, document: NestedLists, node: int, variables: CfnVariables) -> None:
        self._document, self._variables = document, variables
        outer = document.children(node)
        self._nodes: Integers = outer[document.kinds[outer] == OPEN]
        scopes, self._defaults, self._tables = self._parts(document.children(node, deeper=2))
        self.arities: Integers = document.partners[scopes] - scopes - 1
        self.members = self._members(spans(scopes + 1, self.arities))
        self._first_members = np.cumsum(self.arities) - self.arities
        sizes = table_sizes(variables.counts, self.arities, self.members)
        too_many = f"the tables would have more than {MOST_ENTRIES} entries"
        document.refuse(self._nodes, np.cumsum(sizes) > MOST_ENTRIES, too_many)
        self._sizes: Integers = sizes.astype(np.int64)
        self._source = self._sources(outer)

    def _parts(self, inner: Integers) -> tuple[Integers, Integers, Integers]:
        """Tokens of every function's scope, default cost (or none) and table."""
        document, kinds = self._document, self._document.kinds
        self._refuse_types(inner)
        tags = np.isin(document.values[inner], document.numbers_of(_KEYWORDS)) & (kinds[inner] == WORD)
        inner = inner[~tags]
        owner = np.searchsorted(self._nodes, inner) - 1
        count = np.bincount(owner, minlength=self._nodes.size)
        first = np.cumsum(count) - count
        document.refuse(self._nodes, count == 0, "a cost function must have a scope, then costs")
        document.refuse(self._nodes, kinds[inner[first]] != OPEN, "a cost function must have a scope, then costs")
        last = inner[first + count - 1]
        has_default = count == 3
        defaults = np.where(has_default, inner[np.minimum(first + 1, inner.size - 1)], _NONE)
        wrong = (count == 1) | (count > 3) | (kinds[last] == NUMBER) | (has_default & (kinds[defaults] != NUMBER))
        document.refuse(self._nodes, wrong, "a cost function must have one table of costs")
        return inner[first], defaults, last

    def _refuse_types(self, inner: Integers) -> None:
        document = self._document
        types = document.numbers_of(frozenset({"type"}))
        found = np.flatnonzero(np.isin(document.values[inner], types) & (document.kinds[inner] == WORD))
        if found.size:
            after = inner[found[0] + 1 : found[0] + 2].tolist()
            kind = document.text(after[0]) if after else "'?'"
            raise UnsupportedError(f"{document.path}: the cost function {kind} is not supported; only tables are.")

    def _members(self, tokens: Integers) -> Integers:
        """Variables of all scopes, by name or number, end to end."""
        document = self._document
        kinds, values = document.kinds[tokens], document.values[tokens]
        named = kinds == WORD
        strange = ~(named | ((kinds == NUMBER) & (values == np.floor(values))))
        document.refuse(tokens, strange, "a scope must hold names or numbers of variables")
        members = np.where(named | (np.abs(values) > 2**31), _NONE, values).astype(np.int64)
        members[named] = self._variables.named[values[named].astype(np.int64)]
        unknown = named & (members == _NONE)
        document.refuse(tokens, unknown, "a scope must name variables; there is none called {}")
        problem = scope_problem(self._variables.counts.size, self.arities, members)
        if problem:
            raise document.error(problem[1], int(tokens[problem[0]]))
        return members

    def _sources(self, outer: Integers) -> Integers:
        """Which function's table each one has: its own, or that of the one it names."""
        document = self._document
        sources = np.arange(self._nodes.size)
        borrowers = np.flatnonzero(document.kinds[self._tables] == WORD)
        if borrowers.size:
            before = np.concatenate([[_NONE], outer[:-1]])[document.kinds[outer] == OPEN]
            own = np.flatnonzero(
                (document.kinds[self._tables] == OPEN) & (document.kinds[before] == WORD) & (before >= 0)
            )
            lender = np.full(document.n_words, _NONE, np.int64)
            lender[document.values[before[own]].astype(np.int64)] = own
            sources[borrowers] = lender[document.values[self._tables[borrowers]].astype(np.int64)]
            wrong = [sources[k] < 0 or self._shape(k) != self._shape(int(sources[k])) for k in borrowers.tolist()]
            problem = "costs name {}, which is not a table with the same numbers of labels"
            document.refuse(self._tables[borrowers], np.array(wrong), problem)
        return sources

    def _scope(self, function: int) -> Integers:
        start = int(self._first_members[function])
        return self.members[start : start + int(self.arities[function])]

    def _shape(self, function: int) -> tuple[int, ...]:
        return tuple(self._variables.counts[self._scope(function)].tolist())

    def costs(self) -> Doubles:
        """All tables, end to end; the last variable of each changes quickest."""
        document, starts = self._document, np.cumsum(self._sizes) - self._sizes
        dense = np.flatnonzero(self._defaults[self._source] == _NONE)
        tables = self._tables[self._source]
        total = np.empty(int(self._sizes.sum()))
        self._refuse_short_tables(dense, tables)
        cells = spans(tables[dense] + 1, self._sizes[dense])
        total[spans(starts[dense], self._sizes[dense])] = document.values[cells]
        for k in np.flatnonzero(self._defaults[self._source] != _NONE).tolist():
            total[starts[k] : starts[k] + self._sizes[k]] = self._sparse(int(self._source[k])).ravel()
        return total

    def _refuse_short_tables(self, dense: Integers, tables: Integers) -> None:
        document = self._document
        items = document.partners[tables[dense]] - tables[dense] - 1
        wrong = items != self._sizes[dense]
        whole = np.flatnonzero(~wrong)
        cells = spans(tables[dense[whole]] + 1, self._sizes[dense[whole]])
        bad = (document.kinds[cells] != NUMBER) | ~np.isfinite(document.values[cells])
        wrong[np.repeat(whole, self._sizes[dense[whole]])[bad]] = True
        if wrong.any():
            k = int(np.argmax(wrong))
            problem = f"the table must have {self._sizes[dense[k]]} finite costs; got {items[k]} items"
            raise document.error(problem, int(tables[dense[k]]))

    def _sparse(self, function: int) -> Doubles:
        """Fill a table with the default cost and the listed tuples."""
        document, scope, node = self._document, self._scope(function), int(self._tables[function])
        default = float(document.values[self._defaults[function]])
        tokens = np.arange(node + 1, int(document.partners[node]))
        width = scope.size + 1
        if tokens.size % width or not np.isfinite(default):
            raise document.error(f"costs must be tuples of {width - 1} labels and a cost", node)
        rows = tokens.reshape(-1, width)
        place = tuple(self._labels(rows[:, k], int(v)) for k, v in enumerate(scope.tolist()))
        costs = document.values[rows[:, -1]]
        wrong = (document.kinds[rows[:, -1]] != NUMBER) | ~np.isfinite(costs)
        document.refuse(rows[:, -1], wrong, "a cost must be a finite number; got {}")
        table = np.full(self._shape(function), default)
        if scope.size == 0:
            return costs[-1:] if costs.size else table
        table[place] = costs
        return table

    def _labels(self, tokens: Integers, variable: int) -> Integers:
        """Labels of one variable, by name or number."""
        document, count = self._document, int(self._variables.counts[variable])
        values = np.where(np.isin(document.kinds[tokens], (NUMBER, WORD)), document.values[tokens], np.nan)
        for k in np.flatnonzero(document.kinds[tokens] == WORD).tolist():
            values[k] = self._variables.labels[variable].get(int(values[k]), _NONE)
        wrong = ~((values >= 0) & (values < count) & (values == np.floor(values)))
        document.refuse(tokens, wrong, f"variable {variable} has {count} labels; a tuple gives {{}}")
        return values.astype(np.int64)
