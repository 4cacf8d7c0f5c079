# SPDX-License-Identifier: BSD-3-Clause
"""One image: games of the robot with every player, and the strokes of people; kept in a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import hedgehop as hh
from experiments.strokes.drawing import Mark, click, stroke
from experiments.strokes.players import PLAIN, GrabCut, Once, Talk, Walker, with_nets
from experiments.strokes.robot import Player, play
from experiments.strokes.tasks import Task
from hedgehop.segmentation.strokes.combiner import Combiner

GOAL = 0.95
CHOICES = (3, 6, 10)
MARKS: dict[str, Mark] = {"strokes": stroke, "clicks": click}
BEFORE, NETS, DIALOGUE = "plain mean, no memory", "nets, no memory", "nets, dialogue"
CONNECTED = f"{DIALOGUE}, connected"
PEERS: dict[str, type[GrabCut] | type[Walker]] = {"GrabCut (OpenCV)": GrabCut, "random walker": Walker}


PLAYERS = (
    BEFORE, NETS, DIALOGUE, f"{BEFORE}, choosing among 6",
    *(f"{DIALOGUE}, choosing among {m}" for m in CHOICES), CONNECTED, f"{CONNECTED}, choosing among 6", *PEERS,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Study:
    """What to judge."""

    part: str
    task: Task
    nets: Combiner
    rounds: int
    only: tuple[str, ...]
    cache: Path


@dataclass
class Judged:
    """IoU of games, {marks: {player: (first, best)}}, and accuracies of lists of six from strokes of people."""

    part: str
    name: str
    games: dict[str, dict[str, list[list[float]]]] = field(default_factory=dict)
    people: dict[str, dict[str, list[float]]] = field(default_factory=dict)


def judge(study: Study) -> Judged:
    """Play all games on an image that are not kept yet."""
    study.cache.mkdir(parents=True, exist_ok=True)
    weights = b"".join(array.tobytes() for _, array in sorted(study.nets.arrays.items()))
    key = hashlib.sha256(weights + f"{study.task.name} {study.rounds} {hh.__version__}".encode()).hexdigest()[:20]
    path = study.cache / f"{key}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else asdict(Judged("", ""))
    judged = Judged(study.part, study.task.name, known["games"], known["people"])
    _play(study, judged)
    path.write_text(json.dumps(asdict(judged)), encoding="utf-8")
    for games in judged.games.values():
        for player in set(games) - set(study.only):
            del games[player]
    return judged


def _play(study: Study, judged: Judged) -> None:
    task, segmenter = study.task, hh.Segmenter(study.task.image)
    plain, nets = with_nets(segmenter, PLAIN), with_nets(segmenter, study.nets)
    starts: dict[str, Callable[[Task], Player]] = {
        BEFORE: lambda t: Once(t, plain, 1),
        NETS: lambda t: Once(t, nets, 1),
        DIALOGUE: lambda t: Talk(nets, 1),
        f"{BEFORE}, choosing among 6": lambda t: Once(t, plain, 6),
        **{f"{DIALOGUE}, choosing among {m}": lambda t, m=m: Talk(nets, m) for m in CHOICES},
        CONNECTED: lambda t: Talk(nets, 1, connected=True),
        f"{CONNECTED}, choosing among 6": lambda t: Talk(nets, 6, connected=True),
        **PEERS,
    }
    for name, mark in MARKS.items():
        games = judged.games.setdefault(name, {})
        for player in study.only:
            if player not in games:
                game = play(task, starts[player], mark, study.rounds, "choosing" in player, GOAL)
                games[player] = [game.first, game.best]
    for who, drawn in task.people.items():
        if who not in judged.people:
            lists = {BEFORE: plain.suggest(drawn), NETS: nets.suggest(drawn)}
            judged.people[who] = {k: np.asarray(v.pixel_accuracy(task.truth)).tolist() for k, v in lists.items()}
