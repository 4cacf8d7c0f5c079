# SPDX-License-Identifier: BSD-3-Clause
"""What notebooks show of lists and models: complete, small, harmless."""

import base64
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import hedgehop as hh
from hedgehop._thumbnails import _OUTLINE
from hedgehop.palette import PALETTE

GRID = hh.Grid(np.random.default_rng(0).normal(size=(6, 8, 3)), smoothness=0.5)
CHAIN = hh.Chain(np.random.default_rng(0).normal(size=(30, 3)))


class Page(HTMLParser):
    """Tags that are open at the end, and all text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.tags = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def pictures(text):
    image = pytest.importorskip("PIL.Image")
    found = re.findall(r"base64,([^\"]+)", text)
    return [np.asarray(image.open(io.BytesIO(base64.b64decode(part)))) for part in found]


def test_lists_of_images_are_pictures_with_differences_outlined():
    found = hh.diverse(GRID, m=3)
    text = found._repr_html_()
    page = Page(text)
    assert not page.open
    assert "3 of 3 labelings different" in page.words[0]
    drawn = pictures(text)
    assert len(drawn) == 3
    colors = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in PALETTE])
    for labels, pixels in zip(found.labelings, drawn, strict=True):
        assert pixels.shape == (108, 144, 3)  # 18 pixels per variable
        differs, center = labels != found.labelings[0], pixels[9::18, 9::18]
        assert np.array_equal(center, colors[labels])
        outlined = (pixels == _OUTLINE).all(axis=2).reshape(6, 18, 8, 18).any(axis=(1, 3))
        assert not outlined[~differs].any()
        assert outlined.any() == differs.any()


def test_other_lists_are_tables():
    found = hh.diverse(CHAIN, m=14)
    page = Page(found._repr_html_())
    assert not page.open
    assert [tag for tag, _ in page.tags].count("tr") == 13  # a head and twelve of fourteen
    assert "and 2 more" in page.words
    marked = sum("background" in (attrs.get("style") or "") for _, attrs in page.tags)
    assert marked == (found.labelings[:12, :24] != found.labelings[0, :24]).sum()


def test_large_lists_stay_small_and_ask_nobody():
    large = hh.diverse(hh.Grid(np.random.default_rng(0).normal(size=(700, 500, 2))), hh.LinearHamming(), 2, 0.1)
    text = large._repr_html_()
    assert len(text) < 100_000
    assert pictures(text)[0].shape == (140, 100, 3)
    assert "http" not in text
    assert "<script" not in text


def test_what_users_wrote_is_escaped():
    found = hh.diverse(CHAIN, m=2)
    assert "<b>" not in replace(found, model="<b>", diversity="<b>")._repr_html_()
    assert "&lt;" in type("Odd", (hh.Chain,), {"__repr__": lambda _: "<b>"})(np.zeros((2, 2)))._repr_html_()


@pytest.mark.parametrize("model", [GRID, CHAIN, hh.Matching(np.eye(3)), hh.Grid(np.zeros((2, 3, 4, 2)))], ids=repr)
def test_models_are_shown_too(model):
    page = Page(model._repr_html_())
    assert not page.open
    assert repr(model) in page.words
    assert ("img" in dict(page.tags)) == (len(model.shape) > 1)


def test_captions_say_what_their_numbers_are():
    found = hh.diverse(hh.Grid(np.random.default_rng(0).normal(size=(8, 9, 2))), m=2)
    html = found._repr_html_()
    assert f"<b>2</b>, {found.distances[0, 1] / 72:.1%} different<br>relevance {found.relevance[1]:.5g}" in html


def test_improved_lists_say_nothing_about_steps():
    found = hh.diverse(hh.Grid(np.random.default_rng(0).normal(size=(4, 5, 2))), m=2)
    assert "2 of 2 steps proven optimal; " in found.report()
    assert "steps proven" not in replace(found, method="greedy, improved").report()
