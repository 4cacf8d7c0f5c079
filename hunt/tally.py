# SPDX-License-Identifier: BSD-3-Clause
"""What was checked in each cell, and what was wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

KINDS = ("lists", "steps", "bounds", "exact", "guarantees")


@dataclass
class Fault:
    """Something that is not as it is said to be; `seed` makes it again."""

    seed: int
    kind: str
    where: str
    text: str


@dataclass
class Tally:
    """Counts by cell, oracle and call."""

    cells: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    oracles: dict[str, Counter[str]] = field(default_factory=dict)
    calls: dict[str, Counter[str]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    formats: Counter[str] = field(default_factory=Counter)  # of damaged files
    rounds: int = 0

    def total(self) -> Counter[str]:
        """Counts over all cells."""
        return sum(self.cells.values(), Counter())

    def summed(self, place: int) -> dict[str, Counter[str]]:
        """Counts by structure (0) or diversity (1)."""
        rows: dict[str, Counter[str]] = {}
        for cell, counts in self.cells.items():
            rows.setdefault(cell[place], Counter()).update(counts)
        return rows

    def table(self) -> str:
        """All counts as text."""
        parts = []
        columns = {"structure": self.summed(0), "diversity": self.summed(1), "oracle": self.oracles, "call": self.calls}
        for title, rows in columns.items():
            parts.append(f"{title:<18}" + "".join(f"{k:>11}" for k in KINDS))
            parts += [f"  {name:<16}" + "".join(f"{c[k]:>11}" for k in KINDS) for name, c in sorted(rows.items())]
        total = self.total()
        parts.append(f"{'all':<18}" + "".join(f"{total[k]:>11}" for k in KINDS))
        parts.append(f"lists in each of {len(self.cells)} cells (structure x diversity):")
        names = sorted({d for _, d in self.cells})
        parts.append(" " * 18 + " ".join(f"{c[:9]:>9}" for c in names))
        for name in sorted({s for s, _ in self.cells}):
            row = [self.cells.get((name, c), Counter())["lists"] for c in names]
            parts.append(f"  {name:<16}" + " ".join(f"{k:>9}" for k in row))
        return "\n".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Everything, for machines."""
        return {
            "rounds": self.rounds,
            "total": dict(self.total()),
            "cells": [{"structure": s, "diversity": d, **c} for (s, d), c in sorted(self.cells.items())],
            "oracles": {name: dict(c) for name, c in sorted(self.oracles.items())},
            "calls": {name: dict(c) for name, c in sorted(self.calls.items())},
            "formats": dict(self.formats),
            "faults": [asdict(f) for f in self.faults],
        }
