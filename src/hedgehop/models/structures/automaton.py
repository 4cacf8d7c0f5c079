# SPDX-License-Identifier: BSD-3-Clause
"""Weighted automata and lattices: the strings that they accept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop._errors import InfeasibleError
from hedgehop.models.structures.charted import ChartedModel, names_of, one_score_each, triples

_NO_STRING = (
    "the automaton accepts no string: no way of arcs above -inf leads from the start to a final state. Add arcs or "
    "final states, or a larger max_length."
)
_ANY_COUNT, _COUNT_PER_ARC = 2**16, 64  # so many states and symbols cost little memory
Finals = Mapping[int, float] | Sequence[int]


class Automaton(ChartedModel):
    """``r(y) = the score of the best way to read the string y``, to be maximised over the strings of an automaton.

    A labeling has one variable per position of the longest string: its label is the symbol there. Behind the end of a
    shorter string stands the label `end`. So diversities mean what readers of strings expect: a distance counts the
    positions that differ, :class:`VariableCoverage` covers symbols at positions and :class:`LabelCoverage` symbols
    anywhere, and two ways to read the same string are one labeling. (Variables for the arcs of the lattice would list
    such a string twice; if you want ways rather than strings, use :class:`Path`.) An inserted symbol shifts all later
    ones, which then differ; n-grams do not depend on positions, see :meth:`ngrams`.

    Parameters
    ----------
    arcs : (E, 3) array of ints
        From which state, to which state, which symbol; symbol -1 reads nothing.
    scores : (E,) array
        What each arc adds, of any sign; ``-inf`` closes it.
    finals : states, or {state: score}
        Where strings may end, and what ending there adds (by default 0).
    start : int
        Where strings begin.
    symbols : names, optional
        What the symbols are called; numbers by default.
    max_length : int, optional
        Strings have no more symbols than this. An automaton with cycles needs it. Arcs that read nothing must not form
        a cycle.

    Examples
    --------
    >>> import hedgehop as hh
    >>> arcs = [[0, 1, 0], [1, 2, 1], [1, 2, 2], [2, 3, 3], [1, 3, 3]]
    >>> word = hh.Automaton(arcs, scores=[0.0, -0.1, -0.4, 0.0, -2.0], finals=[3], symbols="caut")
    >>> word
    Automaton(4 states, 5 arcs, 4 symbols, strings of up to 3)
    >>> best = hh.best(word).labeling
    >>> best.tolist(), word.text(best)
    ([0, 1, 3], 'cat')
    >>> found = hh.diverse(word, hh.LinearHamming(), m=3, tradeoff=1.0)
    >>> [word.text(y) for y in found.labelings]
    ['cat', 'cut', 'ct']
    """

    arcs: Labels
    scores: Doubles
    finals: Doubles
    start: int
    symbols: tuple[str, ...]
    max_length: int | None

    def __init__(
        self,
        arcs: ArrayLike,
        scores: ArrayLike,
        finals: Finals,
        start: int = 0,
        symbols: Sequence[str] | None = None,
        max_length: int | None = None,
    ) -> None:
        rows = triples(arcs, "arcs", "from, to and symbol")
        if rows.size and rows[:, :2].min() < 0:
            raise ValueError(f"arcs must name states from 0 on; got {rows[:, :2].min()}.")
        ends = _ends(finals)
        first = _arrays.count(start, "start")
        states = 1 + max([first, *ends, int(rows[:, :2].max(initial=0))])
        count = int(rows[:, 2].max(initial=-1)) + 1
        _refuse_sparse(states, len(rows) + len(ends), "states")
        _refuse_sparse(count if symbols is None else 0, len(rows), "symbols")
        worth = np.full(states, -np.inf)
        worth[list(ends)] = list(ends.values())
        limit = None if max_length is None else _arrays.positive_count(max_length, "max_length")
        self._set(arcs=rows, scores=one_score_each(scores, len(rows), "arc"), finals=own(worth), start=first)
        self._set(symbols=names_of(symbols, count), max_length=limit)
        if self.chart.is_empty:
            raise InfeasibleError(_NO_STRING)
        if self.chart.length == 0:
            raise ValueError("the automaton must accept a string with a symbol; it accepts only the empty one.")
        self._set_unary(np.zeros((self.chart.length, self.chart.n_labels)), _NO_STRING)

    @classmethod
    def from_slots(cls, slots: Sequence[Mapping[str, float]]) -> Automaton:
        """Make a model from the alternatives at each place, as recognisers of text and speech give them.

        Parameters
        ----------
        slots : sequence of {symbol: score}
            One symbol of each slot is read; the symbol "" reads nothing.

        Examples
        --------
        >>> import hedgehop as hh
        >>> word = hh.Automaton.from_slots([{"m": -0.7, "rn": -0.9}, {"o": 0.0}, {"d": -0.1, "": -2.0}])
        >>> [word.text(y, between="") for y in hh.baselines.m_best(word, m=3)]
        ['mod', 'rnod', 'mo']
        """
        names = sorted({name for slot in slots for name in slot} - {""})
        number = {"": -1} | {name: k for k, name in enumerate(names)}
        arcs = [(k, k + 1, number[name]) for k, slot in enumerate(slots) for name in slot]
        return cls(arcs, [score for slot in slots for score in slot.values()], [len(slots)], symbols=names)

    @classmethod
    def from_chain(
        cls, emissions: ArrayLike, transitions: ArrayLike, symbols: Sequence[str] | None = None
    ) -> Automaton:
        """Make a chain of higher order: what a label adds depends on the labels of several positions before it.

        Parameters
        ----------
        emissions : (T, L) array
            Score of each label at each position; ``-inf`` forbids it.
        transitions : (L, L, ...) array
            ``transitions[a, ..., b]`` is what label b adds behind a, ...: with k + 1 axes, a chain of order k.
            Positions with fewer than k others before them add nothing.
        symbols : names, optional
            What the labels are called.

        Examples
        --------
        >>> import numpy as np, hedgehop as hh
        >>> alternate = np.zeros((2, 2, 2))
        >>> alternate[0, 1, 0] = alternate[1, 0, 1] = 1.0  # a chain of order 2
        >>> hh.best(hh.Automaton.from_chain(np.zeros((4, 2)), alternate)).labeling.tolist()
        [0, 1, 0, 1]
        """
        from hedgehop.models.structures.unrolled import higher_order

        return cls(*higher_order(emissions, transitions), symbols=symbols)

    @classmethod
    def from_segments(
        cls, scores: ArrayLike, transitions: ArrayLike | None = None, symbols: Sequence[str] | None = None
    ) -> Automaton:
        """Make a semi-Markov chain: positions fall into segments, and whole segments have scores.

        Label l marks the first position of a segment of kind l, label ``L + l`` its other positions (B- and I- tags),
        so every labeling is one segmentation.

        Parameters
        ----------
        scores : (T, D, L) array
            ``scores[t, d - 1, l]`` is what a segment of d positions and kind l adds if it begins at t; ``-inf`` forbids
            it. Segments that would end behind T are ignored.
        transitions : (L, L) array, optional
            What kind b adds directly behind kind a.
        symbols : names, optional
            What the kinds are called.

        Examples
        --------
        >>> import numpy as np, hedgehop as hh
        >>> scores = np.zeros((3, 2, 1))
        >>> scores[1, 1, 0] = 1.0  # a segment of two positions that begins at 1
        >>> model = hh.Automaton.from_segments(scores, symbols=["name"])
        >>> model.words(hh.best(model).labeling)
        ['B-name', 'B-name', 'I-name']
        """
        from hedgehop.models.structures.unrolled import semi_markov

        arcs, worth, finals, kinds = semi_markov(scores, transitions)
        names = names_of(symbols, kinds)
        return cls(arcs, worth, finals, symbols=[f"B-{n}" for n in names] + [f"I-{n}" for n in names])

    def ngrams(self, n: int = 2) -> Automaton:
        """Return the same strings, labelled with n-grams: the label at a position names the last n symbols up to it.

        :class:`LabelCoverage` on that model covers n-grams, wherever they stand. Names of the first labels of a string
        begin with "^".

        Examples
        --------
        >>> import hedgehop as hh
        >>> pairs = hh.Automaton.from_slots([{"a": 0.0, "b": -1.0}, {"a": 0.0}]).ngrams(2)
        >>> [pairs.words(y) for y in hh.baselines.m_best(pairs, m=2)]
        [['^a', 'aa'], ['^b', 'ba']]
        """
        from hedgehop.models.structures.unrolled import with_histories

        arcs, scores, finals, names = with_histories(self, _arrays.positive_count(n, "n"))
        return Automaton(arcs, scores, finals, symbols=names, max_length=self.max_length)

    @cached_property
    def chart(self) -> _core.grammars.Lattice:
        """The automaton, unrolled over positions."""
        parts = (self.finals.size, self.arcs, self.scores, self.start, self.finals, len(self.symbols), self.max_length)
        return _core.grammars.Lattice(*parts)

    @cached_property
    def is_unambiguous(self) -> bool:
        """Whether no string has two ways to be read; also False if this takes too long to find out.

        Probabilities are then exact: sums over ways are sums over strings.
        """
        from hedgehop.models.structures.ambiguity import reads_in_one_way

        arcs, _, _, finals = self.chart.unrolled()
        return reads_in_one_way(arcs, finals)

    @property
    def end(self) -> int | None:
        """The label behind the end of a string; None if all strings have the same length."""
        return len(self.symbols) if self.n_labels > len(self.symbols) else None

    def words(self, labeling: ArrayLike) -> list[str]:
        """Return the symbols of one labeling."""
        [flat], _ = _arrays.as_labelings(labeling, self.shape, self.label_counts)
        return [self.symbols[k] for k in flat.tolist() if k < len(self.symbols)]

    def text(self, labeling: ArrayLike, between: str | None = None) -> str:
        """Return the symbols of one labeling as a text; by default with spaces, unless all are single characters."""
        space = "" if all(len(name) == 1 for name in self.symbols) else " "
        return (space if between is None else between).join(self.words(labeling))

    def _joint_spans(self) -> list[Doubles]:
        """How much the arcs at each position differ; those that read nothing, and ends, differ from none."""
        arcs, scores, positions, finals = self.chart.unrolled()
        reads, ends = arcs[:, 3] >= 0, np.isfinite(finals)
        length = len(self.unary)
        high, low = np.full(length, -np.inf), np.full(length, np.inf)
        np.maximum.at(high, arcs[reads, 2], scores[reads])
        np.minimum.at(low, arcs[reads, 2], scores[reads])
        ended = np.arange(length) >= positions[ends].min()  # some string has no symbol there
        spans = np.where(ended, np.maximum(high, 0.0) - np.minimum(low, 0.0), high - low)
        return [own(np.concatenate([spans, np.abs(scores[~reads]), [np.ptp(finals[ends])]]))]

    def _joint_floor(self) -> float:
        closed = np.isneginf(self.scores)
        lattice = _core.grammars.Lattice(
            self.finals.size, own(self.arcs[~closed]), own(-self.scores[~closed]), self.start,
            own(np.where(np.isneginf(self.finals), -np.inf, -self.finals)), len(self.symbols), self.max_length,
        )  # fmt: skip
        return -lattice.best(np.zeros(self.unary.shape))[1]

    def _describe(self, variable: int) -> str:
        return f"position {variable}"

    def __repr__(self) -> str:
        size = f"{self.finals.size} states, {len(self.arcs)} arcs, {len(self.symbols)} symbols"
        return f"Automaton({size}, strings of {'' if self.end is None else 'up to '}{self.n_variables})"


def _refuse_sparse(count: int, named: int, what: str) -> None:
    """Refuse numbers that memory would follow, though hardly any of them is named."""
    if count > max(_ANY_COUNT, _COUNT_PER_ARC * named):
        raise ValueError(
            f"{what} must be numbered 0, 1, 2, ...; got {count} {what} for {named} arcs and final states. Use "
            "np.unique(..., return_inverse=True)."
        )


def _ends(finals: Any) -> dict[int, float]:
    """Final states and their scores."""
    states = list(finals)
    worth = list(finals.values()) if isinstance(finals, Mapping) else [0.0] * len(states)
    ends = {_arrays.count(s, "finals"): _arrays.number(w, "finals") for s, w in zip(states, worth, strict=True)}
    if not ends:
        raise ValueError("finals must name at least one state; got none.")
    return ends
