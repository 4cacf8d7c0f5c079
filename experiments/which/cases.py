# SPDX-License-Identifier: BSD-3-Clause
"""A list and how good each of its labelings turned out to be."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import hedgehop as hh
from hedgehop.lists.possibilities import Possibilities
from hedgehop.lists.uncertainty import ListOnModel, ListUncertainty


@dataclass(frozen=True, eq=False)
class Case:
    """One image, sketch or sentence.

    Attributes
    ----------
    group : str
        What it is a case of: cases of one image are not independent.
    found : DiverseList
        Its list, the MAP first.
    quality : (m,) array
        How good each labeling is, in per cent.
    consensus : float
        How good the consensus is, in per cent.
    truth : (n,) array
        True labels; -1 where they are unknown.
    tags : tuple of str
        Names of the tags, of chunks.
    """

    group: str
    found: hh.DiverseList
    quality: np.ndarray
    consensus: float
    truth: np.ndarray
    tags: tuple[str, ...] = ()

    def first(self, m: int) -> Case:
        """Return the same with the first m labelings only; what the truth may be stays."""
        found, uncertainty = self.found, self.found._live_uncertainty
        view = replace(uncertainty.view, members=uncertainty.view.members[:m])
        arrays = {name: getattr(found, name)[:m] for name in ("labelings", "relevance", "gains", "bounds", "exact")}
        arrays |= {"seconds": found.seconds[:m], "oracles": found.oracles[:m]}
        short = replace(found, **arrays, _view=view, _uncertainty=ListUncertainty(view, uncertainty.possible))
        return replace(self, found=short, quality=self.quality[:m])


def rebuilt(model: hh.Model, rows: np.ndarray, possible: Possibilities) -> hh.DiverseList:
    """Labelings in their order, against what the truth may be, as a list of the library."""
    ordered = hh.select(rows, model, hh.LinearHamming(), len(rows), 0.0)
    back = np.argsort(ordered.indices)
    arrays = {name: getattr(ordered, name)[back] for name in ("labelings", "relevance", "gains", "bounds", "exact")}
    view = ListOnModel.plain(arrays["labelings"], model)
    return replace(ordered, **arrays, _view=view, _uncertainty=ListUncertainty(view, possible))
