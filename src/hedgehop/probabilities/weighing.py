# SPDX-License-Identifier: BSD-3-Clause
"""From a list and its model to how sure the list is: what may be true, by the model or by given samples."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, as_labelings, number, own, positive_count
from hedgehop.lists.objective import require_model
from hedgehop.lists.possibilities import Possibilities
from hedgehop.lists.result import DiverseList
from hedgehop.lists.uncertainty import ListOnModel, ListUncertainty
from hedgehop.models import Model
from hedgehop.oracles.exact.exhaustive import allowed_labels, bits, labelings_of
from hedgehop.probabilities.exact import exact_method, log_weights, refuse_none, scale_of
from hedgehop.probabilities.samples import samples as draw_samples

_EXACT_SAMPLES, _NOISY_SAMPLES = 500, 60
_MOST_CHANCES = 2**27  # of labels and variables: 1 GB
_FEW_BITS = 12.0  # of the number of labelings that are all possible truths


def weigh(
    found: DiverseList,
    model: Model | None = None,
    *,
    samples: ArrayLike | None = None,
    chances: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    temperature: float = 1.0,
    k: int | None = None,
    seed: int = 0,
) -> DiverseList:
    """Return the same list with other probabilities.

    Parameters
    ----------
    found : DiverseList
        The list.
    model : Model, optional
        What was labelled. Needed for lists from files.
    samples : (K, *shape) labels, optional
        What the truth may be, in the shape of the list's labelings. By default labelings of the model: all of them if
        they are few, otherwise ``hh.samples``.
    chances : (K,) array, optional
        Probability of each sample, by default equal; scaled to sum to 1.
    weights : (n,) array, optional
        What each variable counts when labelings are compared; by default all the same.
    temperature : float
        Above 1 the list becomes less sure, below 1 more sure: see :func:`calibrate`. It divides the scores of the
        model. If the list has its own possible truths, such as suggestions for images, it flattens their chances.
    k : int, optional
        Number of samples of the model: by default 500 if they are exact, otherwise 60.
    seed : int
        Seed of these samples.

    Examples
    --------
    >>> import hedgehop as hh
    >>> found = hh.diverse(hh.Chain([[1.0, 0.0], [0.2, 0.0]]), hh.LinearHamming(), m=2)
    >>> found.probabilities.round(2).tolist()
    [0.55, 0.45]
    >>> hh.weigh(found, temperature=9.0).probabilities.round(2).tolist()
    [0.51, 0.49]
    """
    if not isinstance(found, DiverseList):
        raise TypeError(f"found must be a list such as hh.diverse returns; got {type(found).__name__}.")
    hot = number(temperature, "temperature", low=0.0, strict=True)
    if samples is None and chances is not None:
        raise ValueError("chances must come with samples; got none. Also pass samples.")
    if samples is not None:
        uncertainty = _against(found, samples, chances)
    elif model is None and k is None and has_own_chances(found):
        uncertainty = found._live_uncertainty
        _warn_of_equal(uncertainty.possible, hot)
    else:
        view = _view(found, model)
        assert view.model is not None
        possible = possibilities(view.model, hot, k, seed)
        uncertainty, hot = ListUncertainty(view, _with_weights_of(found, possible)), 1.0
    possible = uncertainty.possible.flattened(hot)
    if weights is not None:
        possible = replace(possible, weights=_positive(weights, possible.rows.shape[1]))
    return replace(found, _uncertainty=replace(uncertainty, possible=possible))


def has_own_chances(found: DiverseList) -> bool:
    """Whether what the truth may be is part of a list, and was not drawn from its model."""
    known = found._uncertainty
    return isinstance(known, ListUncertainty) and not known.possible.of_model


def _warn_of_equal(possible: Possibilities, temperature: float) -> None:
    if temperature != 1.0 and np.ptp(possible.chances) == 0:
        text = (
            f"{possible.origin or 'the possible truths'} of this list have equal chances, which no temperature changes"
        )
        warnings.warn(f"{text}. Pass samples and their chances, or model.", stacklevel=3)


def _with_weights_of(found: DiverseList, possible: Possibilities) -> Possibilities:
    """Keep what variables count in the probabilities that a list has."""
    known = found._uncertainty
    if isinstance(known, ListUncertainty) and known.possible.weights.shape == possible.weights.shape:
        return replace(possible, weights=known.possible.weights)
    return possible


def _view(found: DiverseList, model: Model | None) -> ListOnModel:
    """Return a list as labelings of a model, by default of its own."""
    if model is None:
        known = found._uncertainty.view if isinstance(found._uncertainty, ListUncertainty) else found._view
        if known is None or known.model is None:
            raise ValueError(f"{found!r} has no model. Pass model or samples.")
        return known
    require_model(model)
    as_labelings(found.labelings, model.shape, model.label_counts)
    return ListOnModel.plain(found.labelings, model)


def _positive(weights: ArrayLike, n: int) -> Doubles:
    checked = _arrays.weights(weights, "weights", n)
    if checked.sum() <= 0:
        raise ValueError("weights must not all be zero.")
    return checked


def default_uncertainty(view: ListOnModel) -> ListUncertainty:
    """Return what lists of a model use if nothing else is said."""
    assert view.model is not None
    return ListUncertainty(view, possibilities(view.model, 1.0, None, 0))


def possibilities(model: Model, temperature: float, k: int | None, seed: int) -> Possibilities:
    """Return what the truth may be by a model: all labelings if they are few, otherwise samples."""
    scale, width = scale_of(model, temperature), int(model.label_counts.max())
    weights = own(np.ones(model.n_variables))
    if k is None and bits(model, ()) <= _FEW_BITS:
        rows, chances = _every(model, scale)
        return Possibilities(rows, chances, weights, width, origin=f"all {len(rows)} labelings", of_model=True)
    exact = exact_method(model) is not None
    count = (_EXACT_SAMPLES if exact else _NOISY_SAMPLES) if k is None else positive_count(k, "k")
    rows = draw_samples(model, count, seed=seed, temperature=temperature, method="exact" if exact else "noise")
    origin = f"{count} {'exact samples' if exact else 'samples by noise'}"
    flat = np.ascontiguousarray(rows.reshape(count, -1))
    return Possibilities(flat, own(np.full(count, 1.0 / count)), weights, width, origin=origin, of_model=True)


def _every(model: Model, scale: float) -> tuple[Labels, Doubles]:
    """Return all labelings that are allowed, and their probabilities."""
    allowed = allowed_labels(model, ())
    logs = np.concatenate([np.zeros(0), *log_weights(model, scale, allowed)])
    refuse_none(float(logs.max(initial=-np.inf)))
    rows, chances = np.concatenate(list(labelings_of(allowed))), np.exp(logs - logs.max())
    some = chances > 0
    return own(np.ascontiguousarray(rows[some])), own(chances[some] / chances.sum())


def _against(found: DiverseList, samples: ArrayLike, chances: ArrayLike | None) -> ListUncertainty:
    """Return a list against samples of its own shape."""
    shape = found.labelings.shape[1:]
    given = _arrays.integers(samples, "samples")
    width = int(max(found.labelings.max(), given.max(initial=0))) + 1
    if width * found.labelings[0].size > _MOST_CHANCES:
        raise ValueError(f"samples must have labels that fit the list; got label {width - 1}.")
    rows, single = as_labelings(given, shape, np.full(int(np.prod(shape)), width, np.int32))
    if single or not len(rows):
        raise ValueError(f"samples must be labelings stacked along a first axis; got shape {given.shape}.")
    likely = np.ones(len(rows)) if chances is None else _arrays.finite(chances, "chances", shape=(len(rows),))
    if likely.min() < 0 or likely.sum() <= 0:
        raise ValueError("chances must be nonnegative and not all zero.")
    shares, each = own(likely / likely.sum()), own(np.ones(rows.shape[1]))
    known = found._view.model if found._view is not None and found._view.members.shape[1] == rows.shape[1] else None
    possible = Possibilities(rows, shares, each, width, origin=f"{len(rows)} given samples")
    return ListUncertainty(ListOnModel.plain(found.labelings, known), possible)
