# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of "How sure is it?": ``python docs/pictures/sure.py``."""

import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from shrinking import shrink
from skimage import data
from skimage.transform import downscale_local_mean

import hedgehop as hh
from hedgehop.plotting import plot_reliability
from hedgehop.plotting.style import FAINT_INK, INK

HERE = Path(__file__).parent


def cup() -> tuple[np.ndarray, hh.segmentation.Suggestions]:
    """A cup on a table (coffee, by Rachel Michetti, CC0), and four cut-outs after one stroke on each."""
    image = downscale_local_mean(data.coffee(), (2, 2, 1)).astype(np.uint8)
    strokes = np.zeros(image.shape[:2], int)
    strokes[70:74, 120:170] = 2  # inside the cup
    strokes[180:184, 20:280] = 1  # the table
    return image, hh.Segmenter(image).suggest(strokes, m=4)


def draw_list(path: Path) -> None:
    """Draw the image, the list with its probabilities, and the map of what is sure."""
    image, found = cup()
    figure = Figure(figsize=(13, 1.9), dpi=110, layout="constrained", facecolor="white")
    panels = [(image, "image", "")]
    for k, labels in enumerate(found.labelings):
        shown = np.where(labels[..., None] == 1, image, 255 - (255 - image) // 4)
        panels.append((shown, f"{k + 1}: {found.probabilities[k]:.0%}", ""))
    panels.append((found.sure, f"sure; none of these: {found.none_of_these:.0%}", "magma"))
    for place, (picture, title, colors) in enumerate(panels, start=1):
        axes = figure.add_subplot(1, len(panels), place)
        axes.imshow(picture, **({"cmap": colors, "vmin": 0.5, "vmax": 1.0} if colors else {}))
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set(color=FAINT_INK, linewidth=0.6)
        axes.set_title(title, fontsize=10, color=INK)
    keep(figure, path, 1300)


def draw_reliability(path: Path) -> None:
    """Draw how right the marginals of chains are that are three times too sure, before and after calibration."""
    random = np.random.default_rng(0)
    models = [hh.Chain(random.normal(size=(40, 3)), 0.5 * np.eye(3)) for _ in range(60)]
    truths = [hh.samples(model, 1, seed=k)[0] for k, model in enumerate(models)]
    louder = [hh.Chain(3.0 * model.unary, 1.5 * np.eye(3)) for model in models]
    keep(plot_reliability(hh.calibrate(louder, truths)), path, 480)


def keep(figure: Figure, path: Path, width: int) -> None:
    """Write a small copy of a figure."""
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.png"
        figure.savefig(large)
        shrink(large, path, width)


if __name__ == "__main__":
    draw_list(HERE / "sure.png")
    draw_reliability(HERE / "reliability.png")
