# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of lists: the right panels with the right words, and errors that say what to do."""

import re
import subprocess
import sys
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

import hedgehop as hh

pytest.importorskip("matplotlib")
from hedgehop.plotting import PALETTE, plot_list, plot_lists

# What dichromats see of linear RGB (Machado, Oliveira, Fernandes 2009, severity 1).
VISION = {
    "all colours": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


@pytest.fixture(scope="module")
def found():
    """Three labelings of a 3 x 4 grid: 0 everywhere, 1 in the left half, 2 in one pixel."""
    return listed([[[0] * 4] * 3, [[1, 1, 0, 0]] * 3, [[2, 0, 0, 0]] + [[0] * 4] * 2], 3)


def listed(labelings, labels):
    """Return a list of given labelings, of any shape, with numbers of its own."""
    stack = np.array(labelings, np.int32)
    model = hh.FactorGraph(np.zeros((stack[0].size, labels)))
    flat = hh.select(stack.reshape(len(stack), -1), model, hh.VariableCoverage(), m=len(stack))
    numbers = 10.0 + np.arange(len(stack))
    return replace(flat, labelings=stack, relevance=numbers, gains=numbers / 8)


def words(figure):
    """All words of a figure and its parts, after drawing it: no warning may come of it."""
    figure.savefig(BytesIO())
    return [t.get_text() for t in figure.findobj(lambda a: hasattr(a, "get_text")) if t.get_text()]


def heads(figure, side="left"):
    return [axes.get_title(loc=side).strip() for axes in figure.axes]


def test_a_panel_for_each_labeling_tells_number_difference_and_relevance(found):
    figure = found.plot()
    assert heads(figure) == ["1", "2", "3"]
    assert heads(figure, "right") == ["", "50.0% differ", "8.3% differ"]
    assert "relevance 11" in words(figure)


def test_the_image_comes_first_and_shines_through(found):
    image = np.zeros((3, 4, 3), np.uint8)
    image[0, 0] = 255
    figure = plot_list(found, image)
    assert heads(figure) == ["image", "1", "2", "3"]
    shown = figure.axes[0].get_images()[0].get_array()
    assert shown[0, 0].tolist() == [1.0, 1.0, 1.0]
    assert shown[1, 1].tolist() == [0.0, 0.0, 0.0]
    under = figure.axes[1].get_images()[0].get_array()  # the first labeling is uniform, the image is not
    assert under[0, 0].sum() > under[1, 1].sum()


def test_what_changed_is_outlined_and_the_rest_is_paler(found):
    first, second, third = found.plot().axes
    assert not first.collections
    outline = second.collections[0].get_segments()
    assert len(outline) == 3  # between columns 1 and 2, one piece a row
    assert all((piece[:, 0] == 1.5).all() for piece in outline)
    assert len(third.collections[0].get_segments()) == 2
    pixels = second.get_images()[0].get_array()
    full, pale = first.get_images()[0].get_array()[0, 3], pixels[0, 3]
    assert (pale > full).all()


def test_a_repeated_labeling_says_so():
    figure = listed([[[0, 1]], [[0, 1]]], 2).plot()
    assert heads(figure, "right") == ["", "the same"]


@pytest.mark.parametrize(("m", "rows", "across"), [(1, 1, 1), (6, 1, 6), (7, 2, 4), (10, 2, 5), (13, 3, 5)])
def test_many_labelings_fill_rows_evenly(m, rows, across):
    figure = listed(np.zeros((m, 2, 2), int), 2).plot()
    figure.savefig(BytesIO(), dpi=20)
    places = [axes.get_subplotspec().get_gridspec() for axes in figure.axes]
    assert len(places) == m
    assert (places[0].nrows, places[0].ncols) == (rows, across)


@pytest.mark.parametrize("shape", [(1, 1), (300, 10), (10, 300), (1,), (2000,)])
def test_labelings_of_any_form_find_room(shape):
    names = [f"label number {k}" for k in range(12)]
    labelings = np.arange(2 * np.prod(shape)).reshape(2, *shape) % 12
    assert "any" in words(listed(labelings, 12).plot(names=names, title="any"))


def test_columns_can_be_chosen(found):
    grid = found.plot(columns=2).axes[0].get_subplotspec().get_gridspec()
    assert (grid.nrows, grid.ncols) == (2, 2)
    grid = found.plot(columns=9).axes[0].get_subplotspec().get_gridspec()
    assert (grid.nrows, grid.ncols) == (1, 3)


def test_legend_with_names_for_up_to_12_labels_in_use(found):
    assert {"sky", "sea", "land"} <= set(words(found.plot(names=["sky", "sea", "land", "unused"])))
    twelve = listed([np.arange(12).reshape(3, 4)], 12)
    assert len(twelve.plot().legends[0].get_texts()) == 12
    thirteen = listed([np.arange(13)[None]], 13)
    assert not thirteen.plot().legends


def test_colours_can_be_chosen(found):
    figure = found.plot(colors=["red", "#00ff00", (0.0, 0.0, 1.0)])
    shades = [patch.get_facecolor()[:3] for patch in figure.legends[0].get_patches()]
    assert shades == [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]


def test_title(found):
    assert "Three ways" in words(found.plot(title="Three ways"))


def test_of_a_volume_the_middle_slice_is_drawn():
    volume = np.zeros((1, 3, 2, 2), int)
    volume[0, 1, 0, 0] = 1
    image = np.linspace(0.0, 1.0, 12).reshape(3, 2, 2)
    left, right = listed(volume, 2).plot(image).axes
    assert np.allclose(left.get_images()[0].get_array()[..., 0], image[1])
    shown = right.get_images()[0].get_array()
    assert shown.shape == (2, 2, 3)
    assert not np.allclose(shown[0, 0], shown[0, 1], atol=0.1)


def test_superpixels_are_drawn_as_pixels():
    segments = np.array([[0, 0, 1], [2, 2, 1]])
    figure = listed([[0, 0, 1], [0, 1, 1]], 2).plot(np.zeros((2, 3)), segments=segments)
    assert heads(figure) == ["image", "1", "2"]
    assert figure.axes[1].get_images()[0].get_array().shape == (2, 3, 3)
    assert heads(figure, "right")[2] == "33.3% differ"  # one of three variables, two of six pixels
    assert len(figure.axes[2].collections[0].get_segments()) == 2


def test_labelings_in_a_row_become_strips_with_dots_where_they_differ():
    figure = listed([[0, 1, 2, 1], [0, 1, 1, 0]], 3).plot()
    (axes,) = figure.axes
    assert axes.lines[0].get_xydata().tolist() == [[2.0, 1.0], [3.0, 1.0]]
    assert {"relevance", "gain", "differs", "50.0%"} <= set(words(figure))


def test_long_chains_are_pooled_not_thinned():
    labelings = np.zeros((2, 100_000), int)
    labelings[1, 5] = 1
    (axes,) = listed(labelings, 2).plot().axes
    shown = axes.get_images()[0].get_array()
    assert shown.shape[1] <= 1200
    assert not axes.lines
    assert not np.allclose(shown[1, 0], shown[1, 1], atol=1e-4)  # the one change still shows


def test_large_images_are_thinned():
    figure = listed(np.zeros((1, 3000, 4), int), 1).plot(np.zeros((3000, 4)))
    assert [axes.get_images()[0].get_array().shape[:2] for axes in figure.axes] == [(1000, 2), (1000, 2)]


def test_a_portfolio_names_the_diversity_of_each_labeling(found):
    mixed = replace(found, sources=("HammingBall(gamma=1)", "LabelCoverage()", "LabelCoverage()"))
    assert "LabelCoverage\nrelevance 12" in words(mixed.plot())
    strips = replace(mixed, labelings=mixed.labelings.reshape(3, -1))
    assert "HammingBall  1" in words(strips.plot())


def test_several_lists_below_each_other(found):
    figure = plot_lists({"these": found, "those": replace(found, labelings=found.labelings[:2])}, np.zeros((3, 4)))
    assert {"these", "those"} <= set(words(figure))
    assert heads(figure) == ["image", "1", "2", "3", "image", "1", "2"]
    assert len(figure.legends) == 1


@pytest.mark.parametrize(
    ("image", "top"),
    [
        (np.full((3, 4), 200, np.uint8), 200 / 255),
        (np.arange(12).reshape(3, 4) * 100, 1.0),
        (np.full((3, 4), 0.5), 0.5),
        (np.full((3, 4, 4), 0.5), 0.5),
        (np.full((3, 4, 1), 7.0), 0.0),
    ],
)
def test_images_of_any_number_type(found, image, top):
    shown = found.plot(image).axes[0].get_images()[0].get_array()
    assert shown.shape == (3, 4, 3)
    assert np.isclose(shown.max(), top)


def test_pictures_can_be_written(found, tmp_path):
    figure = plot_list(found, np.zeros((3, 4)))
    figure.savefig(tmp_path / "list.png")
    figure.savefig(tmp_path / "list.svg")
    assert (tmp_path / "list.png").read_bytes().startswith(b"\x89PNG")


def refused(text, function, *arguments, **options):
    with pytest.raises(ValueError, match=re.escape(text)):
        function(*arguments, **options)


def test_errors_say_what_to_do(found):
    row = listed([[0, 1, 1]], 2)
    refused(
        "image must have shape (3, 4) like the labelings, or (3, 4, 3 or 4); got (4, 3). Crop or resize one of them.",
        *(found.plot, np.zeros((4, 3))),
    )
    refused("got (3, 4, 2)", found.plot, np.zeros((3, 4, 2)))
    refused("image must not contain NaN", found.plot, np.full((3, 4), np.nan))
    refused("these are 3 variables in a row. If they are superpixels, pass segments=", row.plot, np.zeros((3, 3)))
    refused("names must have one entry per label (0..2); got 2.", found.plot, names=["a", "b"])
    refused("colors must have one entry per label (0..2); got 1.", found.plot, colors=["red"])
    refused("columns must be at least 1; got 0.", found.plot, columns=0)
    refused(
        "segments must name the variables 0..2 of the labelings; got 1..3. If yours start at 1, pass segments - 1.",
        *(row.plot,),
        segments=[[1, 2], [3, 3]],
    )
    refused("got -1..1.", row.plot, segments=[[-1, 1]])
    refused(
        "segments must have shape (H, W), the variable of each pixel (or (D, H, W)); got (3,).",
        row.plot,
        segments=[0, 1, 2],
    )
    refused("image must have shape (1, 2) like segments", row.plot, np.zeros((2, 2)), segments=[[0, 2]])
    refused("these have 4", listed(np.zeros((1, 1, 1, 1, 2), int), 1).plot)
    refused("plot_lists draws images", plot_lists, {"a": row})
    refused("lists must hold labelings of one shape, at least one list; got no list at all.", plot_lists, {})
    refused("got (3,), (3, 4).", plot_lists, {"a": row, "b": found})


def test_without_matplotlib_the_extra_is_named(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        hh.MissingExtraError, match=re.escape("found.plot needs matplotlib: pip install 'hedgehop[plot]'")
    ):
        found.plot()


def test_no_window_system_is_touched():
    code = (
        "import io, sys, numpy as np, hedgehop as hh;"
        "hh.diverse(hh.Grid(np.zeros((2, 2, 2))), hh.VariableCoverage(), m=2).plot().savefig(io.BytesIO());"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("vision", VISION)
def test_colours_stay_apart_for_everyone(vision):
    color = pytest.importorskip("skimage.color")
    srgb = np.array([[int(shade[k : k + 2], 16) / 255 for k in (1, 3, 5)] for shade in PALETTE])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.transpose(VISION[vision]), 0.0, 1.0)
    seen = np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * seen ** (1 / 2.4) - 0.055)
    lab = color.rgb2lab(seen)
    apart = color.deltaE_ciede2000(lab[:, None], lab[None])
    assert apart[np.triu_indices(len(PALETTE), k=1)].min() > 10.0


def test_what_is_sure_is_drawn_after_the_labelings():
    grid = hh.diverse(hh.Grid(np.random.default_rng(0).normal(size=(3, 4, 2)), smoothness=0.5), m=2)
    plain, more = grid.plot(), grid.plot(sure=True)
    assert len(more.axes) == len(plain.axes) + 1
    panel = more.axes[-1]
    assert panel.get_title("left").strip() == "sure"
    shades = panel.images[0].get_array()[..., 0]
    order = np.argsort(grid.sure, axis=None)
    assert shades.ravel()[order[0]] < shades.ravel()[order[-1]]  # dark where it is not sure
    chain = hh.diverse(hh.Chain(np.random.default_rng(1).normal(size=(5, 2))), m=2)
    rows = chain.plot(sure=True).axes[0]
    assert rows.get_yticklabels()[-1].get_text() == "sure"
    assert rows.images[0].get_array().shape[:2] == (3, 5)
