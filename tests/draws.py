# SPDX-License-Identifier: BSD-3-Clause
"""Models drawn by hypothesis itself, not from a seed, so that counterexamples shrink: to zeros, ones and no edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from scipy.special import erfinv

import hedgehop as hh

Size = int | tuple[int, ...] | None


class Draws:
    """The methods of numpy's generators that tests use; an array is one draw of bytes, of which 0 is the simplest."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def integers(self, low: int, high: int | None = None, size: Size = None) -> Any:
        """Whole numbers from low to high - 1, simplest those near 0."""
        return self._data.draw(_integers(*((0, low) if high is None else (low, high)), size))

    def random(self, size: Size = None) -> Any:
        """Numbers in (0, 1], simplest 1: weights that are equal, and nothing that happens with a chance."""
        return self._data.draw(_fractions(size))

    def normal(self, size: Size = None) -> Any:
        """Numbers of a normal distribution, simplest 0."""
        return self._data.draw(_normals(size))

    def choice(self, values: Any, size: Size = None, replace: bool = True) -> Any:
        """Some of the values (of the numbers below, if it is one), simplest the first."""
        several: Sequence[Any] = range(values) if np.ndim(values) == 0 else values
        if replace:
            chosen = self.integers(len(several), size=size)
            return several[chosen] if size is None else np.array(several)[chosen]
        return np.array(several)[self.permutation(len(several))[:size]]

    def dirichlet(self, alpha: Any) -> np.ndarray:
        """Shares that add up to 1, simplest equal ones; only for alpha of ones."""
        parts = 0.1 + self.random(len(alpha))
        return np.asarray(parts / parts.sum())

    def permutation(self, count: int) -> np.ndarray:
        """An order of 0, ..., count - 1, simplest the usual one."""
        return np.argsort(self.integers(0, 256, count), kind="stable")


@cache
def _integers(low: int, high: int, size: Size) -> st.SearchStrategy[Any]:
    if high - low > 256:
        return _arrays(size, np.uint32, lambda levels: low + levels.astype(np.int64) % (high - low))
    simple = np.array(sorted(range(low, high), key=lambda k: (abs(k), k < 0)))
    return _arrays(size, np.uint8, lambda levels: simple[levels.astype(int) * simple.size // 256])


@cache
def _fractions(size: Size) -> st.SearchStrategy[Any]:
    return _arrays(size, np.uint16, lambda levels: 1.0 - levels / 2**16)


@cache
def _normals(size: Size) -> st.SearchStrategy[Any]:
    levels = np.arange(2**15) / 2**15
    half = np.round(np.sqrt(2) * erfinv(levels), 6)
    return _arrays(size, np.uint16, lambda levels: np.where(levels % 2, -1.0, 1.0) * half[levels // 2])


def _arrays(size: Size, kind: type, convert: Callable[[np.ndarray], np.ndarray]) -> st.SearchStrategy[Any]:
    big_endian = np.dtype(kind).newbyteorder(">")  # so that smaller bytes are smaller numbers
    width = big_endian.itemsize * (1 if size is None else int(np.prod(size)))

    def values(drawn: bytes) -> Any:
        array = convert(np.frombuffer(drawn, big_endian))
        return array[0].item() if size is None else array.reshape(size)

    return st.binary(min_size=width, max_size=width).map(values)


@st.composite
def draws(draw: st.DrawFn) -> Draws:
    """Draw what numbers come from; the model of zeros, which hypothesis tries first, is hardly worth its time."""
    assume(draw(st.integers(0, 255)) > 0)
    return Draws(draw(st.data()))


def random_model(
    random: Any, n: int = 6, labels: int = 3, *, scale: float = 1.0, tree: bool = False, forbid: bool = True
) -> hh.FactorGraph:
    """A small Potts model of mostly negative scores, at times with ties or, if asked for, a forbidden label."""
    edges = [(i, j) for i in range(n) for j in range(i + 1, n) if random.random() < 0.5]
    edges = [(int(random.integers(j)), j) for j in range(1, n)] if tree else edges
    ties = random.random() < 0.3
    unary = random.integers(-2, 3, (n, labels)).astype(float) if ties else random.normal(size=(n, labels))
    if forbid and labels > 1 and random.random() < 0.4:
        unary[random.integers(n), random.integers(labels)] = -np.inf
    return hh.FactorGraph(scale * (unary - 2.0), edges, scale * random.random(len(edges)))


def random_factor_graph(random: Any) -> hh.FactorGraph:
    """A small model of tables, at times with forbidden pairs or a clique; variables have 1 to 3 labels."""
    n = int(random.integers(1, 8))
    counts = random.integers(1, 4, n)
    edges = [(i, j) for i in range(n) for j in range(i) if random.random() < 0.5]
    tables = [random.integers(-3, 4, (counts[i], counts[j])).astype(float) for i, j in edges]
    for table in tables:
        table[random.random(table.shape) < 0.1] = -np.inf
    unary = [random.normal(size=c) for c in counts]
    cliques = []
    if n >= 3 and random.random() < 0.5:
        members = random.choice(n, 3, replace=False)
        cliques = [(members.tolist(), random.normal(size=tuple(counts[members])))]
    return hh.FactorGraph(unary, edges, tables, cliques) if edges else hh.FactorGraph(unary, cliques=cliques)
