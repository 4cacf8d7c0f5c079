# SPDX-License-Identifier: BSD-3-Clause
"""The experiment runs from end to end on images and sentences of a few variables."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # experiments are no part of the installed library

CHUNKS = "a DT B-NP\ndog NN I-NP\nbarks VB B-VP\n\n"
TREE = (
    "# text\n1\ta\t_\tDET\t_\t_\t2\n2\tdog\t_\tNOUN\t_\t_\t3\n2.1\tx\t_\tX\t_\t_\t_\n"
    "3\tbarks\t_\tVERB\t_\t_\t0\n4\tout\t_\tADV\t_\t_\t3\n\n"
)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder of made-up data in the shape of the real ones, and models small enough for them."""
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("skimage")
    from experiments.certificates import language, problems

    random = np.random.default_rng(0)
    for name in ("voc2012/JPEGImages", "voc2012/deeplab_logits33", "grabcut/images", "grabcut/lasso"):
        (tmp_path / name).mkdir(parents=True)
    colours = random.integers(0, 256, (4, 4, 3)).astype(np.uint8)
    picture = image.fromarray(colours.repeat(5, axis=0).repeat(6, axis=1))
    picture.save(tmp_path / "voc2012/JPEGImages/one.jpg")
    picture.resize((6, 5)).save(tmp_path / "grabcut/images/one.png")
    lasso = np.full((5, 6), 64, np.uint8)
    lasso[1:4, 1:5] = 128
    image.fromarray(lasso).save(tmp_path / "grabcut/lasso/one.png")
    (tmp_path / "voc2012/val.txt").write_text("one\n", encoding="utf-8")
    np.save(tmp_path / "voc2012/deeplab_logits33/one.npy", random.normal(size=(33, 33, 4)).astype(np.float16))
    for name, text in {"conll2000/train.txt": CHUNKS, "ud_english_ewt/en_ewt-ud-dev.conllu": TREE}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(5 * text, encoding="utf-8")
    for module, name, value in ((problems, "SUPERPIXELS", 12), (problems, "PIXELS", 6), (language, "LEARNT", 3)):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(language, "WORDS", range(2, 6))
    return tmp_path


def test_every_part_is_measured(small, tmp_path):
    from experiments.certificates import reproduce
    from experiments.certificates.run import SETTINGS

    images, sentences = ["superpixels", "pixels", "cutouts"], ["chains", "parses"]
    assert [*images, *sentences] == list(SETTINGS)
    found, text = {}, ""
    for parts, rows in ((images, "variables, log, 3"), (sentences, "variables")):
        text += reproduce(small, tmp_path / "out", limit=1, parts=parts, only=[rows])
        assert text.endswith((tmp_path / "out/results.md").read_text(encoding="utf-8"))
        found |= json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))
    for part in SETTINGS:
        rows = found[part]
        assert f"## {part}" in text
        for name, measured in rows.items():
            assert f"| {name} | 1 |" in text
            steps, auto, *improved = measured[0][:4]
            assert 0.0 <= steps <= auto <= 1.0, (part, name)
            assert all(0.0 <= share <= 1.0 for share in improved)


def test_a_parse_of_what_was_counted_is_found_again(small):
    from experiments.certificates import language

    import hedgehop as hh

    for parse in language.parses(small, 2):
        assert hh.best(parse).labeling.tolist() == [2, 3, 0, 3]
    for chain in language.chains(small, 2):
        assert hh.best(chain).labeling.tolist() == [0, 2, 1]  # B-NP, I-NP, B-VP in the order of the alphabet
