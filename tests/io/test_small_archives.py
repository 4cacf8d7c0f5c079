# SPDX-License-Identifier: BSD-3-Clause
"""Small .npz files: numpy and zipfile read them as they read their own."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from hedgehop.io.archives import _SMALL, pack, read_arrays
from hedgehop.io.small_archives import archive

KINDS = st.sampled_from([np.int32, np.int64, np.uint8, np.float32, np.float64, np.bool_, np.dtype("<U5")])


@given(st.lists(KINDS.flatmap(lambda kind: arrays(kind, array_shapes(min_dims=0, max_dims=3, min_side=0)))))
def test_numpy_reads_every_array_again(given):
    whole = archive({f"array {k}": array for k, array in enumerate(given)})
    assert zipfile.ZipFile(io.BytesIO(whole)).testzip() is None
    found = np.load(io.BytesIO(whole))
    assert len(found.files) == len(given)
    for k, array in enumerate(given):
        again = found[f"array {k}"]
        assert again.dtype == array.dtype
        assert again.shape == array.shape
        assert again.tobytes() == array.tobytes()


def test_columns_first_and_strided_arrays_are_stored_by_rows():
    table = np.arange(12.0).reshape(3, 4)
    found = np.load(io.BytesIO(archive({"columns": np.asfortranarray(table), "strided": table[:, ::2]})))
    np.testing.assert_array_equal(found["columns"], table)
    np.testing.assert_array_equal(found["strided"], table[:, ::2])


@pytest.mark.parametrize("size", [8, _SMALL // 8 + 1])
def test_small_and_large_archives_hold_the_same(tmp_path, size):
    numbers = np.linspace(0.0, 1.0, size)
    with (tmp_path / "some.npz").open("wb") as file:
        pack(file, {"size": size}, {"numbers": numbers})
    found = read_arrays(tmp_path / "some.npz")
    np.testing.assert_array_equal(found["numbers"], numbers)
    assert str(found["header"]) == f'{{"size": {size}}}'


def test_equal_contents_give_equal_bytes():
    assert archive({"a": np.arange(3)}) == archive({"a": np.arange(3)})


def test_what_compresses_takes_less():
    assert len(archive({"zeros": np.zeros(1000)})) < 600
