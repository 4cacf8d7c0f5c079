# SPDX-License-Identifier: BSD-3-Clause
"""What panels and strips say about a labeling."""

from __future__ import annotations

from hedgehop.lists.result import DiverseList


def source(found: DiverseList, t: int) -> str:
    """Which diversity a labeling of a portfolio comes from."""
    return found.sources[t].partition("(")[0] if found.sources else ""


def difference(found: DiverseList, t: int) -> str:
    """How much of a labeling differs from the first."""
    if t == 0:
        return ""
    share = float((found.labelings[t] != found.labelings[0]).mean())
    return f"{share:.1%} differ" if share else "the same"
