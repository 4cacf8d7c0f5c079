# SPDX-License-Identifier: BSD-3-Clause
"""Checks for your own models, diversities and oracles: each compares with enumeration.

They raise ``AssertionError`` with a message at the first violation and return nothing otherwise. Use
small models: every labeling is tried.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Labels
from hedgehop.diversity.base import Diversity
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle
from hedgehop.oracles.exact.exhaustive import labelings_of
from hedgehop.potentials.base import Potential, total_value, worth

_TRIED = 2**14
_SLACK = 1e-9


def check_model(model: Model) -> None:
    """Check that a model keeps the promises of :class:`hedgehop.Model`.

    >>> import hedgehop as hh
    >>> hh.testing.check_model(hh.Chain([[1.0, 0.0]] * 3, [[0.0, 1.0], [1.0, 0.0]]))
    """
    _require(isinstance(model, Model), "a model needs n_variables, label_counts, shape and score")
    _require(len(model.label_counts) == model.n_variables, "label_counts must have one entry per variable")
    _require(prod(model.shape) == model.n_variables, "shape must hold as many entries as there are variables")
    every = all_labelings(model)
    scores = np.atleast_1d(model.score(every.reshape(-1, *model.shape)))
    _require(scores.shape == (len(every),), "score of many labelings must be one number each")
    _require(not np.isnan(scores).any() and not np.isposinf(scores).any(), "scores must be finite or -inf")
    _require(np.isfinite(scores).any(), "at least one labeling must be allowed")
    for k in range(0, len(every), max(1, len(every) // 16)):
        alone = model.score(every[k].reshape(model.shape))
        _require(np.ndim(alone) == 0, "score of one labeling must be one number")
        _require(_close(alone, scores[k]), "score of one labeling must equal its score among many")
    again = np.asarray(pickle.loads(pickle.dumps(model)).score(every.reshape(-1, *model.shape)))
    _require(np.array_equal(again, scores), "a pickled model must score as before")


def check_diversity(diversity: Diversity, model: Model, seed: int = 0, lists: int = 12) -> None:
    """Check value, gain, potentials, monotonicity, submodularity and offset on random lists of allowed labelings.

    >>> import hedgehop as hh
    >>> hh.testing.check_diversity(hh.HammingBall(gamma=0.5), hh.FactorGraph([[0.0, 0.0]] * 3))
    """
    every = all_labelings(model)
    every = every[np.isfinite(np.atleast_1d(model.score(every.reshape(-1, *model.shape))))]
    _require(abs(diversity.value(model, [])) <= _SLACK, "D of the empty list must be 0")
    for rows in _lists(every, seed, lists):
        _check_value(diversity, model, rows, every)
        _check_potentials(diversity, model, rows, every)
        _check_shape(diversity, model, rows)
        _check_offset(diversity, model, rows, every)
        if len(rows) > 3:
            _check_beginnings(diversity, model, rows)


def check_oracle(oracle: Oracle, model: Model, potentials: Sequence[Potential] = ()) -> None:
    """Check that what an oracle says about a step is true: labeling, value, bound, exactness.

    >>> import hedgehop as hh
    >>> hh.testing.check_oracle(hh.oracles.get("ilp"), hh.FactorGraph([[0.0, 1.0]] * 3, [[0, 1]], 0.5))
    """
    every = all_labelings(model)
    values = np.atleast_1d(model.score(every)) + total_value(model, potentials, every)
    step = oracle.on(model).step(potentials)
    _require(step.labeling.shape == tuple(model.shape), "a step's labeling must have the model's shape")
    true = worth(model, potentials, step.labeling)[1]
    _require(_close(step.value, true), f"a step's value must be that of its labeling, {true!r}; it says {step.value!r}")
    top = float(values.max())
    room = 1e-6 * max(1.0, abs(top))
    too_low = f"the bound {step.upper_bound!r} is below the best labeling's value {top!r}"
    _require(step.upper_bound >= top - room, too_low)
    _require(step.value <= step.upper_bound + room, "the value must not exceed the bound")
    proven = not step.exact or step.value >= top - 10 * room
    _require(proven, f"called exact at {step.value!r}, but {top!r} is possible")


def all_labelings(model: Model) -> Labels:
    """Return every labeling of a small model, in lexicographic order, (L^n, n)."""
    count = prod(int(c) for c in model.label_counts)
    if count > _TRIED:
        raise ValueError(f"the model has {count} labelings; checks try all of them, up to {_TRIED}. Use a smaller one.")
    return np.concatenate(list(labelings_of(np.arange(model.label_counts.max()) < model.label_counts[:, None])))


def _lists(every: Labels, seed: int, count: int) -> Iterator[Labels]:
    """Yield lists of 0 to 4 labelings, some with repetitions."""
    random = np.random.default_rng(seed)
    for k in range(count):
        rows = every[random.integers(0, len(every), size=k % 5)]
        yield np.concatenate([rows, rows[:1]]) if k % 3 == 2 else rows


def _check_value(diversity: Diversity, model: Model, rows: Labels, every: Labels) -> None:
    value = diversity.value(model, rows)
    _require(_close(value, diversity.value(model, rows[::-1])), "D must not depend on the order of the list")
    split = diversity.coverage(model, rows) + float(diversity.parsimony_of(model, rows).sum())
    _require(_close(value, split), "D must be coverage plus parsimony")
    parsimony = diversity.parsimony_of(model, every)
    _require(parsimony.min() >= diversity.parsimony_floor(model) - _SLACK, "parsimony must not be below its floor")
    gains = np.asarray(diversity.gain(model, every, rows))
    for k in range(0, len(every), max(1, len(every) // 16)):
        step = diversity.value(model, np.concatenate([rows, every[k : k + 1]])) - value
        _require(_close(gains[k], step), f"gain must be the difference of values, {step!r}; got {gains[k]!r}")


def _check_potentials(diversity: Diversity, model: Model, rows: Labels, every: Labels) -> None:
    gains = np.asarray(diversity.gain(model, every, rows))
    bounding = diversity.bounding(model, rows)
    steering = diversity.potentials(model, rows)
    upper = sum((potential.upper(model, every) for potential in bounding), np.zeros(len(every)))
    slack = _SLACK * max(1.0, float(np.abs(gains).max(initial=0.0)))
    _require((upper >= gains - slack).all(), "bounding potentials must not be below the gain")
    if type(diversity).bounding is Diversity.bounding or bounding == steering:
        _require(_close(total_value(model, steering, every), gains), "potentials must add up to the gain")


def _check_beginnings(diversity: Diversity, model: Model, rows: Labels) -> None:
    beginnings = [rows[:t] for t in range(len(rows) + 1)]
    values = np.array([diversity.value(model, b) for b in beginnings])
    _require(_close(diversity.values(model, rows), values), "values must be D of every beginning of a list")
    offsets = np.array([diversity.offset(model, b, 5) for b in beginnings])
    _require(_close(diversity.offsets(model, rows, 5), offsets), "offsets must be those of every beginning")


def _check_shape(diversity: Diversity, model: Model, rows: Labels) -> None:
    """Check that coverage grows, and that each labeling adds less the longer the list is."""
    if not diversity.submodular:
        return
    worth = [diversity.coverage(model, rows[:t]) for t in range(len(rows) + 1)]
    _require(all(b >= a - _SLACK for a, b in pairwise(worth)), "coverage must not fall")
    for t in range(len(rows)):
        for y in rows:
            early = _added(diversity, model, rows[:t], y)
            late = _added(diversity, model, rows[: t + 1], y)
            falls = late <= early + _SLACK * max(1.0, early)
            _require(falls, "a labeling must add less to a longer list (submodularity)")


def _check_offset(diversity: Diversity, model: Model, rows: Labels, every: Labels) -> None:
    gains = np.asarray(diversity.gain(model, every, rows))
    random = np.random.default_rng(len(rows))
    for m in (1, 2, 3):
        offset = diversity.offset(model, rows, m)
        for _ in range(8):
            picks = random.integers(0, len(every), size=m)
            reached = diversity.value(model, every[picks])
            limit = offset + float(gains[picks].sum())
            _require(reached <= limit + _SLACK * max(1.0, abs(limit)), "D of a list exceeds offset plus gains")


def _added(diversity: Diversity, model: Model, rows: Labels, y: Labels) -> float:
    return diversity.coverage(model, np.concatenate([rows, y[None]])) - diversity.coverage(model, rows)


def _close(a: ArrayLike, b: ArrayLike) -> bool:
    return bool(np.allclose(a, b, rtol=_SLACK, atol=_SLACK))


def _require(condition: bool | np.bool_, promise: str) -> None:
    if not condition:
        raise AssertionError(promise)
