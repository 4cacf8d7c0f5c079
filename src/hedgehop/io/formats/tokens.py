# SPDX-License-Identifier: BSD-3-Clause
"""Words and numbers of a text file, read block by block as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.io.file_access import FilePath, read_blocks
from hedgehop.io.formats.factors import LARGEST_WHOLE, Integers

_LONGEST_WORD = 2**16


class Tokens:
    """What a file holds between white space. Errors name the file and the line.

    Memory grows with what is asked for and there, never with what a header only promises.
    """

    def __init__(self, path: FilePath, max_bytes: int) -> None:
        self.path = path
        self.taken = 0  # tokens handed out
        self._max_bytes = max_bytes
        self._texts = _whole_words(path, max_bytes)
        self._text = b""  # not yet parsed
        self._ready: Doubles = np.zeros(0)
        self._used = 0

    def word(self, what: str) -> str:
        """Return the next token as it is written."""
        if self._used < self._ready.size:
            return f"{self.number(what):g}"
        self._need(what)
        first, self._text = (*self._text.split(None, 1), b"")[:2]
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
        values = self._remaining(what) if count is None else self.numbers(count, what)
        bad = np.flatnonzero(~((values >= low) & (values <= high) & (values == np.floor(values))))
        if bad.size:
            limits = f"{low}..{high}" if high < LARGEST_WHOLE else f">= {low}"
            problem = f"{what} must be a whole number {limits}; got {values[bad[0]]:.17g}"
            raise self.error(problem, self.taken - values.size + int(bad[0]))
        return values.astype(np.int64)

    def numbers(self, count: int, what: str) -> Doubles:
        """Return the next tokens, all numbers (infinite ones and NaN included)."""
        parts, missing = [np.zeros(0)], count
        while missing > 0:
            if self._used == self._ready.size:
                self._parse(what)
            part = self._ready[self._used : self._used + missing]
            parts.append(part)
            self._used += part.size
            self.taken += part.size
            missing -= part.size
        return parts[-1] if parts[-1].size == count else np.concatenate(parts)

    def lists(self, count: int, what: str) -> tuple[Integers, Integers]:
        """Read `count` lists, each a length and as many whole numbers; return lengths, and entries end to end."""
        values: list[int] = []
        starts: list[int] = []
        place = 0
        while len(starts) < count or place > len(values):  # what is left has one token a list at least
            certain = max(0, place - len(values)) + count - len(starts)
            values += self.integers(certain, what).tolist()
            known = len(values)
            for _ in range(count - len(starts)):
                if place >= known:
                    break
                starts.append(place)
                place += 1 + values[place]
        flat, heads = np.array(values, np.int64), np.array(starts, np.int64)
        return flat[heads], np.delete(flat, heads)

    def end(self) -> None:
        """Refuse what follows."""
        if self._used < self._ready.size or self._fill():
            raise self.error(f"the file must end here; got {self.word('')[:40]!r}")

    def error(self, problem: str, token: int | None = None) -> ValueError:
        """Return an error that names the line of a token (the one last handed out, unless given)."""
        line = self._line(max(0, self.taken - 1) if token is None else token)
        return ValueError(f"{self.path}, line {line}: {problem}.")

    def _remaining(self, what: str) -> Doubles:
        parts = [self.numbers(self._ready.size - self._used, what)]
        while self._fill():
            self._parse(what)
            parts.append(self.numbers(self._ready.size, what))
        return np.concatenate(parts)

    def _fill(self) -> bool:
        """Whether there is text left to parse; read on if need be."""
        while not self._text.strip():
            text = next(self._texts, None)
            if text is None:
                return False
            self._text = text
        return True

    def _need(self, what: str) -> None:
        if not self._fill():
            raise self.error(f"the file ends where {what} is expected")

    def _parse(self, what: str) -> None:
        self._need(what)
        self._ready, stop = _core.parse_numbers(self._text)
        self._used = 0
        self._text = self._text[stop:]
        if not self._ready.size:
            word = self._text.split(None, 1)[0][:40].decode("ascii", "replace")
            raise self.error(f"{what} must be a number in the range of doubles; got {word!r}", self.taken)

    def _line(self, token: int) -> int:
        """Count lines up to a token by reading the file again: errors are rare, and reading is quick."""
        line, left = 1, token
        for text in _whole_words(self.path, self._max_bytes):
            words = len(text.split())
            if words > left:
                before = text.split(None, left)[-1] if left else text.lstrip()
                return line + text[: len(text) - len(before)].count(b"\n")
            left -= words
            line += text.count(b"\n")
        return line


def _whole_words(path: FilePath, max_bytes: int) -> Iterator[bytes]:
    """Blocks of text that end between words."""
    rest = b""
    for block in chain(read_blocks(path, max_bytes), [b"\n"]):
        text = rest + block
        cut = 1 + max(text.rfind(space) for space in (b" ", b"\n", b"\t", b"\r"))
        rest = text[cut:]
        if len(rest) > _LONGEST_WORD:
            raise ValueError(f"{path} is no text file: a word has more than {_LONGEST_WORD} characters.")
        yield text[:cut]
