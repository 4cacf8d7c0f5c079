# SPDX-License-Identifier: BSD-3-Clause
"""Variables and cost functions of a cfn file: all at once, as arrays."""

from __future__ import annotations

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop._errors import UnsupportedError
from hedgehop.io.formats.factors import Integers, ScoreLimit, scope_problem, spans, table_sizes
from hedgehop.io.formats.names import Names
from hedgehop.io.formats.nested_lists import NUMBER, OPEN, WORD, NestedLists

_KEYWORDS = frozenset({"scope", "defaultcost", "costs"})
_NONE = -1


class CfnVariables:
    """Numbers of labels, and the names of variables and labels."""

    def __init__(self, document: NestedLists, node: int) -> None:
        tokens = document.children(node)
        words = document.kinds[tokens] == WORD
        owners: Integers = np.cumsum(~words) - ~words  # a word names the variable after it
        self.named = np.full(document.n_words, _NONE, np.int64)  # the variable of each word
        self.named[document.values[tokens[words]].astype(np.int64)] = owners[words]
        nodes = tokens[~words]
        self._words = np.full(nodes.size, _NONE, np.int64)  # the word that names each variable, or none
        inner = words & (owners < nodes.size)
        self._words[owners[inner]] = document.values[tokens[inner]]
        self._sizes, self._labels = _labels_of(document, node, nodes)
        listed = document.kinds[nodes] == OPEN
        counts = np.where(listed, self._sizes, np.abs(document.values[nodes]))
        wrong = ~((counts >= 1) & (counts < 2**31) & (counts == np.floor(counts)))
        if wrong.any():
            count = counts[np.argmax(wrong)]
            raise document.error(f"a variable needs a whole number of labels, at least 1; got {count:g}", node)
        if not counts.size:
            raise document.error("there must be at least one variable", node)
        self.counts: Integers = counts.astype(np.int64)

    def names(self, document: NestedLists) -> Names:
        """Names of the variables, by number if they have none, and of those labels that all have one."""
        known = document.words()
        variables = (f"v{k}" if word == _NONE else known[word] for k, word in enumerate(self._words.tolist()))
        ends, flat = np.cumsum(self._sizes).tolist(), self._labels.tolist()
        lists = (flat[begin:end] for begin, end in zip([0, *ends], ends, strict=False))
        labels = (
            tuple(known[word] for word in own) if len(set(own) - {_NONE}) == count else ()
            for own, count in zip(lists, self.counts.tolist(), strict=True)
        )
        return Names(tuple(variables), tuple(labels))

    def labels_of(self, variables: Integers, words: Integers) -> Integers:
        """Return the label that a word means for a variable; none if it means nothing."""
        sizes, named = self._sizes, self._labels
        labels = np.arange(named.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        keys = np.repeat(np.arange(sizes.size), sizes) * self.named.size + named
        order = np.argsort(keys, kind="stable")
        order = order[named[order] != _NONE]
        if order.size == 0:
            return np.full(words.shape, _NONE)
        wanted = variables * self.named.size + words
        place = np.maximum(np.searchsorted(keys[order], wanted, "right") - 1, 0)
        return np.where(keys[order[place]] == wanted, labels[order[place]], _NONE)


def _labels_of(document: NestedLists, node: int, nodes: Integers) -> tuple[Integers, Integers]:
    """Sizes of the variables' lists of labels, and the words in them, end to end; none for what is no word."""
    inside = document.children(node, deeper=2)
    owners = np.searchsorted(nodes, inside) - 1
    words = np.where(document.kinds[inside] == WORD, document.values[inside], _NONE).astype(np.int64)
    return np.bincount(owners, minlength=nodes.size).astype(np.int64), words


class Functions:
    """Cost functions: scopes end to end, and tables, some of which name another's."""

    def __init__(self, document: NestedLists, node: int, variables: CfnVariables, limit: ScoreLimit) -> None:
        self._document, self._variables = document, variables
        outer = document.children(node)
        self._nodes: Integers = outer[document.kinds[outer] == OPEN]
        scopes, self._defaults, self._tables = self._parts(document.children(node, deeper=2))
        self.arities: Integers = document.partners[scopes] - scopes - 1
        self.members = self._members(spans(scopes + 1, self.arities))
        self._first_members = np.cumsum(self.arities) - self.arities
        sizes = table_sizes(variables.counts, self.arities, self.members)
        problem = limit.problem(float(sizes.sum()), f"the tables of {sizes.size} cost functions")
        document.refuse(self._nodes, np.cumsum(sizes) > limit.entries, problem or "")
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
        """All tables, end to end; the last variable of each changes fastest."""
        document, tables = self._document, self._tables[self._source]
        listed = self._defaults[self._source] != _NONE
        width = np.where(listed, self.arities + 1, 1)
        items = document.partners[tables] - tables - 1
        self._refuse_short_tables(tables, items, width, listed)
        own = np.flatnonzero(listed & (self._source == np.arange(listed.size)))
        values = self._numbers(own, tables, items)
        defaults = np.where(listed, values[self._defaults[self._source]], 0.0)
        document.refuse(tables, ~np.isfinite(defaults), "a default cost must be finite")
        rows = np.where(listed, items // width, -1)
        counts = self._variables.counts
        entries, bad = _core.text.fill_tables(values, defaults, tables + 1, rows, self.arities, self.members, counts)
        if bad >= 0:
            raise self._bad_item(bad, own)
        return entries

    def _refuse_short_tables(self, tables: Integers, items: Integers, width: Integers, listed: Integers) -> None:
        document = self._document
        wrong = np.where(listed, items % width != 0, items != self._sizes)
        if wrong.any():
            k = int(np.argmax(wrong))
            problem = f"the table must have {self._sizes[k]} finite costs; got {items[k]} items"
            if listed[k]:
                problem = f"costs must be tuples of {width[k] - 1} labels and a cost"
            raise document.error(problem, int(tables[k]))

    def _numbers(self, listed: Integers, tables: Integers, items: Integers) -> Doubles:
        """Values of all tokens as numbers: in tuples, names of labels have become labels; other words are NaN."""
        document = self._document
        values = np.where(document.kinds == NUMBER, document.values, np.nan)
        tokens, owner = spans(tables[listed] + 1, items[listed]), np.repeat(listed, items[listed])
        words = document.kinds[tokens] == WORD
        tokens, owner = tokens[words], owner[words]
        column = (tokens - tables[owner] - 1) % (self.arities[owner] + 1)
        labels = column < self.arities[owner]
        tokens, variables = tokens[labels], self.members[(self._first_members[owner] + column)[labels]]
        values[tokens] = self._variables.labels_of(variables, document.values[tokens].astype(np.int64))
        return values

    def _bad_item(self, token: int, listed: Integers) -> ValueError:
        """Return what is wrong with a label or a cost."""
        document = self._document
        function = int(np.searchsorted(self._tables, token)) - 1
        column = (token - int(self._tables[function]) - 1) % (int(self.arities[function]) + 1)
        if function not in listed:
            problem = f"the table must have {self._sizes[function]} finite costs; one is {document.text(token)}"
        elif column == self.arities[function]:
            problem = f"a cost must be a finite number; got {document.text(token)}"
        else:
            variable = int(self.members[self._first_members[function] + column])
            count = self._variables.counts[variable]
            problem = f"variable {variable} has {count} labels; a tuple gives {document.text(token)}"
        return document.error(problem, token)
