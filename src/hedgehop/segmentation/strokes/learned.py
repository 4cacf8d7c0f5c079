# SPDX-License-Identifier: BSD-3-Clause
"""Scores of labels by the nets: one object against the rest, the background as what is none of them."""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.segmentation.strokes.combiner import Combiner, Singles
from hedgehop.segmentation.strokes.cues import PLAIN_MEAN, Cues
from hedgehop.segmentation.strokes.scores import SeedScores, StrokeScores
from hedgehop.segmentation.superpixels import Seeds

_LOG_ODDS_UNIT = 0.3  # of the log-odds, against borders of strength 1

# Where much background was drawn, the plain mean of the opinions helps the nets; not where nearly everything is known
# to be background, as outside of a box. Shares of the superpixels at which its weight begins and ends to rise and fall.
_GATE_SHARES, _GATE_MOST = (0.015, 0.035, 0.2, 0.4), 0.35


def learned_scores(strokes: StrokeScores, combiner: Combiner) -> Doubles:
    """Scores (n, L): 0 for the background, log-odds of each object against the rest; the best label scores 0."""
    odds = [_odds(strokes, label, combiner) for label in range(1, strokes.n_labels)]
    scores = np.stack([np.zeros(strokes.seeds.size), *odds], axis=1)
    return np.asarray(scores - scores.max(axis=1, keepdims=True))


def cues_of(strokes: StrokeScores, label: int) -> Singles:
    """Return the cues of one object against the rest, (n, S)."""
    seeds = _against_the_rest(strokes.seeds, label)
    plain = _plain(strokes, label)
    return Cues(seeds, plain, _framed(plain, seeds)).table()


def _odds(strokes: StrokeScores, label: int, combiner: Combiner) -> Doubles:
    learned = _LOG_ODDS_UNIT * combiner.log_odds(cues_of(strokes, label))
    gate = gate_of(_against_the_rest(strokes.seeds, label))
    if gate == 0.0:
        return learned
    mean = _plain(strokes, label).mix(PLAIN_MEAN)
    return (1.0 - gate) * learned + gate * (mean[:, 1] - mean[:, 0])


def gate_of(seeds: Seeds) -> float:
    """Return the share of the plain mean of the opinions."""
    return float(np.interp((seeds == 0).mean(), _GATE_SHARES, (0.0, _GATE_MOST, _GATE_MOST, 0.0)))


def _against_the_rest(seeds: Seeds, label: int) -> Seeds:
    return np.where(seeds < 0, -1, (seeds == label).astype(np.int64))


def _plain(strokes: StrokeScores, label: int) -> SeedScores:
    """What the strokes teach of one object; with two labels that is known already."""
    if strokes.n_labels == 2:
        return strokes
    return SeedScores(strokes.scene, _against_the_rest(strokes.taught, label), 2)


def _framed(plain: SeedScores, seeds: Seeds) -> SeedScores:
    """Return what the strokes teach with the frame as background."""
    taught = np.where(plain.scene.superpixels.frame & (seeds < 0), 0, plain.taught)
    return plain if (taught == plain.taught).all() else SeedScores(plain.scene, taught, 2)
