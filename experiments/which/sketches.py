# SPDX-License-Identifier: BSD-3-Clause
"""GrabCut with the strokes of two people: lists of cut-outs, judged by the IoU of the object."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import hedgehop as hh
from experiments.progress import count
from experiments.strokes.tasks import UNKNOWN, Task, grabcut
from experiments.which.cases import Case, rebuilt
from hedgehop.lists.possibilities import Possibilities

M = 6


def sketches(data: Path, output: Path, limit: int | None) -> list[Case]:
    """One case per set of strokes; those of one image are a group."""
    folder = output / "lists" / "grabcut"
    folder.mkdir(parents=True, exist_ok=True)
    found, tasks = [], list(grabcut(data))[:limit]
    for done, task in enumerate(tasks, start=1):
        segmenter = None
        for who, drawn in task.people.items():
            kept = folder / f"{task.name} {who}.npz"
            if (drawn == 2).any() and (drawn == 1).any():
                if not kept.exists():
                    segmenter = segmenter or hh.Segmenter(task.image)
                    _keep(segmenter, task, drawn, kept)
                found.append(_case(task.name, kept))
        count(done, len(tasks), "images")
    return found


def _keep(segmenter: hh.Segmenter, task: Task, drawn: np.ndarray, kept: Path) -> None:
    listed = segmenter.suggest(drawn, m=M)
    uncertainty, model = listed._live_uncertainty, listed._live_uncertainty.view.model
    consensus = _object_iou(hh.consensus(listed)[None], task.truth)
    arrays = {"unary": model.unary, "edges": model.edges, "strengths": model.pairwise.strengths}
    possible = uncertainty.possible
    arrays |= {"members": uncertainty.members, "possible": possible.rows, "weights": possible.weights}
    arrays |= {"quality": _object_iou(listed.labelings, task.truth), "consensus": consensus}
    made = kept.with_suffix(".part.npz")
    np.savez_compressed(made, **arrays)
    made.replace(kept)


def _case(name: str, kept: Path) -> Case:
    with np.load(kept) as held:
        arrays = {key: held[key] for key in held.files}
    model = hh.FactorGraph(arrays["unary"], arrays["edges"], arrays["strengths"])
    rows = arrays["possible"]
    possible = Possibilities(rows, np.full(len(rows), 1.0 / len(rows)), arrays["weights"], 2, True, "random models")
    found = rebuilt(model, arrays["members"], possible)
    return Case(name, found, arrays["quality"], float(arrays["consensus"][0]), np.full(len(arrays["unary"]), -1))


def _object_iou(maps: np.ndarray, truth: np.ndarray) -> np.ndarray:
    known = truth != UNKNOWN
    inside, target = (maps == 1)[:, known], (truth == 1)[known]
    return 100.0 * (inside & target).sum(axis=1) / np.maximum((inside | target).sum(axis=1), 1)
