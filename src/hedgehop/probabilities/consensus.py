# SPDX-License-Identifier: BSD-3-Clause
"""The labeling with the fewest expected errors: every variable takes its most probable label, if these fit together."""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.lists.result import DiverseList
from hedgehop.lists.uncertainty import ListOnModel
from hedgehop.models import LinearModel, Model
from hedgehop.oracles.registry import get
from hedgehop.potentials import Linear
from hedgehop.probabilities.marginals import marginals


def consensus(subject: DiverseList | Model, temperature: float = 1.0) -> Labels:
    """Return the labeling with the fewest expected errors.

    Parameters
    ----------
    subject : DiverseList or Model
        For a list, what its plausible answers agree on most. For a model, by ``hh.marginals``.
    temperature : float
        Temperature of a model's distribution.

    Returns
    -------
    (*shape) array of labels
        The most probable label of each variable. In parses, matchings and spanning trees these need not fit together;
        then the allowed labeling with the fewest expected errors. If pairs of labels are forbidden, it is the best one
        of the known labelings.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.consensus(hh.Chain([[1.0, 0.0], [0.2, 0.0]], transitions=[[0.0, 0.0], [0.0, 3.0]])).tolist()
    [1, 1]
    """
    if isinstance(subject, DiverseList):
        uncertainty = subject._live_uncertainty
        return own(uncertainty.view.draw(np.ascontiguousarray(uncertainty.consensus()[None], np.int32))[0])
    found = marginals(subject, temperature)
    best = get("auto").on(subject).step(()).labeling.reshape(1, -1)
    together = best_together(subject, found.probabilities.reshape(subject.n_variables, -1), best)
    return own(ListOnModel.plain(best.reshape(1, *subject.shape), subject).draw(together[None])[0])


def best_together(model: Model | None, scores: Doubles, known: Labels) -> Labels:
    """Return the allowed labeling that is best under (n, L) scores; if nothing finds it, the best of known ones."""
    alone = np.asarray(scores.argmax(axis=1), np.int32)
    if model is None or np.isfinite(np.max(model.score(alone[None]))):
        return alone
    if isinstance(model, LinearModel):
        unary = np.where(np.isneginf(model.unary), 0.0, model.unary)  # what is forbidden stays so
        return get("auto").on(model).step((Linear(own(scores - unary)),)).labeling.reshape(-1)
    places = np.arange(model.n_variables)
    return np.asarray(known[int(scores[places, known].sum(axis=1).argmax())])
