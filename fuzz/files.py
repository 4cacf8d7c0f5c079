# SPDX-License-Identifier: BSD-3-Clause
"""Any bytes, as a file of any format: a ValueError or its content, nothing else. ``make fuzz``; needs atheris."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris
import numpy as np

import hedgehop as hh

SUFFIXES = (".uai", ".LG", ".wcsp", ".cfn", ".max", ".npz", ".uai.gz", ".uai.xz", ".att")
MAPS = (".npy", ".json", ".png", ".MAP")
MANIFESTS = (".csv", ".jsonl")
ALL = (*SUFFIXES, *MAPS, *MANIFESTS)
FOLDER = Path(tempfile.mkdtemp())


def seeds(folder):
    """Write a small file of every format, its first byte the number of the format."""
    model = hh.FactorGraph([[0.0, -1.0], [-2.0, 0.0]], [[0, 1]], [np.array([[0.0, -2.0], [-1.0, 0.0]])])
    for k, suffix in enumerate(ALL):
        seed = FOLDER / f"seed{suffix}"
        if suffix == ".att":
            hh.write(hh.Automaton([(0, 1, 0), (1, 2, 1)], [0.0, -1.5], {2: -1.0}, symbols=["a", "b"]), seed)
        elif suffix in SUFFIXES:
            hh.write(model, seed)
        elif suffix in MAPS:
            hh.io.write_labels([[0, 1], [2, 255]], seed)
        else:
            seed.write_text("model,truth\na.uai,b.png\n" if suffix == ".csv" else '{"model": "a.uai"}\n')
        (folder / str(k)).write_bytes(bytes([k]) + seed.read_bytes())


def read(path):
    if path.suffix in MANIFESTS:
        return hh.batch.Manifest(path)
    return hh.io.read_labels(path) if path.suffix in MAPS else hh.read(path, max_bytes=2**20)


def check(data):
    path = FOLDER / f"file{ALL[data[0] % len(ALL) if data else 0]}"
    path.write_bytes(data[1:])
    try:
        read(path)
    except ValueError:
        return


if __name__ == "__main__":
    corpus = Path(tempfile.mkdtemp())
    seeds(corpus)  # imports the readers, too
    atheris.instrument_all()  # editable installs have a loader of their own, which instrument_imports cannot follow
    atheris.Setup([*sys.argv, str(corpus)], check)
    atheris.Fuzz()
