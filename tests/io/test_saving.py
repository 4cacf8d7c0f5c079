# SPDX-License-Identifier: BSD-3-Clause
"""Files of lists: round trips, old files, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hedgehop as hh

OLD = sorted((Path(__file__).parents[1] / "data").glob("list_v*.npz"))


def example() -> hh.DiverseList:
    grid = hh.Grid(np.arange(24.0).reshape(3, 4, 2) % 5, smoothness=0.5)
    return hh.diverse(grid, hh.VariableCoverage(), m=3, tradeoff=2.0)


def test_round_trip(tmp_path):
    found = example()
    found.save(tmp_path / "list.npz")
    again = hh.load(tmp_path / "list.npz")
    for name in ("labelings", "relevance", "gains", "bounds", "exact", "seconds"):
        assert np.array_equal(getattr(again, name), getattr(found, name))
        assert getattr(again, name).dtype == getattr(found, name).dtype
    assert again.certificate == found.certificate
    assert again.report() == found.report()
    assert [p.name for p in tmp_path.iterdir()] == ["list.npz"]
    with pytest.raises(ValueError, match="not loaded from a file"):
        again.more(1)


def test_selection_and_infinite_bound_round_trip(tmp_path):
    model = hh.FactorGraph([[0.0, 1.0]] * 2)
    found = hh.select([[0, 0], [1, 1]], model, hh.VariableCoverage(), m=1)
    found.save(tmp_path / "pool.npz")
    assert hh.load(tmp_path / "pool.npz").indices.tolist() == [1]


@pytest.mark.parametrize("path", OLD, ids=lambda p: p.name)
def test_old_files_keep_loading(path):
    found = hh.load(path)
    assert found.labelings.shape == (3, 3, 4)
    assert found.objective <= found.upper_bound
    assert np.isclose(found.gains.sum(), found.objective)
    assert "VariableCoverage" in found.report()


def test_there_is_an_old_file():
    assert OLD


def test_no_pickle_is_ever_read(tmp_path):
    np.savez(tmp_path / "evil.npz", header=np.array([{"format": 1}], dtype=object))
    with pytest.raises(ValueError, match="is not a list saved by hedgehop"):
        hh.load(tmp_path / "evil.npz")


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a list saved by hedgehop"):
        hh.load(path)


def test_newer_formats_and_foreign_arrays_are_refused(tmp_path):
    np.savez(tmp_path / "new.npz", header=np.array(json.dumps({"format": 99})))
    with pytest.raises(ValueError, match=r"has format 99; this version reads up to 3\. Update hedgehop\."):
        hh.load(tmp_path / "new.npz")
    np.savez(tmp_path / "foreign.npz", scores=np.zeros(3))
    with pytest.raises(ValueError, match="is not a list saved by hedgehop"):
        hh.load(tmp_path / "foreign.npz")
    with pytest.raises(FileNotFoundError):
        hh.load(tmp_path / "absent.npz")


def test_failed_save_leaves_the_old_file(tmp_path):
    target = tmp_path / "list.npz"
    example().save(target)
    before = target.read_bytes()
    with pytest.raises(FileNotFoundError):
        example().save(tmp_path / "missing" / "list.npz")
    assert target.read_bytes() == before


def test_damaged_files_are_one_sentence(tmp_path):
    """Bytes changed or missing anywhere: a list, or a message without bytes, names of Python or the path twice."""
    path, random = tmp_path / "list.npz", np.random.default_rng(0)
    example().save(path)
    whole, refused = path.read_bytes(), 0
    for _ in range(300):
        damaged = bytearray(whole[: random.integers(1, len(whole))] if random.random() < 0.3 else whole)
        for place in random.integers(0, len(damaged), 3):
            damaged[place] = random.integers(256)
        path.write_bytes(damaged)
        try:
            hh.load(path).report()
        except ValueError as error:
            text, refused = str(error), refused + 1
            assert text.isprintable()
            assert len(text) < len(str(path)) + 250
            assert text.count(str(path)) == 1
            assert "\\x" not in text
    assert refused > 200
