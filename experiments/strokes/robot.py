# SPDX-License-Identifier: BSD-3-Clause
"""A robot user: marks the middle of the object, then again and again the middle of the largest error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np

from experiments.strokes.drawing import Mark, correction
from experiments.strokes.tasks import Task

LOSS = 0.02  # of IoU that a person would notice


class Player(Protocol):
    """Answers marks, one after the other."""

    def mark(self, label: int, pixels: np.ndarray) -> np.ndarray:
        """Take a mark and return candidates, (m, H, W), the first answer first."""

    def choose(self, k: int) -> None:
        """Hear which candidate the robot likes best."""


@dataclass
class Game:
    """What came of one image: IoU of the first answer and of the best candidate after each mark."""

    first: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)


def play(task: Task, start: Callable[[Task], Player], mark: Mark, rounds: int, choosing: bool, goal: float) -> Game:
    """Play until the goal is reached, but at least five rounds, and at most so many."""
    game, player, random = Game(), start(task), task.random("robot")
    new: tuple[int, np.ndarray] | None = (1, mark(task.truth == 1, random, True))
    while new is not None and len(game.first) < rounds:
        try:
            answers = player.mark(*new)
        except ValueError:  # two marks in one superpixel: an answer cannot be better than this
            break
        quality = [iou(answer, task.truth) for answer in answers]
        game.first.append(quality[0])
        game.best.append(max(quality))
        liked = int(np.argmax(quality)) if choosing else 0
        if choosing:
            player.choose(liked)
        if quality[liked] >= goal and len(game.first) >= 5:
            break
        new = correction(task, answers[liked], mark, random)
    return game


def iou(answer: np.ndarray, truth: np.ndarray) -> float:
    """Intersection over union of the object; unknown pixels do not count."""
    known = truth <= 1
    here, there = (answer == 1) & known, (truth == 1)
    return float((here & there).sum() / max(1, (here | there).sum()))


def after(games: list[list[float]], k: int) -> np.ndarray:
    """IoU of each game after k marks, or after its last."""
    return np.array([game[min(k, len(game)) - 1] for game in games])


def losing_share(games: list[list[float]], first: int = 5) -> float:
    """Share of marks, up to the first so many, after which the answer is visibly worse."""
    changes = [b - a for game in games for a, b in pairwise(game[:first])]
    return float(np.mean(np.array(changes) < -LOSS)) if changes else 0.0


def marks_to(games: list[list[float]], goal: float, most: int) -> np.ndarray:
    """Number of marks until each game reaches a quality; `most` if it never does."""
    return np.array([next((k + 1 for k, value in enumerate(game) if value >= goal), most) for game in games])
