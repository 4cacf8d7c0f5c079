# SPDX-License-Identifier: BSD-3-Clause
"""Parses of a sentence by a weighted context-free grammar in Chomsky normal form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Ints, Labels, own
from hedgehop.models.structures.charted import ChartedModel, names_of, one_score_each, triples

_NO_PARSE = "the grammar has no parse of this sentence. Add rules, or allow more symbols for its words."


class Cfg(ChartedModel):
    """``r(y) = sum of the scores of the rules of a parse``, to be maximised over the parses of a sentence.

    A labeling has one variable per span of words, the shortest first: 0 if the span is no constituent, ``1 + A`` if it
    is one of symbol A. In normal form, every rule makes two symbols or one word out of a symbol; so the labels of the
    spans determine the rules, and each parse is one labeling. Distances count the constituents that differ, as the
    measures of parsers do, and :class:`VariableCoverage` covers constituents.

    Parameters
    ----------
    words : (n, K) array
        ``words[i, A]`` is the score of the rule that makes word i out of symbol A; ``-inf`` if there is none.
    rules : (R, 3) array of ints
        Rules A -> B C as triples (A, B, C).
    scores : (R,) array
        What each rule adds, usually the logarithm of its probability; ``-inf`` forbids it. Of two equal rules, the
        better one counts.
    start : int
        The symbol of the whole sentence.
    symbols : names, optional
        What the symbols are called; numbers by default.

    Examples
    --------
    >>> import hedgehop as hh
    >>> rules = {"NP -> NP NP": -2.0, "NP -> old": -1.0, "NP -> town": -1.0, "NP -> hall": -1.0}
    >>> noun = hh.Cfg.from_rules("old town hall".split(), rules)
    >>> noun
    Cfg(3 words, 1 symbols, 1 rules)
    >>> noun.brackets(hh.best(noun).labeling, "old town hall".split())
    '(NP (NP old) (NP (NP town) (NP hall)))'
    >>> found = hh.diverse(noun, hh.LinearHamming(), m=2, tradeoff=1.0)
    >>> [noun.brackets(y) for y in found.labelings]
    ['(NP NP (NP NP NP))', '(NP (NP NP NP) NP)']
    """

    rules: Labels
    scores: Doubles
    start: int
    symbols: tuple[str, ...]
    n_words: int

    def __init__(
        self,
        words: ArrayLike,
        rules: ArrayLike,
        scores: ArrayLike,
        start: int = 0,
        symbols: Sequence[str] | None = None,
    ) -> None:
        lexical = np.asarray(_arrays.scores(words, "words", ndim=2), np.float64)
        if 0 in lexical.shape:
            raise ValueError(f"words must have at least one word and one symbol; got shape {lexical.shape}.")
        n, kinds = lexical.shape
        triple = triples(rules, "rules", "one symbol and the two that it makes")
        if triple.size and (triple.min() < 0 or triple.max() >= kinds):
            wanted = f"rules must name symbols 0..{kinds - 1}, the columns of words"
            raise ValueError(f"{wanted}; got {triple.min()} to {triple.max()}.")
        root = _arrays.count(start, "start")
        if root >= kinds:
            raise ValueError(f"start must be one of the symbols 0..{kinds - 1}; got {root}.")
        names = names_of(symbols, kinds)
        if len(names) > kinds:
            raise ValueError(f"symbols must hold one name per column of words ({kinds}); got {len(names)}.")
        self._set(rules=triple, scores=one_score_each(scores, len(triple), "rule"), start=root)
        self._set(symbols=names, n_words=n)
        self._set_unary(_span_scores(lexical, root), _NO_PARSE)

    @classmethod
    def from_rules(cls, sentence: Sequence[str], rules: Mapping[str, float]) -> Cfg:
        """Make a model from a sentence and rules in words.

        Parameters
        ----------
        sentence : sequence of str
            The words.
        rules : {rule: score}
            Rules such as ``"S -> NP VP"`` (two symbols) and ``"NP -> she"`` (a word). The first one begins with the
            symbol of whole sentences.
        """
        parts = [_parsed(rule) for rule in rules]
        if not parts:
            raise ValueError("rules must hold at least one rule; got none.")
        symbols = list(dict.fromkeys(left for left, _ in parts))
        number = {name: k for k, name in enumerate(symbols)}
        words = np.full((len(sentence), len(symbols)), -np.inf)
        triple, scores = [], []
        for (left, right), score in zip(parts, rules.values(), strict=True):
            if len(right) == 2:
                if all(name in number for name in right):  # else it leads nowhere
                    triple.append((number[left], *(number[name] for name in right)))
                    scores.append(score)
            else:
                words[[word == right[0] for word in sentence], number[left]] = score
        return cls(words, triple, scores, symbols=symbols)

    @cached_property
    def chart(self) -> _core.grammars.Chart:
        """The rules, as kernels keep them."""
        return _core.grammars.Chart(self.n_words, len(self.symbols), self.rules, self.scores)

    @cached_property
    def spans(self) -> Ints:
        """First word of each span and the word behind it, (spans, 2)."""
        return own(np.array(_spans(self.n_words)))

    def brackets(self, labeling: ArrayLike, words: Sequence[str] | None = None) -> str:
        """Return one parse in brackets, with the words if they are given."""
        [flat], _ = _arrays.as_labelings(labeling, self.shape, self.label_counts)
        if np.isneginf(self._joint_score(flat[None])[0]):
            raise ValueError("labeling must be a parse; the symbols of its spans do not fit together.")
        label = {tuple(span): k for span, k in zip(self.spans.tolist(), flat.tolist(), strict=True) if k}

        def shown(i: int, j: int) -> str:
            name = self.symbols[label[i, j] - 1]
            if j - i == 1:
                return name if words is None else f"({name} {words[i]})"
            [k] = [k for k in range(i + 1, j) if (i, k) in label and (k, j) in label]
            return f"({name} {shown(i, k)} {shown(k, j)})"

        return shown(0, self.n_words)

    @property
    def n_differing(self) -> int:
        """In how many spans two parses can differ at most: words, the sentence, and the inner spans of both."""
        return min(self.n_variables, max(1, 3 * self.n_words - 3))

    def _branching_order(self, flat: Labels) -> Ints:
        """The constituents: every other parse lacks one of them, or has another symbol there."""
        return np.flatnonzero(flat)

    def _joint_spans(self) -> list[Doubles]:
        """Every parse has the same number of rules."""
        used = self.scores[np.isfinite(self.scores)]
        return [own(np.full(self.n_words - 1, np.ptp(used) if used.size else 0.0))]

    def _joint_floor(self) -> float:
        used = self.scores[np.isfinite(self.scores)]
        return (self.n_words - 1) * float(used.min(initial=np.inf)) if self.n_words > 1 else 0.0

    def _describe(self, variable: int) -> str:
        first, behind = self.spans[variable].tolist()
        return f"the span of words {first} to {behind - 1}"

    def __repr__(self) -> str:
        return f"Cfg({self.n_words} words, {len(self.symbols)} symbols, {len(self.rules)} rules)"


def _spans(n: int) -> list[tuple[int, int]]:
    return [(i, i + width) for width in range(1, n + 1) for i in range(n - width + 1)]


def _span_scores(lexical: Doubles, start: int) -> Doubles:
    """Scores of labels: words and the sentence need a symbol, other spans need none."""
    n, kinds = lexical.shape
    table = np.zeros((n * (n + 1) // 2, kinds + 1))
    table[:n, 0], table[-1, 0] = -np.inf, -np.inf
    table[:n, 1:] = lexical
    table[-1, 1:][np.arange(kinds) != start] = -np.inf
    return table


def _parsed(rule: str) -> tuple[str, list[str]]:
    left, arrow, right = str(rule).partition("->")
    sides = left.split(), right.split()
    if not arrow or len(sides[0]) != 1 or len(sides[1]) not in (1, 2):
        raise ValueError(f'rules must read "A -> B C" or "A -> word"; got {rule!r}. Bring others into normal form.')
    return sides[0][0], sides[1]
