# SPDX-License-Identifier: BSD-3-Clause
"""Label maps and scores: round trips, what others write, and refusals."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import hedgehop as hh

LABELS = np.array([[0, 1, 1], [255, 20, 0]])
MASKS = arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=12))


@pytest.mark.parametrize("name", ["x.png", "x.npy", "x.json"])
def test_label_maps_come_back_as_they_were(name, tmp_path):
    hh.io.write_labels(LABELS, tmp_path / name)
    assert hh.io.read_labels(tmp_path / name).tolist() == LABELS.tolist()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_more_labels_than_a_palette_has(tmp_path):
    hh.io.write_labels(LABELS * 10, tmp_path / "x.png")
    assert hh.io.read_labels(tmp_path / "x.png").tolist() == (LABELS * 10).tolist()


def test_solutions_are_label_maps_too(tmp_path):
    hh.io.write_labels([1, 0, 2], tmp_path / "x.MAP")
    assert hh.io.read_labels(tmp_path / "x.MAP").tolist() == [1, 0, 2]
    assert (tmp_path / "x.MAP").read_text() == "MAP\n3 1 0 2\n"


def test_pictures_of_others(tmp_path):
    image = pytest.importorskip("PIL.Image")
    colors = hh.segmentation.voc_palette()[LABELS]
    image.fromarray(colors).save(tmp_path / "colors.png")
    assert hh.io.read_labels(tmp_path / "colors.png").tolist() == LABELS.tolist()
    image.fromarray(LABELS.astype(np.uint8)).save(tmp_path / "grey.png")
    assert hh.io.read_labels(tmp_path / "grey.png").tolist() == LABELS.tolist()
    image.fromarray(LABELS == 1).save(tmp_path / "bits.png")
    assert hh.io.read_labels(tmp_path / "bits.png").tolist() == (LABELS == 1).tolist()
    image.fromarray(colors + 1).save(tmp_path / "strange.png")
    with pytest.raises(ValueError, match=r"has the colour .*, which is not a PASCAL VOC label"):
        hh.io.read_labels(tmp_path / "strange.png")


def test_written_pictures_have_the_colours_of_voc(tmp_path):
    image = pytest.importorskip("PIL.Image")
    hh.io.write_labels(LABELS, tmp_path / "x.png")
    with image.open(tmp_path / "x.png") as picture:
        assert picture.mode == "P"
        assert np.asarray(picture.convert("RGB"))[1].tolist() == [[224, 224, 192], [0, 64, 128], [0, 0, 0]]


@given(MASKS)
def test_run_lengths_come_back_as_they_were(mask):
    runs = json.loads(json.dumps(hh.io.encode_runs(mask)))
    assert (hh.io.decode_runs(runs) == mask).all()


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_packed_counts_are_those_of_the_definition(counts):
    """A word-by-word transcription of how COCO describes it."""
    from hedgehop.io.run_lengths import _packed, _unpacked

    text = ""
    for i, count in enumerate(counts):
        value = count - counts[i - 2] if i > 2 else count
        more = True
        while more:
            bits, value = value & 31, value >> 5
            more = value != -1 if bits & 16 else value != 0
            text += chr(bits + 32 * more + 48)
    assert _packed(np.array(counts)) == text
    assert _unpacked(text).tolist() == counts


def test_run_lengths_of_others(tmp_path):
    (tmp_path / "one.json").write_text('{"size": [2, 2], "counts": [1, 2, 1]}')
    assert hh.io.read_labels(tmp_path / "one.json").tolist() == [[0, 1], [1, 0]]
    record = {"category_id": 7, "segmentation": {"size": [2, 2], "counts": [1, 2, 1]}}
    (tmp_path / "many.json").write_text(json.dumps({"annotations": [record]}))
    assert hh.io.read_labels(tmp_path / "many.json").tolist() == [[255, 7], [7, 255]]


WRONG_RUNS = [
    *("", "[]", "{}", "7", '{"size": [9, 9], "counts": "11"}', '{"size": [1e9, 9e9], "counts": []}'),
    *('[{"category_id": 1, "segmentation": [[1, 2, 3, 4]]}]', '{"size": [1, 1], "counts": "\\u00e9"}'),
]


@pytest.mark.parametrize("text", WRONG_RUNS)
def test_wrong_run_lengths_are_refused(text, tmp_path):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match="run lengths"):
        hh.io.read_labels(tmp_path / "x.json")


@pytest.mark.parametrize("name", ["x.png", "x.npy", "x.json", "x.npz"])
def test_damaged_maps_are_refused_or_read(name, tmp_path):
    path = tmp_path / name
    if name == "x.npz":
        np.savez(path, scores=np.zeros((2, 3, 2)))
    else:
        hh.io.write_labels(LABELS, path)
    content = path.read_bytes()
    read = hh.io.read_scores if name == "x.npz" else hh.io.read_labels

    @settings(max_examples=150, deadline=5000, derandomize=True)
    @given(st.integers(0, len(content)), st.integers(0, 4), st.binary(max_size=4))
    def check(start, length, piece):
        path.write_bytes(content[:start] + piece + content[start + length :])
        try:
            found = read(path, max_bytes=2**20)
        except ValueError as error:
            assert name in str(error)  # noqa: PT017
        else:
            assert found.ndim in (2, 3)

    check()


@pytest.mark.parametrize(
    ("labels", "name", "sentence"),
    [
        ([[0, -1]], "x.png", "labels must be >= 0; got -1"),
        ([0, 1], "x.png", "must have shape"),
        ([[70000]], "x.png", "up to 65535; got 70000"),
        ([[0.5]], "x.npy", "whole numbers"),
        ([[0]], "x.doc", "got 'x.doc'"),
    ],
)
def test_what_cannot_be_written(labels, name, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        hh.io.write_labels(labels, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_scores_from_arrays(tmp_path):
    scores = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    np.save(tmp_path / "x.npy", scores)
    np.savez_compressed(tmp_path / "one.npz", whatever=scores)
    np.savez_compressed(tmp_path / "two.npz", scores=scores, other=scores)
    for name in ("x.npy", "one.npz", "two.npz"):
        assert (hh.io.read_scores(tmp_path / name) == scores).all()
    np.savez_compressed(tmp_path / "none.npz", a=scores, b=scores)
    with pytest.raises(ValueError, match="it holds a, b"):
        hh.io.read_scores(tmp_path / "none.npz")
    with pytest.raises(ValueError, match=r"\.npy or \.npz"):
        hh.io.read_scores(tmp_path / "x.txt")


def test_a_header_that_promises_too_much_takes_no_memory(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((10, 10), np.int8))
    content = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(content.replace(b"(10, 10), ", b"(99, 99), "))
    with pytest.raises(ValueError, match="is not an"):
        hh.io.read_labels(tmp_path / "x.npy")


@pytest.mark.parametrize("values", [np.zeros((2, 2), "V0"), np.array([["a"]]), np.zeros(2, [("x", int)])])
def test_arrays_without_numbers_are_refused(values, tmp_path):
    np.save(tmp_path / "x.npy", values)
    for read in (hh.io.read_labels, hh.io.read_scores):
        with pytest.raises(ValueError, match=r"x\.npy is not an \.npy file of a plain array: it does not hold numbers"):
            read(tmp_path / "x.npy")
