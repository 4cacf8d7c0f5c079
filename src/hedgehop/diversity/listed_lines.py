# SPDX-License-Identifier: BSD-3-Clause
"""Lines of groups that can be listed, of groups that have names, and of samples (docs/list_dual.md)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.diversity.lines import Columns, GroupLines, Slopes
from hedgehop.models.base import Model
from hedgehop.potentials import AgreementGains, Function, Linear, Potential
from hedgehop.potentials.samples import agreement

if TYPE_CHECKING:
    from hedgehop.diversity.base import Diversity
    from hedgehop.diversity.coverage import Coverage


class ListedLines(GroupLines):
    """One slope per group of a :class:`Coverage`."""

    def __init__(self, diversity: Coverage, model: Model, h: Doubles, rate: float) -> None:
        super().__init__(h)
        self._diversity, self._model, self._rate = diversity, model, rate
        self._weights = diversity.group_weights(model)
        self._incidence = np.zeros((0, self._weights.size), bool)
        self._centre = np.full(self._weights.size, self.rises[0])
        self._column = np.zeros(0, np.int64)

    def add(self, labeling: Labels) -> None:
        groups = self._diversity.incidence(self._model, labeling[None])
        self._incidence = np.concatenate([self._incidence, groups])

    def start(self, rows: Labels) -> None:
        """Count the groups of the list."""
        self._centre = self.between(self._diversity.counts(self._model, rows))

    def columns(self) -> Columns:
        """All groups found that count."""
        self._column = np.flatnonzero(self._incidence.any(axis=0) & (self._weights > 0))
        here = self._column
        return Columns.of(self._incidence[:, here], self._weights[here], self._centre[here])

    def spread(self, slopes: Doubles) -> Slopes:
        """Return one slope per group."""
        full = np.full(self._weights.size, self.rises[0])
        full[self._column] = slopes
        return {"slopes": own(full)}

    def hold(self, slopes: Slopes) -> None:
        self._centre = slopes["slopes"]

    def worth(self, slopes: Slopes) -> float:
        """Sum over groups."""
        return float(self._weights @ self.conjugate(slopes["slopes"]))

    def potentials(self, slopes: Slopes, factor: float) -> list[Potential]:
        """Those of a step with other weights."""
        weights = factor * self._weights * (slopes["slopes"] + self._rate)
        return self._diversity.as_potentials(self._model, weights)


class NamedLines(GroupLines):
    """Slopes of groups known by name only: those of the labelings found so far; all others have the largest slope."""

    def __init__(self, diversity: Diversity, model: Model, h: Doubles, rate: float) -> None:
        super().__init__(h)
        self._diversity, self._model, self._rate = diversity, model, rate
        self._rows: list[Labels] = []
        self._groups: list[set[Hashable]] = []
        self._names: list[Hashable] = []
        self._centre: dict[Hashable, float] = {}

    def add(self, labeling: Labels) -> None:
        self._rows.append(labeling)
        self._groups.append(self._diversity._groups_of(self._model, labeling))
        self._names = sorted_groups(self._groups)

    def start(self, rows: Labels) -> None:
        """Count the groups of the list."""
        named = [self._diversity._groups_of(self._model, row) for row in rows]
        counts = np.array([sum(name in groups for groups in named) for name in self._names])
        self._centre = dict(zip(self._names, self.between(counts).tolist(), strict=True))

    def columns(self) -> Columns:
        """All groups found."""
        incidence = np.array([[name in groups for name in self._names] for groups in self._groups], bool)
        centre = np.array([self._centre.get(name, self.rises[0]) for name in self._names])
        weights = np.array([self._diversity.weight(name) for name in self._names])
        return Columns.of(incidence.reshape(len(self._groups), len(self._names)), weights, centre)

    def spread(self, slopes: Doubles) -> Slopes:
        """Return the slopes in the order of the names, and the labelings that bring these names."""
        return {"slopes": own(slopes), "named_by": own(np.array(self._rows, np.int32))}

    def hold(self, slopes: Slopes) -> None:
        self._centre = self._by_name(slopes)

    def worth(self, slopes: Slopes) -> float:
        """Sum over the groups named."""
        by_name = self._by_name(slopes)
        weights = np.array([self._diversity.weight(name) for name in by_name])
        return float(weights @ self.conjugate(np.array(list(by_name.values()))))

    def potentials(self, slopes: Slopes, factor: float) -> list[Potential]:
        """A function of the labeling."""
        by_name, largest = self._by_name(slopes), float(self.rises[0])

        def value(labeling: Labels) -> float:
            groups = self._diversity._groups_of(self._model, labeling.reshape(-1))
            total = sum(self._diversity.weight(g) * (by_name.get(g, largest) + self._rate) for g in groups)
            return factor * float(total)

        return [Function(value)]

    def _by_name(self, slopes: Slopes) -> dict[Hashable, float]:
        names = sorted_groups([self._diversity._groups_of(self._model, row) for row in slopes["named_by"]])
        return dict(zip(names, slopes["slopes"].tolist(), strict=True))


def sorted_groups(groups: list[set[Hashable]]) -> list[Hashable]:
    """Names of groups, in an order that does not depend on how sets are kept."""
    return sorted(set().union(*groups), key=repr)


class SampleLines(GroupLines):
    """Thresholds b of samples: ``mean_z max_{y in T} a(y, z) <= mean_z b_z + sum_{y in T} mean_z (a(y, z) - b_z)_+``.

    A group is a sample and an agreement that a labeling reaches, h = min(1, c). Slopes of one sample's groups cost as
    much as the threshold ``b_z`` = integral of 1 - s, and are nowhere below its line.
    """

    def __init__(self, model: Model, samples: Labels, weights: Doubles, m: int) -> None:
        super().__init__(np.minimum(np.arange(m + 1.0), 1.0))
        self._model, self._samples, self._weights = model, samples, weights
        self._reached = np.zeros((0, len(samples)))
        self._best = np.zeros(len(samples))
        self._widths = np.zeros(0)
        self._owner = np.zeros(0, np.int64)

    def add(self, labeling: Labels) -> None:
        """Measure its agreement with each sample."""
        self._reached = np.concatenate([self._reached, agreement(labeling[None], self._samples, self._weights)])

    def start(self, rows: Labels) -> None:
        """Hold each threshold midway between the best and the second best agreement."""
        reached = np.sort(agreement(rows, self._samples, self._weights), axis=0)
        second = reached[-2] if len(reached) > 1 else 0.0
        self._best = np.asarray((reached[-1] + second) / 2.0)

    def columns(self) -> Columns:
        """Intervals between the agreements found, and the threshold held."""
        incidence, widths, owner, centre = [], [], [], []
        for z, best in enumerate(self._best.tolist()):
            ends = np.unique(np.append(self._reached[:, z], best))
            ends = ends[(ends > 0.0) & (ends <= self._reached[:, z].max())]
            incidence.append(self._reached[:, z, None] >= ends)
            widths.append(np.diff(ends, prepend=0.0))
            owner.append(np.full(ends.size, z))
            centre.append((ends > best).astype(np.float64))
        self._widths, self._owner = np.concatenate(widths), np.concatenate(owner)
        shares = self._widths / len(self._samples)
        return Columns.of(np.concatenate(incidence, axis=1), shares, np.concatenate(centre))

    def spread(self, slopes: Doubles) -> Slopes:
        """Return one threshold per sample."""
        best = np.bincount(self._owner, self._widths * (1.0 - slopes), len(self._samples))
        return {"best": own(np.clip(best, 0.0, 1.0))}

    def hold(self, slopes: Slopes) -> None:
        self._best = slopes["best"]

    def worth(self, slopes: Slopes) -> float:
        """Mean of the thresholds."""
        return float(slopes["best"].mean())

    def potentials(self, slopes: Slopes, factor: float) -> list[Potential]:
        """``mean_z (a(y, z) - b_z)_+``; linear without thresholds."""
        gain = AgreementGains(self._samples, slopes["best"], self._weights, factor)
        every = np.ones(len(self._samples))
        return [gain] if slopes["best"].any() else [Linear(own(gain.linear(self._model, every)))]
