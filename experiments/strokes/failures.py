# SPDX-License-Identifier: BSD-3-Clause
"""Pages of pictures of what is hard: thin things, holes, several parts, texture, very large and very small objects.

``python -m experiments.strokes.failures --data DIR [--output results/failures] [--each 3] [--kind people]`` writes a
picture per kind: strokes, the plain mean of the opinions (before there were nets), the nets, connected objects, the
best of six. "people" are all strokes of people that the nets answer worse than the plain mean.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image
from scipy import ndimage

import hedgehop as hh
from experiments.progress import tell
from experiments.strokes import tasks
from experiments.strokes.players import PLAIN, with_nets
from experiments.strokes.robot import LOSS, iou
from experiments.strokes.tasks import UNKNOWN, Task
from hedgehop.segmentation import robot_scribbles

Measure = Callable[[Task], float]


def thin_things(data: Path) -> list[Task]:
    """The images of coopCuts: insects, fans, trees, with the strokes published with them."""
    folder, found = data / "coopcuts16", []
    for path in sorted((folder / "images").iterdir()):
        truth_path, seed_path = (next((folder / part).glob(f"{path.stem}*")) for part in ("groundtruth", "seeds"))
        levels = np.asarray(Image.open(truth_path).convert("L"))
        truth = np.where(levels == 255, 1, np.where(levels == 128, UNKNOWN, 0))
        drawn = hh.segmentation.from_colors(np.asarray(Image.open(seed_path).convert("RGB")))
        found.append(
            Task(f"coopcuts {path.stem}", np.asarray(Image.open(path).convert("RGB")), truth, {"people": drawn})
        )
    return found


def _object(task: Task) -> np.ndarray:
    return np.asarray(task.truth == 1)


def hole_share(task: Task) -> float:
    """Share of the object's area that its holes have."""
    mask = _object(task)
    return float((ndimage.binary_fill_holes(mask) & ~mask & (task.truth == 0)).sum() / mask.sum())


def other_parts(task: Task) -> float:
    """Share of the object outside of its largest part."""
    sizes = np.bincount(ndimage.label(_object(task))[0].ravel())[1:]
    return float(1.0 - sizes.max() / sizes.sum())


def roughness(task: Task) -> float:
    """How much neighbouring pixels of the object differ."""
    grey = task.image.mean(axis=2)
    return float(np.hypot(*np.gradient(grey))[_object(task)].mean())


def size(task: Task) -> float:
    """Share of the image."""
    return float(_object(task).mean())


def losing_people(data: Path, most: int | None) -> list[Task]:
    """Strokes of people on GrabCut whose first answer by the nets is visibly worse than the plain mean's, worst first.

    The shipped nets have learned from these images: what still loses is hard.
    """
    found = []
    for task in islice(tasks.grabcut(data), most):
        segmenter = hh.Segmenter(task.image)
        for who, drawn in task.people.items():
            change = _quality(segmenter, drawn, task) - _quality(with_nets(segmenter, PLAIN), drawn, task)
            if change < -LOSS:
                found.append((change, Task(f"{task.name}, {who}", task.image, task.truth, {who: drawn})))
    return [task for _, task in sorted(found, key=lambda pair: pair[0])]


def _quality(segmenter: hh.Segmenter, drawn: np.ndarray, task: Task) -> float:
    return iou(segmenter.suggest(drawn, m=1).labelings[0], task.truth)


KINDS: dict[str, Measure] = {
    "holes": hole_share, "several parts": other_parts, "texture": roughness, "very large": size,
    "very small": lambda task: -size(task),
}  # fmt: skip


def page(chosen: list[Task], path: Path) -> list[list[float]]:
    """Draw a row per image; return the IoU of each answer."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(chosen), 5, figsize=(16, 3.2 * len(chosen)), squeeze=False)
    table = []
    for task, row in zip(chosen, axes, strict=True):
        drawn = next(iter(task.people.values()), None)
        drawn = robot_scribbles(task.truth, 2, 2, 4, UNKNOWN) if drawn is None else drawn
        answers = _answers(task, drawn)
        quality = [iou(mask.astype(int), task.truth) for mask in answers.values()]
        table.append(quality)
        _panel(row[0], with_strokes(task.image, drawn), f"{task.name}: strokes")
        for panel, (name, mask), value in zip(row[1:], answers.items(), quality, strict=True):
            _panel(panel, cut_out(task.image, mask), f"{name}: IoU {value:.2f}")
    figure.tight_layout()
    figure.savefig(path, dpi=60)
    plt.close(figure)
    return table


def _answers(task: Task, drawn: np.ndarray) -> dict[str, np.ndarray]:
    segmenter = hh.Segmenter(task.image)
    six = segmenter.suggest(drawn, m=6).masks
    best = max(six, key=lambda mask: iou(mask.astype(int), task.truth))
    return {
        "plain mean": with_nets(segmenter, PLAIN).suggest(drawn, m=1).masks[0],
        "nets": six[0],
        "connected": segmenter.suggest(drawn, m=1, connected=True).masks[0],
        "best of six": best,
    }


def with_strokes(image: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return the image with strokes of the background in blue, of the object in red."""
    shown = image / 255.0
    shown[drawn == 1], shown[drawn == 2] = (0.1, 0.4, 1.0), (1.0, 0.1, 0.1)
    return shown


def cut_out(image: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the image with the background pale and the outline of the object in green."""
    shown = image / 255.0
    shown[~mask] = 0.25 * shown[~mask] + 0.7
    shown[ndimage.binary_dilation(mask) & ~mask] = (0.0, 0.6, 0.1)
    return shown


def _panel(panel: object, shown: np.ndarray, title: str) -> None:
    panel.imshow(shown)  # type: ignore[attr-defined]
    panel.set_title(title, fontsize=9)  # type: ignore[attr-defined]
    panel.axis("off")  # type: ignore[attr-defined]


def main(data: Path, output: Path, each: int, kind: list[str] | None = None) -> None:
    """Write the pages, and print the IoU."""
    output.mkdir(parents=True, exist_ok=True)
    for name in kind or (*KINDS, "thin things", "people"):
        some = _chosen(data, name, each)
        table = np.array(page(some, output / f"{name.replace(' ', '_')}.png")).reshape(-1, 4)
        tell(f"{name}: plain mean, nets, connected, best of six {np.round(table.mean(axis=0), 3).tolist()}")
        for task, row in zip(some, table, strict=True):
            tell(f"  {task.name} {np.round(row, 3).tolist()}")


def _chosen(data: Path, name: str, each: int) -> list[Task]:
    if name == "people":
        return losing_people(data, None)
    if name == "thin things":
        return thin_things(data)[:each]
    return sorted(tasks.voc(data, "train.txt"), key=KINDS[name])[::-1][:each]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=Path("results/failures"))
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--kind", action="append", choices=[*KINDS, "thin things", "people"], help="can be repeated")
    main(**vars(parser.parse_args()))
