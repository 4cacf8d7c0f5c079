# SPDX-License-Identifier: BSD-3-Clause
"""Nested lists of words and numbers as flat arrays of tokens, scanned by the kernel; errors name file and line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.io.file_access import FilePath, read_blocks
from hedgehop.io.formats.factors import Integers

OPEN, CLOSE, NUMBER, WORD = range(4)
_PROBLEMS = (
    None,
    "a closing bracket has no opening bracket",
    "a bracket is not closed",
    "a quote is not closed",
)


class NestedLists:
    """What a file holds."""

    def __init__(self, path: FilePath, max_bytes: int) -> None:
        self.path, self._text = path, b"".join(read_blocks(path, max_bytes))
        found = _core.text.scan_nested(self._text)
        self.kinds: NDArray[np.uint8] = found[0]  # OPEN, CLOSE, NUMBER or WORD of each token
        self.values: Doubles = found[1]  # numbers; of words, which of the distinct ones
        self._starts: Integers = found[2]
        self.partners: Integers = found[3]  # the other bracket of each
        self._levels: NDArray[np.int32] = found[4]
        self._word_starts, self._word_stops = found[5], found[6]
        self.n_words = len(self._word_starts)  # distinct ones
        problem = _PROBLEMS[found[7]]
        if problem:
            raise self._error_at(problem, found[8])

    @property
    def size(self) -> int:
        """Bytes of text."""
        return len(self._text)

    def error(self, problem: str, token: int) -> ValueError:
        """Return an error that names the line of a token."""
        return self._error_at(problem, int(self._starts[token]) if token < self._starts.size else 0)

    def refuse(self, tokens: Integers, wrong: NDArray[np.bool_], problem: str) -> None:
        """Raise an error at the first token that is wrong, if there is one; {} in its text is that token."""
        if wrong.any():
            token = int(tokens[np.argmax(wrong)])
            raise self.error(problem.format(self.text(token)), token)

    def _error_at(self, problem: str, place: int) -> ValueError:
        line = 1 + self._text.count(b"\n", 0, place)
        return ValueError(f"{self.path}, line {line}: {problem}.")

    def roots(self) -> Integers:
        """Tokens outside of all brackets."""
        return np.flatnonzero((self._levels == 0) & (self.kinds != CLOSE))

    def children(self, node: int, deeper: int = 1) -> Integers:
        """Tokens directly inside of a bracket, or so many brackets deeper."""
        inside = slice(node + 1, int(self.partners[node]))
        wanted = (self._levels[inside] == self._levels[node] + deeper) & (self.kinds[inside] != CLOSE)
        return node + 1 + np.flatnonzero(wanted)

    def lists(self, tokens: Integers) -> list[int]:
        """Those of some tokens that are brackets."""
        return [int(token) for token in tokens[self.kinds[tokens] == OPEN]]

    def word(self, number: int) -> str:
        """Return one of the distinct words."""
        return self._text[self._word_starts[number] : self._word_stops[number]].decode("utf-8", "replace")

    def words(self) -> list[str]:
        """Return all distinct words."""
        pairs = zip(self._word_starts.tolist(), self._word_stops.tolist(), strict=True)
        return [self._text[start:stop].decode("utf-8", "replace") for start, stop in pairs]

    def text(self, token: int) -> str:
        """Return a token as error messages show it."""
        if self.kinds[token] == WORD:
            return repr(self.word(int(self.values[token])))
        return f"{self.values[token]:g}" if self.kinds[token] == NUMBER else "a list"

    def numbers_of(self, words: frozenset[str]) -> Integers:
        """Return which of the distinct words are some of these."""
        letters = np.frombuffer(self._text, np.uint8)
        fits = np.isin(self._word_stops - self._word_starts, [len(word) for word in words])
        alike = np.flatnonzero(fits)
        alike = alike[np.isin(letters[self._word_starts[alike]], [ord(word[0]) for word in words])]
        return np.array([k for k in alike.tolist() if self.word(k) in words], np.int64)
