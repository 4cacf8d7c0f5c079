# SPDX-License-Identifier: BSD-3-Clause
"""Small nets that turn the cues of a superpixel into log-odds of the object; their weights are shipped as arrays.

Every hand-made rule that keeps far regions out of the object costs strokes of people who drew much. The nets have
learned from examples when to trust which opinion. ``experiments/strokes`` makes the weights and lists the images.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop.segmentation.strokes.cues import FRAMED, NAMES, OPINIONS

Singles = NDArray[np.float32]

# Cues that also enter times the amount of background that was drawn.
_BY_BACKGROUND = (
    *OPINIONS, *(f"framed {name}" for name in FRAMED), "trees around", "framed trees around", "mean",
    "path to object", "path to frame", "color of object", "color of frame", "place of object", "place of frame",
)  # fmt: skip
_TIMES = [NAMES.index(name) for name in _BY_BACKGROUND]
_AMOUNT = NAMES.index("background drawn")
_LARGEST_INPUT = 4.0  # in standard deviations
_LARGEST_ODDS = 6.0
INPUTS = len(NAMES) + len(_TIMES)


class Combiner:
    """K nets with one hidden layer of H units.

    Parameters
    ----------
    arrays : mapping of str to array
        ``mean`` and ``scale`` (S,) of the cues; ``inner`` (I, K, H), ``inner_bias`` (K, H), ``outer`` (K, H),
        ``outer_bias`` (K,).
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays: dict[str, Singles] = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        if self.arrays["inner"].shape[0] != INPUTS:
            raise ValueError(f"nets must have {INPUTS} inputs; got {self.arrays['inner'].shape[0]}. Train them again.")

    def log_odds(self, cues: Singles) -> NDArray[np.float64]:
        """Log-odds of the object, (n,): the mean of the nets."""
        a = self.arrays
        inner = a["inner"]
        rows = standardised(cues, a["mean"], a["scale"]) @ inner.reshape(len(inner), -1)
        hidden = np.tanh(rows.reshape(len(cues), *inner.shape[1:]) + a["inner_bias"])
        odds = (hidden * a["outer"]).sum(axis=2) + a["outer_bias"]
        return np.asarray(np.clip(odds, -_LARGEST_ODDS, _LARGEST_ODDS).mean(axis=1), np.float64)


def standardised(cues: Singles, mean: Singles, scale: Singles) -> Singles:
    """Inputs of the nets, (n, I): cues in standard deviations, 0 if unknown; and some times the background drawn."""
    rows = np.nan_to_num(np.clip((cues - mean) / scale, -_LARGEST_INPUT, _LARGEST_INPUT))
    return np.hstack([rows, rows[:, _TIMES] * rows[:, _AMOUNT : _AMOUNT + 1]]).astype(np.float32)


@lru_cache(maxsize=1)
def shipped() -> Combiner:
    """Return the nets that come with the library."""
    path = files("hedgehop.segmentation.strokes").joinpath("combiner.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
        return Combiner(dict(kept))
