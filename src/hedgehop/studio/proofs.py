# SPDX-License-Identifier: BSD-3-Clause
"""What is proven about a list, in plain words."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgehop.lists.result import DiverseList

_MEANING = (
    "A list is worth how well its candidates fit the strokes and the image, plus how different they are. Compared "
    "with showing the likeliest segmentation {m} times, this list gains at least {share} % of what the best list could "
    "gain: {among}. That was proven for this very list; how well the model understands your image, no proof can tell."
)


def proof_of(found: DiverseList) -> dict[str, Any]:
    """Return the proven share, a short and a long sentence; the share is rounded down."""
    m, share = len(found), int(np.floor(100.0 * min(1.0, found.guarantee)))
    pool = found.indices is not None
    among = (
        f"the best of all lists of {m} from the segmentations that were computed ({found.method.rpartition(' ')[2]})"
        if pool
        else f"the best of all lists of {m} there are"
    )
    if m == 1:
        exact = bool(found.exact[0])
        text = "the best segmentation, proven" if exact else "a good segmentation, not proven to be the best"
        return {"share": 100 if exact else 0, "text": text, "meaning": "The best under the model of the image."}
    text = f"at least {share} % of the best possible" if share else "nothing could be proven for this list"
    return {"share": share, "text": text, "meaning": _MEANING.format(m=m, share=share, among=among)}
