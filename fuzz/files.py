"""Any bytes, as a file of any format: a ValueError or a model, nothing else. ``make fuzz``; needs atheris."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris
import numpy as np

import hedgehop as hh

SUFFIXES = (".uai", ".LG", ".wcsp", ".cfn", ".max", ".npz", ".uai.gz", ".uai.xz")
FOLDER = Path(tempfile.mkdtemp())


def seeds(folder):
    """Write a small file of every format, its first byte the number of the format."""
    model = hh.FactorGraph([[0.0, -1.0], [-2.0, 0.0]], [[0, 1]], [np.array([[0.0, -2.0], [-1.0, 0.0]])])
    for k, suffix in enumerate(SUFFIXES):
        hh.write(model, FOLDER / f"seed{suffix}")
        (folder / str(k)).write_bytes(bytes([k]) + (FOLDER / f"seed{suffix}").read_bytes())


def check(data):
    path = FOLDER / f"model{SUFFIXES[data[0] % len(SUFFIXES) if data else 0]}"
    path.write_bytes(data[1:])
    try:
        hh.read(path, max_bytes=2**20)
    except ValueError:
        return


if __name__ == "__main__":
    corpus = Path(tempfile.mkdtemp())
    seeds(corpus)  # imports the readers, too
    atheris.instrument_all()  # editable installs have a loader of their own, which instrument_imports cannot follow
    atheris.Setup([*sys.argv, str(corpus)], check)
    atheris.Fuzz()
