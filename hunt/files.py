# SPDX-License-Identifier: BSD-3-Clause
"""Damaged files of every format: a ValueError or what is in them, nothing else. ``make fuzz`` looks deeper."""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import hedgehop as hh
from hedgehop.io.formats.uai import read_evidence
from hunt.tally import Fault, Tally

_BATCH = 500  # files of one format in a row, from one seed
_MODELS = (".uai", ".LG", ".wcsp", ".cfn", ".max", ".npz", ".uai.gz", ".uai.xz", ".att")
_MAPS = (".npy", ".json", ".png", ".MAP")
_OFTEN = (".MAP", ".evid", ".max", ".uai.xz", ".uai.gz", ".csv", ".jsonl", ".npz")  # whose reading is fast
_MEMORY = Path("/dev/shm")  # files of a few bytes: a disk would take longer than what is tested
PIECES = (b"-1", b"0", b"99999999999", b"1e308", b"nan", b"-inf", b" ", b"\n", b"{", b"]", b'"', b"\0", b"\xff", b"x")


@dataclass(frozen=True)
class Format:
    """How a file is read, and what whole ones hold."""

    suffix: str
    read: Callable[[str], Any]
    whole: tuple[bytes, ...]


def hunt(seed: int, seconds: float, tally: Tally) -> int:
    """Read damaged files until time is up; return how many."""
    end, count = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        formats = list(_formats(Path(name)))
        formats += 5 * [one for one in formats if one.suffix in _OFTEN]
        while time.monotonic() < end:
            count += batch(seed, Random(seed).choice(formats), Path(name), tally)
            seed += 1
    return count


def batch(seed: int, form: Format, folder: Path, tally: Tally) -> int:
    """Damage and read files of one format; the same file every time, which is rewritten in place."""
    random, path = Random(seed), str(folder / f"file{form.suffix}")
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numpy, about headers of Python 2
            for _ in range(_BATCH):
                content = damaged(form.whole[int(random.random() * len(form.whole))], random)
                os.ftruncate(file, 0)
                os.pwrite(file, content, 0)
                _read(seed, form, path, content, tally)
    finally:
        os.close(file)
        Path(path).unlink()
    tally.formats[form.suffix] += _BATCH
    return _BATCH


def damaged(content: bytes, random: Random) -> bytes:
    """Replace up to six bytes by others, one to four times."""
    draw = random.random
    for _ in range(1 + int(4 * draw())):
        start = int((len(content) + 1) * draw())
        piece = PIECES[int(len(PIECES) * draw())] if draw() < 0.7 else random.randbytes(int(4 * draw()))
        content = content[:start] + piece + content[start + int(7 * draw()) :]
    return content


def _read(seed: int, form: Format, path: str, content: bytes, tally: Tally) -> None:
    try:
        form.read(path)
    except ValueError:
        return
    except Exception as error:
        text = f"{type(error).__name__}: {error} from {content!r}"
        tally.faults.append(Fault(seed, "exception", f"reading {form.suffix}", text))


def _formats(folder: Path) -> Iterator[Format]:
    """Every format, with small whole files."""
    small = hh.FactorGraph([[0.0, -1.0], [-2.0, 0.0]], [[0, 1]], [np.array([[0.0, -2.0], [-1.0, 0.0]])])
    cliques = [([0, 1, 2], -np.ones((2, 2, 2)))]
    large = hh.FactorGraph([[0.0, -1.0]] * 3, [[0, 1]], [[[0.0, -2.0], [-np.inf, 0.0]]], cliques)
    strings = hh.Automaton([(0, 1, 0), (1, 2, -1), (1, 2, 1)], [0.0, -1.5, -2.0], {2: -1.0}, symbols=["a", "bb"])
    special: dict[str, tuple[Any, ...]] = {".max": (small,), ".att": (strings,)}
    for suffix in _MODELS:
        yield Format(suffix, _model, tuple(_written(hh.write, special.get(suffix, (small, large)), folder, suffix)))
    for suffix in _MAPS:
        maps = _written(hh.io.write_labels, ([[0, 1], [2, 255]],), folder, suffix)
        yield Format(suffix, hh.io.read_labels, tuple(maps))
    found = hh.diverse(small, m=2)
    yield Format(".list.npz", hh.load, tuple(_written(type(found).save, (found,), folder, ".list.npz")))
    yield Format(".evid", read_evidence, (b"2 0 1 2 0\n", b"1\n1 1 0\n"))
    yield Format(".csv", hh.batch.Manifest, (b"model,truth\na.uai,b.png\n", b'model,tradeoff\n"a, b.uai",2\n'))
    yield Format(".jsonl", hh.batch.Manifest, (b'{"model": "a.uai", "tradeoff": 2}\n{"model": "b.uai"}\n',))


def _model(path: str) -> Any:
    return hh.read(path, max_bytes=2**20)


def _written(write: Callable[..., object], things: tuple[Any, ...], folder: Path, suffix: str) -> Iterator[bytes]:
    path = folder / f"whole{suffix}"
    for thing in things:
        write(thing, path)
        yield path.read_bytes()
