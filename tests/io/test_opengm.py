# SPDX-License-Identifier: BSD-3-Clause
"""OpenGM's HDF5 files: every kind of function, refusals, damage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgehop as hh
from hedgehop._errors import UnsupportedError
from hedgehop.io.formats.factors import factors_of
from tests.io.strategies import assert_same

h5py = pytest.importorskip("h5py")


def write(path, counts, functions, factors, group="gm"):
    """Write a file as OpenGM does. functions: {kind: (indices, values)}; factors: (number, kind's place, scope)."""
    header = [2, 0, len(counts), len(factors), len(functions)]
    for kind, (number, _, _) in functions.items():
        header += [kind, number]
    with h5py.File(path, "w") as file:
        gm = file.create_group(group)
        gm["header"] = np.array([*header, 1], np.uint64)
        gm["numbers-of-states"] = np.array(counts, np.uint64)
        for kind, (_, indices, values) in functions.items():
            gm[f"function-id-{kind}/indices"] = np.array(indices, np.uint64)
            gm[f"function-id-{kind}/values"] = np.array(values, float)
        flat = [word for number, place, scope in factors for word in (number, place, len(scope), *scope)]
        gm["factors"] = np.array(flat, np.uint64)


TABLE = np.arange(6.0).reshape(2, 3) ** 2
FUNCTIONS = {
    16000: (2, [1, 2, 2, 2, 3], [1.0, np.inf, *TABLE.ravel(order="F")]),
    16002: (1, [3, 3], [0.5]),
    16003: (1, [3, 3], [1.0, 0.25]),
    16004: (1, [3, 3], [2.0]),
    16005: (1, [3, 3], [3.0, 2.0]),
    16006: (1, [2, 3], [0.0, 4.0]),
    16007: (1, [3, 2, 3, 3], [1.0, 5.0]),
    16008: (1, [0], [7.0]),
}
FACTORS = [
    *[(0, 0, [0]), (1, 0, [0, 1]), (0, 1, [1, 2]), (0, 2, [1, 2]), (0, 3, [1, 2])],
    *[(0, 4, [1, 2]), (0, 5, [0, 2]), (0, 6, [0, 1, 2]), (0, 7, [])],
]


def cost(y):
    step = abs(y[1] - y[2])
    far = 0.5 * step + 0.25 * min(step, 1.0) + 2.0 * step**2 + 2.0 * min(step**2, 3.0)
    first = 1.0 if y[0] == 0 else np.inf
    return first + TABLE[y[0], y[1]] + far + 4.0 * (y[0] != y[2]) + (1.0 if y[0] == y[1] == y[2] else 5.0) + 7.0


@pytest.mark.parametrize("group", ["gm", "model"])
def test_costs_are_those_of_the_definition(tmp_path, group):
    write(tmp_path / "x.h5", [2, 3, 3], FUNCTIONS, FACTORS, group)
    model = hh.read(tmp_path / "x.h5")
    assert model.label_counts.tolist() == [2, 3, 3]
    for y in np.ndindex(2, 3, 3):
        assert model.score(np.array(y)) == pytest.approx(-cost(y))


@pytest.mark.parametrize(
    ("functions", "factors", "sentence"),
    [
        ({16001: (1, [2, 2], [1.0])}, [(0, 0, [0, 1])], "functions of kind 16001 are not supported"),
        ({16006: (1, [2, 2], [0.0, 1.0])}, [(0, 0, [0, 9])], "names 9"),
        ({16006: (1, [2, 3], [0.0, 1.0])}, [(0, 0, [0, 1])], "another shape"),
        ({16006: (1, [2, 2], [0.0])}, [(0, 0, [0, 1])], "its functions need 2"),
        ({16000: (1, [9], [0.0])}, [(0, 0, [0])], "cut off"),
        ({16000: (1, [2, 2**40, 2**40], [0.0])}, [(0, 0, [0])], "its functions need"),
        ({16006: (1, [2, 2], [0.0, np.nan])}, [(0, 0, [0, 1])], "finite costs"),
    ],
)
def test_refusals_are_sentences(tmp_path, functions, factors, sentence):
    write(tmp_path / "x.h5", [2, 2], functions, factors)
    with pytest.raises(ValueError, match=sentence) as caught:
        hh.read(tmp_path / "x.h5")
    assert isinstance(caught.value, UnsupportedError) == ("are not supported" in sentence)


@pytest.mark.parametrize("model", [
    hh.Grid(np.random.default_rng(0).normal(size=(2, 3, 2)), smoothness=0.3),
    hh.FactorGraph([[0.0, 1.5], [0.5, -np.inf, 3.0]], [[1, 0]], [np.array([[0.1, -np.inf], [1.0, 2.0], [0.0, -3.0]])]),
    hh.FactorGraph(np.eye(3), (), 0.0, [([0, 2, 1], np.arange(27.0).reshape(3, 3, 3))]),
])  # fmt: skip
def test_files_written_here_are_read_here(tmp_path, model):
    hh.write(model, tmp_path / "x.h5")
    assert_same(hh.read(tmp_path / "x.h5"), hh.FactorGraph(
        [row[:count] for row, count in zip(model.unary, model.label_counts, strict=True)], model.edges,
        [model.pairwise.table(e, *model.label_counts[pair]) for e, pair in enumerate(model.edges)],
        [(clique.variables, clique.table) for clique in model.cliques],
    ))  # fmt: skip
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["gm/header"][2:5].tolist() == [model.n_variables, len(list(factors_of(model))), len(file["gm"]) - 3]


def test_other_files_are_refused(tmp_path):
    (tmp_path / "x.h5").write_text("nonsense")
    with pytest.raises(ValueError, match="is not an OpenGM model"):
        hh.read(tmp_path / "x.h5")
    with pytest.raises(FileNotFoundError):
        hh.read(tmp_path / "missing.h5")


def test_a_bomb_is_not_unpacked(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("gm/numbers-of-states", (2**30,), np.uint64, compression="gzip", fillvalue=2)
    with pytest.raises(ValueError, match="too large"):
        hh.read(tmp_path / "x.h5", max_bytes=2**20)


def test_numbers_that_were_never_written_are_not_allocated(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("gm/numbers-of-states", (10**8,), np.uint64, chunks=(10**6,), fillvalue=1)
    with pytest.raises(ValueError, match=r"the 100000000 numbers of numbers-of-states would need 8e\+08 bytes; a file"):
        hh.read(tmp_path / "x.h5")


def test_damaged_files_are_refused_or_read(tmp_path):
    path = tmp_path / "x.h5"
    write(path, [2, 3, 3], FUNCTIONS, FACTORS)
    content = path.read_bytes()

    @settings(max_examples=150, deadline=5000, derandomize=True)
    @given(st.lists(st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255)), min_size=1, max_size=4))
    def check(changes):
        damaged = bytearray(content)
        for place, byte in changes:
            damaged[place] = byte
        path.write_bytes(damaged)
        try:
            model = hh.read(path, max_bytes=2**20)
        except ValueError as error:
            assert "x.h5" in str(error)  # noqa: PT017
        else:
            assert model.n_variables >= 1

    check()
