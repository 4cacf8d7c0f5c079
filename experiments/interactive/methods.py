# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the table: each turns a problem into the oracle accuracy of its list at M = 1..10."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import hedgehop as hh
from experiments.interactive.problems import LONGEST, Problem, share_right
from hedgehop.metrics import best_so_far

Row = Callable[[Problem], np.ndarray]

DIVMBEST, BALL = "DivMBest", "Hamming ball"
SUGGEST = "random models + ExpectedBest (suggest)"
REDRAWN = "the same, borders redrawn at pixels"
SLOPES = (0.03, 0.05, 0.07, 0.09, 0.12, 0.17, 0.25)  # a variable, in units of the scores
BALL_SLOPES = (0.1, 0.2, 0.4)
GAMMAS = (0.001, 0.003, 0.01, 0.03)
MIXES = (0.3, 1.0, 3.0)
SLOW = {"exhaustive", "ilp"}  # oracles that would never end on thousands of variables


@dataclass(frozen=True)
class Grid:
    """What is tuned: diversities by name, and tradeoffs."""

    diversities: dict[str, hh.Diversity]
    tradeoffs: tuple[float, ...]


def ball(gamma: float) -> hh.Diversity:
    """A ball in units such that the tradeoff is the first slope, as for DivMBest."""
    return (1.0 / gamma) * hh.HammingBall(gamma=gamma, steer="sum")


def grids() -> dict[str, Grid]:
    linear = hh.LinearHamming()
    sums = {f"{mix:g} linear + ball {g:g}": mix * linear + ball(g) for mix in MIXES for g in GAMMAS[1:3]}
    covering = {h: hh.VariableCoverage(h=h) for h in ("log", "sqrt")}
    return {
        DIVMBEST: Grid({"linear": linear}, SLOPES),
        BALL: Grid({f"gamma {g:g}": ball(g) for g in GAMMAS}, BALL_SLOPES),
        "DivMBest ⊕ ball": Grid(sums, SLOPES[3::2]),
        "VariableCoverage, greedy": Grid(covering, (0.4, 0.7, 1.0, 1.2, 1.5, 2.0)),
    }


def solvable(problem: Problem, diversity: hh.Diversity) -> bool:
    """Whether some quick oracle can take the second step of a list."""
    first = hh.best(problem.model).labeling
    potentials = diversity.potentials(problem.model, first[None])
    names = set(hh.oracles.available()) - SLOW
    return any(hh.oracles.get(name).refusal(problem.model, potentials) is None for name in names)


def map_and_joint(tradeoff: float) -> Row:
    """The best labeling, then the best list of M - 1 by VariableCoverage; a new list for every M."""

    def row(problem: Problem) -> np.ndarray:
        reached = [share_right(hh.best(problem.model).labeling[None], problem.counts)[0]]
        for m in range(1, LONGEST):
            found = hh.diverse(problem.model, hh.VariableCoverage(h="log"), m, tradeoff, method="joint")
            reached.append(max(reached[0], share_right(found.labelings, problem.counts).max()))
        return np.array(reached)

    return row


def perturbed(scale: float) -> Row:
    """The best labeling, then perturb-and-MAP."""

    def row(problem: Problem) -> np.ndarray:
        drawn = hh.baselines.perturb_and_map(problem.model, LONGEST - 1, scale=scale)
        return best_so_far(share_right([hh.best(problem.model).labeling, *drawn], problem.counts))

    return row


def single_flips(problem: Problem) -> np.ndarray:
    """The best labeling and the best ones that differ from it in one superpixel: nearly the M best of all."""
    first = hh.best(problem.model).labeling
    flipped = np.repeat(first[None], len(first), axis=0)
    flipped[np.arange(len(first)), np.arange(len(first))] ^= 1
    order = np.argsort(-np.asarray(problem.model.score(flipped)), kind="stable")
    return best_so_far(share_right([first, *flipped[order[: LONGEST - 1]]], problem.counts))


def listed(accuracies: np.ndarray) -> np.ndarray:
    """The oracle of the Segmenter's own list, computed with the model; shorter lists stay where they end."""
    reached = best_so_far(accuracies)
    return np.concatenate([reached, np.repeat(reached[-1], LONGEST - len(reached))])


def side_by_side(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The paper's ⊗ from the oracles (..., 10) of two greedy lists: half of the labelings of each.

    Both begin with the same labeling, so the second gives its next ones.
    """
    m = np.arange(1, LONGEST + 1)
    here = first[..., (m + 1) // 2 - 1]
    there = second[..., np.minimum(m // 2, LONGEST - 1)]
    return np.where(m == 1, here, np.maximum(here, there))
