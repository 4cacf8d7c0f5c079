# SPDX-License-Identifier: BSD-3-Clause
"""Images, truths and class scores of each part; read, never copied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from experiments.learning import superpixels
from experiments.progress import tell
from hedgehop.learning import StructuredSVM
from hedgehop.segmentation import VOC_NAMES, PooledRegressor

UNKNOWN = 255
CAMVID_NAMES = (
    *("sky", "building", "pole", "road", "pavement", "tree", "sign", "fence", "car", "pedestrian", "bicyclist"),
)


@dataclass(frozen=True)
class Example:
    """An image, its truth (255 unknown), and where its class scores come from."""

    name: str
    path: Path
    truth: np.ndarray
    scores: Callable[[Path], np.ndarray]


@dataclass(frozen=True)
class Part:
    """A section of the report: examples of one kind of scores."""

    key: str
    title: str
    classes: tuple[str, ...]
    background: bool  # whether label 0 takes no part in label and transition diversity
    examples: list[Example]
    taught: int = 0  # images from which something is learned: another number, other models
    learn: Callable[[], StructuredSVM] | None = None  # learns weights of scores and contrast for the last rows


def _pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path)).astype(np.int64)


def _names(folder: Path, which: str, limit: int | None) -> list[str]:
    return (folder / f"{which}.txt").read_text().split()[:limit]


def pictures(folder: Path, kind: str, limit: int | None) -> list[Path]:
    """The first images of a folder, at least two."""
    found = sorted((folder / "images").glob(kind))[:limit]
    if len(found) < 2:
        raise ValueError(f"{folder / 'images'} must hold at least two images {kind}; found {len(found)}.")
    return found


def _voc(folder: Path, name: str, scores: Callable[[Path], np.ndarray]) -> Example:
    truth = _pixels(folder / "SegmentationClass" / f"{name}.png")
    return Example(name, folder / "JPEGImages" / f"{name}.jpg", truth, scores)


def voc_network(data: Path, cache: Path, limit: int | None, split: str = "val") -> Part:
    """PASCAL VOC val, or train, with the scores of a network."""
    folder = data / "voc2012"

    def scores(path: Path) -> np.ndarray:
        return np.load(folder / "deeplab_logits33" / f"{path.stem}.npy").astype(np.float64)

    examples = [_voc(folder, name, scores) for name in _names(folder, split, limit)]
    if split != "val":
        return Part(f"voc-network-{split}", f"PASCAL VOC {split}, scores of DeepLab", VOC_NAMES, True, examples)
    taught = len(_for_learning(folder, limit))

    def learn() -> StructuredSVM:
        return superpixels.learn(superpixels.read(data, "train", taught))

    return Part("voc-network", "PASCAL VOC val, scores of DeepLab", VOC_NAMES, True, examples, taught, learn)


def voc_blurred(data: Path, cache: Path, limit: int | None, split: str = "val") -> Part:
    """The same scores, blurred over a tenth of the image: objects without outlines, small ones lost."""
    from scipy.ndimage import gaussian_filter

    clear = voc_network(data, cache, limit, split)
    suffix = "" if split == "val" else f"-{split}"
    examples = [
        Example(e.name, e.path, e.truth, lambda path, e=e: gaussian_filter(e.scores(path), (3.3, 3.3, 0)))
        for e in clear.examples
    ]
    return Part(f"voc-blurred{suffix}", f"PASCAL VOC {split}, scores of DeepLab, blurred", VOC_NAMES, True, examples)


def voc_regressors(data: Path, cache: Path, limit: int | None) -> Part:
    """PASCAL VOC val with the scores of regressors learned on train."""
    folder = data / "voc2012"
    train = _for_learning(folder, limit)
    regressor = _learned(cache / f"voc-{len(train)}.npz", [_voc(folder, n, np.load) for n in train], len(VOC_NAMES))
    examples = [_voc(folder, name, regressor.scores) for name in _names(folder, "val", limit)]
    return Part("voc-regressors", "PASCAL VOC val, scores of regressors", VOC_NAMES, True, examples, len(train))


def _for_learning(folder: Path, limit: int | None) -> list[str]:
    return _names(folder, "train", None if limit is None else 3 * limit)


def camvid(data: Path, cache: Path, limit: int | None) -> Part:
    """Streets: each half of the frames with regressors learned on the other."""
    folder = data / "camvid"
    paths = pictures(folder, "*.png", limit)
    blank = [Example(p.stem, p, _street(folder / "labels" / p.name), np.load) for p in paths]
    half = len(blank) // 2  # neighbouring frames look alike: a cut in time, not every second one
    parts = (blank[:half], blank[half:])
    examples = []
    for k, (here, there) in enumerate((parts, parts[::-1])):
        regressor = _learned(cache / f"camvid-{len(blank)}-{k}.npz", there, len(CAMVID_NAMES))
        examples += [Example(e.name, e.path, e.truth, regressor.scores) for e in here]
    return Part("camvid", "CamVid, scores of regressors", CAMVID_NAMES, False, examples, len(blank))


def _street(path: Path) -> np.ndarray:
    labels = _pixels(path)
    return np.where(labels >= len(CAMVID_NAMES), UNKNOWN, labels)


def _learned(path: Path, examples: list[Example], n_labels: int) -> PooledRegressor:
    """Learn, or read what was learned."""
    if not path.exists():
        tell(f"  learning from {len(examples)} images")
        path.parent.mkdir(parents=True, exist_ok=True)
        regressor = PooledRegressor(n_labels).fit([e.path for e in examples], [e.truth for e in examples])
        regressor.save(path.with_suffix(".part"))
        path.with_suffix(".part").replace(path)
    return PooledRegressor.load(path)


PARTS = {"network": voc_network, "regressors": voc_regressors, "blurred": voc_blurred, "camvid": camvid}
