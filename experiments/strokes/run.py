# SPDX-License-Identifier: BSD-3-Clause
"""Train by folds, let a robot and people's strokes judge, and write the figures."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np

from experiments.progress import count, tell
from experiments.strokes import report, tasks
from experiments.strokes.examples import Rows, prepare
from experiments.strokes.judging import PLAYERS, Judged, Study, judge
from experiments.strokes.tasks import FOLDS, Task, fold_of
from experiments.strokes.training import HIDDEN, NETS, PASSES, log_loss, save, train
from hedgehop.segmentation.strokes.combiner import Combiner, shipped

PARTS = ("train", "grabcut", "voc")
VAL_IMAGES = 24


def reproduce(
    data: str | Path,
    output: str | Path = "results/strokes",
    limit: int | None = None,
    parts: list[str] | None = None,
    only: list[str] | None = None,
    rounds: int = 8,
    judged_images: int | None = None,
) -> str:
    """Run the parts, write results.md, results.csv and combiner.npz into `output`, and return the text.

    Parameters
    ----------
    data : path
        The folder with grabcut, voc2012, voc2012_scribbles and bsds500_val.
    output : path
        Also keeps the rows that were learned from and all games: a second run is there at once.
    limit : int, optional
        Use this many images of each set only.
    parts : list of str, optional
        Some of "train", "grabcut" (cross-validated) and "voc" (images the nets have never seen); all by default.
    only : list of str, optional
        Names of the players to judge, or words in them, such as "dialogue"; all by default.
    rounds : int
        Most marks in a game of the robot.
    judged_images : int, optional
        Judge on this many images of each set; by default on as many as `limit` says.
    """
    data, output, wanted = Path(data), Path(output), tuple(parts or PARTS)
    unknown = sorted(set(wanted) - set(PARTS))
    if unknown:
        raise ValueError(f"parts must be among {', '.join(PARTS)}; got {unknown[0]}.")
    players = _players(only)
    most = limit if judged_images is None else judged_images
    output.mkdir(parents=True, exist_ok=True)
    rows = prepare(_learning(data, limit), output / "rows", os.cpu_count() or 1)
    names = sorted({r.name for r in rows})
    tell(f"training on {len(names)} images, {len(rows)} sets of strokes")
    folds = [_nets([r for r in rows if fold_of(r.name, names) != f], output / "nets") for f in range(FOLDS)]
    final = _nets(rows, output / "nets")
    save(final, output / "combiner.npz")
    text = [report.training(rows, _losses(rows, names, folds))] if "train" in wanted else []
    judged: list[Judged] = []
    if "grabcut" in wanted:
        chosen = list(islice(tasks.grabcut(data), most))
        nets = [folds[fold_of(task.name, names)] for task in chosen]
        judged += _judge(chosen, nets, "GrabCut, cross-validated", rounds, players, output)
    if "voc" in wanted:
        chosen = list(islice(tasks.voc(data, "val.txt"), most or VAL_IMAGES))
        judged += _judge(chosen, [final] * len(chosen), "VOC val, never learned from", rounds, players, output)
    return report.write(text, judged, output)


def robot(
    data: str | Path,
    output: str | Path = "results/interactive",
    limit: int | None = None,
    only: list[str] | None = None,
    rounds: int = 6,
) -> str:
    """Let the robot play with the nets as shipped, on images of VOC val; write and return the text, without training.

    Parameters are those of :func:`reproduce`.
    """
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    chosen = list(islice(tasks.voc(Path(data), "val.txt"), limit or VAL_IMAGES))
    title = "VOC val, nets as shipped"
    return report.write([], _judge(chosen, [shipped()] * len(chosen), title, rounds, _players(only), output), output)


def _players(only: list[str] | None) -> tuple[str, ...]:
    found = tuple(name for name in PLAYERS if not only or any(_names(word, name) for word in only))
    if not found:
        raise ValueError(f"only must name a player or words in one, of {'; '.join(PLAYERS)}; got {only}.")
    return found


def _names(word: str, player: str) -> bool:
    return word == player or (word not in PLAYERS and word in player)


def _learning(data: Path, limit: int | None) -> Iterator[Task]:
    if limit is None:
        yield from tasks.learning_tasks(data)
        return
    for source in (tasks.grabcut(data), tasks.voc(data, "train.txt"), tasks.people_on_voc(data), tasks.regions(data)):
        yield from islice(source, limit)


def _nets(rows: list[Rows], cache: Path) -> Combiner:
    """Train nets, or read those that learned from the same rows."""
    cache.mkdir(parents=True, exist_ok=True)
    known = hashlib.sha256(f"{NETS} {HIDDEN} {PASSES}".encode())
    for r in rows:
        known.update(r.cues.tobytes() + r.object.tobytes())
    path = cache / f"{known.hexdigest()[:20]}.npz"
    if not path.exists():
        save(train(rows), path)
    with np.load(path) as kept:
        return Combiner(dict(kept))


def _losses(rows: list[Rows], names: list[str], folds: list[Combiner]) -> dict[str, float]:
    """Log-loss on images that were left out, for each kind of strokes."""
    losses = {}
    for kind in sorted({str(r.kind) for r in rows}):
        each = [[r for r in rows if str(r.kind) == kind and fold_of(r.name, names) == f] for f in range(FOLDS)]
        losses[kind] = float(np.mean([log_loss(folds[f], some) for f, some in enumerate(each) if some]))
    return losses


def _judge(
    chosen: list[Task], nets: list[Combiner], part: str, rounds: int, players: tuple[str, ...], output: Path
) -> list[Judged]:
    tell(part)
    cache = output / "games"
    studies = [Study(part, task, net, rounds, players, cache) for task, net in zip(chosen, nets, strict=True)]
    found = []
    with ProcessPoolExecutor(os.cpu_count() or 1) as processes:
        for done, judged in enumerate(processes.map(judge, studies), start=1):
            count(done, len(studies), "images")
            found.append(judged)
    return found
