# SPDX-License-Identifier: BSD-3-Clause
"""Whether probabilities are right: how often events come true, compared with their probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, finite, integers, own, positive_count

_LEAST_TERM = 1e-12  # whose logarithm stands for those of smaller probabilities


@dataclass(frozen=True, eq=False)
class Reliability:
    """Probabilities in bins: what was said, and what came true; drawn by ``hedgehop.plotting.plot_reliability``.

    Attributes
    ----------
    said, true : (bins,) arrays
        Mean probability and share of events in each bin; nan in empty ones.
    counts : (bins,) array
        How many events each bin holds.
    """

    said: Doubles
    true: Doubles
    counts: Doubles

    @property
    def error(self) -> float:
        """The expected calibration error: mean difference of what was said and what came true, weighted by counts."""
        some = self.counts > 0
        return float(self.counts[some] @ np.abs(self.said - self.true)[some] / self.counts.sum())

    @property
    def noise(self) -> tuple[float, float]:
        """Mean and standard deviation of the error by chance, if the probabilities are right and events independent.

        Few events never come true as often as they should. An error that is not above this shows nothing. Counts in a
        bin are binomial, whose mean absolute deviation is by de Moivre (1730).
        """
        from scipy.stats import binom

        some = self.counts > 0
        n, p = self.counts[some], self.said[some]
        above = np.floor(n * p) + 1.0
        mean = 2.0 * above * (1.0 - p) * binom.pmf(above, n, p)
        spread = np.sqrt(np.maximum(0.0, n * p * (1.0 - p) - mean**2).sum())
        return float(mean.sum() / n.sum()), float(spread / n.sum())

    def __repr__(self) -> str:
        shown = f"expected calibration error {self.error:.3f}, by chance {self.noise[0]:.3f}"
        return f"Reliability({self.counts.sum():g} events, {shown})"


def reliability(probabilities: ArrayLike, outcomes: ArrayLike, bins: int = 10) -> Reliability:
    """Return how often events came true, in bins of their probability.

    Parameters
    ----------
    probabilities : array
        Of each event, 0 to 1.
    outcomes : array of the same shape
        Whether each came true: 1, 0, or a share.
    bins : int
        Number of bins of equal width.

    Examples
    --------
    >>> reliability([0.9, 0.9, 0.9, 0.1], [1, 1, 0, 0])
    Reliability(4 events, expected calibration error 0.200, by chance 0.154)
    """
    p = finite(probabilities, "probabilities").reshape(-1)
    came = finite(outcomes, "outcomes").reshape(-1)
    if p.size != came.size or not p.size:
        raise ValueError(f"probabilities and outcomes must be equally many, at least 1; got {p.size} and {came.size}.")
    for values, name in ((p, "probabilities"), (came, "outcomes")):
        if values.min() < 0.0 or values.max() > 1.0 + 1e-9:
            raise ValueError(f"{name} must be between 0 and 1; got {values.min():g} to {values.max():g}.")
    bins = positive_count(bins, "bins")
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    counts = np.bincount(place, minlength=bins).astype(np.float64)
    with np.errstate(invalid="ignore"):
        said, true = (np.bincount(place, values, bins) / counts for values in (p, came))
    return Reliability(own(said), own(true), own(counts))


def calibration_error(probabilities: ArrayLike, outcomes: ArrayLike, bins: int = 10) -> float:
    """Return the expected calibration error: how far probabilities are from how often events came true.

    >>> round(calibration_error([0.9, 0.9, 0.9, 0.1], [1, 1, 0, 0]), 3)
    0.2
    """
    return reliability(probabilities, outcomes, bins).error


def log_loss(probabilities: ArrayLike, outcomes: ArrayLike) -> float:
    """Return the mean of ``-log p(what came true)``, of distributions (..., L) and of what came true: labels (...).

    >>> round(log_loss([[0.5, 0.5], [1.0, 0.0]], [0, 0]), 3)
    0.347
    """
    p, labels = finite(probabilities, "probabilities"), np.asarray(outcomes)
    if p.shape == (0,):
        raise ValueError(f"probabilities must have shape (..., L) with at least one distribution; got {p.shape}.")
    if p.ndim == 0 or labels.shape != p.shape[:-1]:
        raise ValueError(f"outcomes must have shape {p.shape[:-1]}; got {labels.shape}.")
    places = integers(labels, "outcomes")
    if places.size == 0 or places.min() < 0 or places.max() >= p.shape[-1]:
        raise ValueError(f"outcomes must be labels 0..{p.shape[-1] - 1}, at least one; got {places.tolist()!r:.60}.")
    chosen = np.take_along_axis(p, places[..., None], axis=-1)
    return float(-np.mean(np.log(np.maximum(chosen, _LEAST_TERM))))
