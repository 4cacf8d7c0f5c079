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
    with pytest.raises(ValueError, match=r"cannot be extended \(greedy\).*hh\.load\(file, model\)"):
        again.more(1)


LIMITS = [{}, {"distinct": True}, {"min_distance": 3}]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_a_list_from_a_file_goes_on_with_its_model(tmp_path, limits):
    """As the list itself does: the same longer list, and bounds that hold and are no worse."""
    random = np.random.default_rng(2)
    model = hh.Grid(random.normal(size=(3, 4, 3)), smoothness=0.3)
    found = hh.diverse(model, hh.VariableCoverage(), m=3, tradeoff=1.5, certify=False, **limits)
    found.save(tmp_path / "list.npz")
    again = hh.load(tmp_path / "list.npz", model)
    assert again.certificate == found.certificate
    longer = again.more(2)
    assert np.array_equal(longer.labelings, found.more(2).labelings)
    assert longer.oracles[:3] == found.oracles
    for name in ("exact", "relevance", "seconds", "bounds"):
        assert np.array_equal(getattr(longer, name)[:3], getattr(found, name)), name
    proven, better = again.certify(20), again.improve(20)
    assert proven.upper_bound < found.upper_bound
    assert proven.certificate.baseline == pytest.approx(found.certificate.baseline)
    assert np.array_equal(proven.labelings, found.labelings)
    assert proven.oracles == found.oracles
    assert found.objective <= better.objective <= proven.upper_bound + 1e-9
    assert np.array_equal(proven.bounds, found.bounds)
    assert np.array_equal(again.probabilities, found.probabilities)


def test_a_list_goes_on_from_the_bound_of_its_file(tmp_path):
    model = hh.Grid(np.random.default_rng(5).normal(size=(4, 4, 3)), smoothness=0.3)
    found = hh.diverse(model, hh.LinearHamming(), m=3, tradeoff=1.0, certify=30)
    found.save(tmp_path / "list.npz")
    assert hh.load(tmp_path / "list.npz", model).certify(1).upper_bound <= found.upper_bound


def test_a_longer_list_from_a_file_is_certified_as_the_list_itself_would_be(tmp_path):
    model = hh.Grid(np.random.default_rng(5).normal(size=(4, 4, 3)), smoothness=0.3)
    for certify in (False, 3):
        found = hh.diverse(model, hh.VariableCoverage(), m=3, tradeoff=2.0, distinct=False, certify=certify)
        found.save(tmp_path / "list.npz")
        longer = hh.load(tmp_path / "list.npz", model).more(2)
        assert longer.upper_bound == pytest.approx(found.more(2).upper_bound)
        assert (longer.certificate.proof.calls > 0) == bool(certify)


def test_lists_do_not_go_on_with_another_model(tmp_path):
    found = example()
    found.save(tmp_path / "list.npz")
    with pytest.raises(hh.BoundError, match="made for another model"):
        hh.load(tmp_path / "list.npz", hh.Grid(np.zeros((3, 4, 2))))
    weighted = hh.VariableCoverage(weights=np.arange(12.0))
    grid = hh.Grid(np.arange(24.0).reshape(3, 4, 2) % 5, smoothness=0.5)
    with pytest.raises(hh.BoundError, match="made for another model, diversity"):
        hh.load(tmp_path / "list.npz", grid, weighted)
    joint = hh.diverse(grid, hh.VariableCoverage(), m=3, tradeoff=2.0, method="joint")
    joint.save(tmp_path / "joint.npz")
    again = hh.load(tmp_path / "joint.npz", grid)
    assert again.certify(3).optimal
    with pytest.raises(ValueError, match="cannot be extended"):
        again.more(1)


def test_selections_and_portfolios_do_not_go_on(tmp_path):
    model = hh.FactorGraph([[0.0, 1.0]] * 2)
    hh.select([[0, 0], [1, 1]], model, hh.VariableCoverage(), m=1).save(tmp_path / "pool.npz")
    with pytest.raises(ValueError, match="model cannot be given for this list"):
        hh.load(tmp_path / "pool.npz", model)


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
    """Bytes changed, missing or added anywhere: a list, or a message without bytes, error codes or the path twice."""
    path, random = tmp_path / "list.npz", np.random.default_rng(0)
    example().save(path)
    whole, refused = path.read_bytes(), 0
    for _ in range(300):
        damaged = bytearray(whole[: random.integers(1, len(whole))] if random.random() < 0.3 else whole)
        for place in random.integers(0, len(damaged), 3):
            damaged[place] = random.integers(256)
        if random.random() < 0.3:
            cut = random.integers(len(damaged))
            damaged[cut : cut + random.integers(9)] = random.bytes(random.integers(9))
        path.write_bytes(damaged)
        try:
            hh.load(path).report()
        except ValueError as error:
            text, refused = str(error), refused + 1
            assert text.isprintable()
            assert len(text) < len(str(path)) + 250
            assert text.count(str(path)) == 1
            assert "\\x" not in text
            assert "Errno" not in text
    assert refused > 200
