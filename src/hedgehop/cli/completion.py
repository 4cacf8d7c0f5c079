# SPDX-License-Identifier: BSD-3-Clause
"""What a shell offers when Tab is pressed after an option."""

from __future__ import annotations

from hedgehop.oracles import available
from hedgehop.specifications import EXAMPLES


def oracle_names(incomplete: str) -> list[str]:
    """Names of oracles that begin so."""
    return [name for name in ("auto", *available()) if name.startswith(incomplete)]


def diversity_names(incomplete: str) -> list[str]:
    """Diversities in words; in a sum, the last term is completed."""
    done, plus, term = incomplete.rpartition("+")
    return [f"{done}{plus}{example}" for example in EXAMPLES if example.startswith(term)]
