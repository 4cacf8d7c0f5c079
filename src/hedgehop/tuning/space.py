# SPDX-License-Identifier: BSD-3-Clause
"""What is searched: axes of values, and two ways through them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop.diversity.base import Diversity
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.models.base import Model

Choice = Diversity | Callable[[Model], Diversity]
Setting = tuple[str, TradeoffLike]
Means = Callable[[Sequence[int]], Doubles]


@dataclass(frozen=True)
class Space:
    """Settings on a grid, numbered with the last axis, the tradeoff, fastest."""

    named: dict[str, Choice]
    settings: tuple[Setting, ...]
    shape: tuple[int, ...]

    @property
    def numbers(self) -> NDArray[np.intp]:
        """Numbers of the settings, by axis."""
        return np.arange(len(self.settings)).reshape(self.shape)


def make_space(
    diversities: Any, tradeoffs: Iterable[TradeoffLike], parameters: Mapping[str, Iterable[Any]] | None
) -> Space:
    """Return the space of diversities, given or made from parameters, and tradeoffs."""
    choices, shape = _given(diversities) if parameters is None else _made(diversities, parameters)
    factors = list(tradeoffs)
    settings = tuple((name, factor) for name, _ in choices for factor in factors)
    if not settings:
        raise ValueError("diversity_grid, parameters and tradeoffs must not be empty.")
    (name, factor), count = Counter(settings).most_common(1)[0]
    if count > 1:
        raise ValueError(
            f"two settings have the name {name!r} with tradeoff {factor!r}. Leave one out, or give each diversity its "
            "own name: diversity_grid={name: diversity, ...}."
        )
    return Space(dict(choices), settings, (*shape, len(factors)))


def whole_grid(space: Space, means: Means) -> int:
    """Return the best setting of all, the first of equals."""
    return int(np.argmax(means(range(len(space.settings)))))


def coordinates(space: Space, means: Means) -> int:
    """Return a setting that no change of one axis improves: from the middle, axis by axis, until nothing changes."""
    place = [size // 2 for size in space.shape]
    while True:
        before = list(place)
        for axis in range(len(place)):
            line = space.numbers[tuple(slice(None) if k == axis else p for k, p in enumerate(place))]
            values = means(line.tolist())
            if values.max() > values[place[axis]]:
                place[axis] = int(np.argmax(values))
        if place == before:
            return int(space.numbers[tuple(place)])


def _given(grid: Any) -> tuple[list[tuple[str, Choice]], tuple[int, ...]]:
    """Diversities by name, that of a mapping or their text."""
    alone = isinstance(grid, Diversity) or callable(grid)
    named = grid.items() if isinstance(grid, Mapping) else ((repr(c), c) for c in ([grid] if alone else grid))
    choices = list(named)
    return choices, (len(choices),)


def _made(make: Any, parameters: Mapping[str, Iterable[Any]]) -> tuple[list[tuple[str, Choice]], tuple[int, ...]]:
    """Diversities by the parameters they are made of."""
    if not callable(make):
        raise TypeError(f"with parameters, diversity_grid must be a function of them; got {make!r}.")
    axes = {name: list(values) for name, values in parameters.items()}
    points = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    choices = [(", ".join(f"{k}={v!r}" for k, v in point.items()), make(**point)) for point in points]
    return choices, tuple(len(values) for values in axes.values())
