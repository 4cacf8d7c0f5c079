# SPDX-License-Identifier: BSD-3-Clause
"""Words and numbers of a text file, one after the other; errors name file and line."""

from __future__ import annotations

from io import BytesIO

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.io.file_access import FilePath, read_blocks
from hedgehop.io.formats.factors import LARGEST_WHOLE, Integers

_LONGEST_WORD = 2**16


class Tokens:
    """The words of a file. Memory grows with the size of the file, never with numbers that a header declares."""

    def __init__(self, path: FilePath, max_bytes: int) -> None:
        self.path = path
        self.taken = 0  # tokens handed out
        self._text = self._rest = b"".join(read_blocks(path, max_bytes))  # all of it, and what is not yet parsed
        self._ready: Doubles = np.zeros(0)  # numbers that are parsed, of which some are used
        self._used = 0

    def word(self, what: str) -> str:
        """Return the next token as it is written."""
        if self._used < self._ready.size:
            return f"{self.number(what):g}"
        first, self._rest = (*self._rest.split(None, 1), b"", b"")[:2]
        if not first:
            raise self.error(f"the file ends where {what} is expected")
        if len(first) > _LONGEST_WORD:
            raise ValueError(f"{self.path} is not a text file: a word has more than {_LONGEST_WORD} characters.")
        self.taken += 1
        return first.decode("ascii", "replace")

    def number(self, what: str) -> float:
        """Return the next token, a number."""
        return float(self.numbers(1, what)[0])

    def integer(self, what: str, low: int = 0, high: int = LARGEST_WHOLE) -> int:
        """Return the next token, a whole number in low..high."""
        return int(self.integers(1, what, low, high)[0])

    def integers(self, count: int | None, what: str, low: int = 0, high: int = LARGEST_WHOLE) -> Integers:
        """Return the next tokens (all that are left if count is None), whole numbers in low..high."""
        values = self.numbers(self._left(what) if count is None else count, what)
        bad = np.flatnonzero(~((values >= low) & (values <= high) & (values == np.floor(values))))
        if bad.size:
            limits = f"{low}..{high}" if high < LARGEST_WHOLE else f">= {low}"
            problem = f"{what} must be a whole number {limits}; got {values[bad[0]]:.17g}"
            raise self.error(problem, self.taken - values.size + int(bad[0]))
        return values.astype(np.int64)

    def numbers(self, count: int, what: str) -> Doubles:
        """Return the next tokens, all numbers (infinite ones and NaN included)."""
        if self._used == self._ready.size and count:
            self._parse(what)
        values = self._ready[self._used : self._used + count]
        self._used += values.size
        self.taken += values.size
        if values.size < count:
            self._parse(what)  # which says why there are no more
        return values

    def lists(self, count: int, what: str) -> tuple[Integers, Integers]:
        """Read `count` lists, each a length and as many whole numbers; return lengths, and entries end to end."""
        ahead, heads, place = self.ahead(what).data if count else np.zeros(0).data, [], 0
        size = len(ahead)
        for _ in range(count):
            if place >= size or not 0 <= (length := ahead[place]) < LARGEST_WHOLE:
                break
            heads.append(place)
            place += 1 + int(length)
        values = self.integers(place + count - len(heads), what)
        return values[heads], np.delete(values, heads)

    def ahead(self, what: str) -> Doubles:
        """Return all numbers up to the next word, without taking them."""
        if self._used == self._ready.size and self._rest.strip():
            self._parse(what)
        return self._ready[self._used :]

    def skip(self, count: int) -> None:
        """Take numbers that :meth:`ahead` returned."""
        self._used += count
        self.taken += count

    @property
    def size(self) -> int:
        """Bytes of text."""
        return len(self._text)

    def end(self) -> None:
        """Refuse what follows."""
        if self._used < self._ready.size or self._rest.strip():
            raise self.error(f"the file must end here; got {self.word('')[:40]!r}")

    def error(self, problem: str, token: int | None = None) -> ValueError:
        """Return an error that names the line of a token (the one last handed out, unless given)."""
        line = self._line(max(0, self.taken - 1) if token is None else token)
        return ValueError(f"{self.path}, line {line}: {problem}.")

    def _left(self, what: str) -> int:
        """Return how many numbers are left; nothing else may be."""
        if self._used == self._ready.size and self._rest.strip():
            self._parse(what)
        if self._rest.strip():
            self.taken += self._ready.size - self._used
            self._parse(what)
        return self._ready.size - self._used

    def _parse(self, what: str) -> None:
        """Read on up to the next word; all numbers before it are used."""
        self._ready, stop = _core.text.parse_numbers(self._rest)
        self._used, self._rest = 0, self._rest[stop:]
        if not self._ready.size:
            got = self.word(what)[:40]
            raise self.error(f"{what} must be a number in the range of doubles; got {got!r}")

    def _line(self, token: int) -> int:
        for line, text in enumerate(BytesIO(self._text), start=1):
            token -= len(text.split())
            if token < 0:
                return line
        return 1 + self._text.count(b"\n")
