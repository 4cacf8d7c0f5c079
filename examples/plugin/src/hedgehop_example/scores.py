# SPDX-License-Identifier: BSD-3-Clause
"""A file format: one line per variable with the scores of its labels, without pairs."""

from pathlib import Path

import hedgehop as hh


def read(path):
    """Return the model in a file; errors say where the file is wrong."""
    rows = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        try:
            rows.append([float(word) for word in line.split()])
        except ValueError as error:
            raise ValueError(f"line {number} must hold numbers; {error}.") from None
    return hh.FactorGraph(rows)


def write(model, path):
    """Write a model without edges."""
    if len(getattr(model, "edges", ())):
        raise ValueError("a .scores file cannot hold pairs. Use another format, such as .npz.")
    lines = [
        " ".join(map(repr, row[:count].tolist())) for row, count in zip(model.unary, model.label_counts, strict=True)
    ]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
