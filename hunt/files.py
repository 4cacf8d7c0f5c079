# SPDX-License-Identifier: BSD-3-Clause
"""Damaged files of every format: a ValueError or what is in them, nothing else. ``make fuzz`` looks deeper."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np

import hedgehop as hh
from hunt.tally import Fault, Tally

MODELS = (".uai", ".LG", ".wcsp", ".cfn", ".max", ".npz", ".uai.gz", ".uai.xz", ".att")
MAPS = (".npy", ".json", ".png", ".MAP")
_MEMORY = Path("/dev/shm")  # files of a few bytes: a disk would take longer than what is tested
PIECES = (b"-1", b"0", b"99999999999", b"1e308", b"nan", b"-inf", b" ", b"\n", b"{", b"]", b'"', b"\0", b"\xff", b"x")


def hunt(seed: int, seconds: float, tally: Tally) -> int:
    """Read damaged files until time is up; return how many."""
    end, count = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        whole = _written(Path(name))
        while time.monotonic() < end:
            _read(seed + count, Path(name), whole, tally)
            count += 1
    return count


def _written(folder: Path) -> dict[str, bytes]:
    """A small file of every format."""
    small = hh.FactorGraph([[0.0, -1.0], [-2.0, 0.0]], [[0, 1]], [np.array([[0.0, -2.0], [-1.0, 0.0]])])
    cliques = [([0, 1, 2], -np.ones((2, 2, 2)))]
    large = hh.FactorGraph([[0.0, -1.0]] * 3, [[0, 1]], [[[0.0, -2.0], [-np.inf, 0.0]]], cliques)
    strings = hh.Automaton([(0, 1, 0), (1, 2, -1), (1, 2, 1)], [0.0, -1.5, -2.0], {2: -1.0}, symbols=["a", "bb"])
    special = {".max": small, ".att": strings}
    for suffix in MODELS:
        hh.write(special.get(suffix, large), folder / f"whole{suffix}")
    for suffix in MAPS:
        hh.io.write_labels([[0, 1], [2, 255]], folder / f"whole{suffix}")
    return {suffix: (folder / f"whole{suffix}").read_bytes() for suffix in (*MODELS, *MAPS)}


def _read(seed: int, folder: Path, whole: dict[str, bytes], tally: Tally) -> None:
    random = Random(seed)
    suffix = random.choice((*MODELS, *MAPS))
    path, content = folder / f"file{suffix}", whole[suffix]
    for _ in range(random.randrange(1, 5)):
        start = random.randrange(len(content) + 1)
        piece = random.choice(PIECES) if random.random() < 0.7 else random.randbytes(random.randrange(4))
        content = content[:start] + piece + content[start + random.randrange(7) :]
    path.write_bytes(content)
    try:
        hh.io.read_labels(path) if suffix in MAPS else hh.read(path, max_bytes=2**20)
    except ValueError:
        return
    except Exception as error:
        text = f"{type(error).__name__}: {error} from {content[:200]!r}"
        tally.faults.append(Fault(seed, "exception", f"reading {suffix}", text))
