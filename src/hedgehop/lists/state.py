# SPDX-License-Identifier: BSD-3-Clause
"""A list in the making, as data: its labelings, and what is known about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgehop._arrays import Labels, own
from hedgehop.lists.proofs.bounds import Bound
from hedgehop.oracles.base import Step


@dataclass(frozen=True, eq=False)
class Baseline:
    """What a list is compared with: labelings chosen by relevance alone.

    Attributes
    ----------
    rows : (k, n) labels
        The most relevant labeling found, which is repeated; or, if labelings must differ and the list is no better than
        that, as many as it has.
    gap : float
        How much more relevance than the first one any labeling may have; 0 if it is proven to be the best.
    """

    rows: Labels
    gap: float = 0.0


@dataclass(frozen=True, eq=False)
class ListState:
    """The labelings of a list and what is known so far; a change gives another state.

    Attributes
    ----------
    rows : (t, n) labels
        The labelings, in order.
    steps : tuple of Step
        For each labeling what it adds to those before it, and what any labeling could have added. Where a labeling
        was replaced, those of the labelings before it only.
    next : Step or None
        The best step from here, even if it is too close to the others; None until it is known.
    baseline : Baseline or None
        What the list is compared with. None: not known yet.
    ended : bool
        Whether it is known that no further labeling is allowed.
    bounds : tuple of Bound
        Bounds on F of any list of as many labelings that do not follow from the steps.
    """

    rows: Labels
    steps: tuple[Step, ...] = ()
    next: Step | None = None
    baseline: Baseline | None = None
    ended: bool = False
    bounds: tuple[Bound, ...] = ()

    @property
    def best_gains(self) -> list[float]:
        """Upper bounds on the gains of all labelings after 0, 1, ... of the list, as many as are known."""
        known = [step.bound_on_all for step in self.steps]
        return [*known, self.next.bound_on_all] if self.next and len(known) == len(self) else known

    def append(self, step: Step) -> ListState:
        """Add the labeling of a step."""
        rows = own(np.concatenate([self.rows, step.labeling.reshape(1, -1)]))
        return replace(self, rows=rows, steps=(*self.steps, step), next=None, bounds=())

    def without(self, t: int) -> ListState:
        """Remove labeling t."""
        return ListState(own(np.delete(self.rows, t, axis=0)), self.steps[:t], baseline=self.baseline)

    def replace(self, t: int, labeling: Labels) -> ListState:
        """Put another labeling in the place of labeling t."""
        rows = self.rows.copy()
        rows[t] = labeling.reshape(-1)
        return ListState(own(rows), self.steps[:t], baseline=self.baseline, bounds=self.bounds)

    def first(self, k: int) -> ListState:
        """Return the beginning of k labelings."""
        if k >= len(self):
            return self
        following = self.steps[k] if k < len(self.steps) else None
        return ListState(self.rows[:k], self.steps[:k], following, self.baseline)

    def __len__(self) -> int:
        return len(self.rows)
