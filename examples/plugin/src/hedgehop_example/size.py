# SPDX-License-Identifier: BSD-3-Clause
"""A command: how large a model is."""

from pathlib import Path

import hedgehop as hh


def size(file: Path) -> None:
    """Print how many variables and labels a model has."""
    model = hh.read(file)
    print(f"{model.n_variables} variables, up to {int(model.label_counts.max())} labels")
