# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the table, one line each: a recipe makes 20 labelings of a problem, for each of its settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

import hedgehop as hh
from experiments.category.problems import Problem

LONGEST = 20
TUNED_FOR = 15
LEVELS = (0.01, 0.03, 0.07, 0.15, 0.3, 0.5)
Setting = tuple[float, ...]
Make = Callable[..., hh.Diversity]  # of a problem and a setting without its tradeoff


@dataclass(frozen=True)
class Found:
    """Labelings (m, n), m at most 20, and what is proven about them."""

    labelings: np.ndarray
    guarantee: float = float("nan")


@dataclass(frozen=True)
class Recipe:
    """A row: its name, block, and how a list is made from a problem and a setting of its grid."""

    name: str
    block: str
    make: Callable[..., Found]
    grid: tuple[Setting, ...]
    learned: bool = False  # whether it needs a model with learned weights


class PaperBall(hh.HammingBall):
    """Balls valued as they are steered, by the paper's sum of overlaps: quick, but nothing is proven about a list."""

    def bounding(self, model: hh.Model, chosen: np.ndarray = ()) -> list:
        return self.potentials(model, chosen)

    def _gains(self, model: hh.Model, flat: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        return np.sum([p.values(model, flat) for p in self.potentials(model, chosen)], axis=0)


QUICK = hh.oracles.Auto(hh.oracles.Swap(bound_rounds=1))  # bounds of transitions are not worth their time here


def greedy(diversity: Make, distinct: bool | str = "auto") -> Callable[..., Found]:
    """Greedy steps over all labelings; the last number of a setting is the tradeoff, a variable."""

    def make(problem: Problem, *setting: float) -> Found:
        *parameters, each = setting
        what = diversity(problem, *parameters)
        tradeoff = each * problem.model.n_variables
        found = hh.diverse(problem.model, what, 2, tradeoff, oracle=QUICK, distinct=distinct)
        if not _stuck(what, problem, found):
            found = found.more(LONGEST - 2)
        return Found(found.labelings, found.guarantee)

    return make


def _stuck(diversity: hh.Diversity, problem: Problem, found: hh.DiverseList) -> bool:
    """Whether a coverage repeats a labeling without any group: nothing changes any more, all others are the same."""
    if not hasattr(diversity, "incidence") or found.distinct > 1:
        return False
    member = diversity.incidence(problem.model, found.labelings[-1:])[0]
    return not (member & (diversity.group_weights(problem.model) > 0)).any()


def balls(mix: bool = False, distinct: bool = False) -> Callable[..., Found]:
    """Balls as in the paper, perhaps beside DivMBest; the guarantee is that of the first five."""

    def make(problem: Problem, *setting: float) -> Found:
        *share, width, each = setting
        tradeoff = each * problem.model.n_variables

        def what(kind: type[hh.HammingBall]) -> hh.Diversity:
            around = ball(problem, width, kind)
            return linear(problem) + share[0] * around if mix else around

        steps = islice(hh.stream(problem.model, what(PaperBall), tradeoff, distinct=distinct), LONGEST)
        proven = hh.diverse(problem.model, what(hh.HammingBall), 5, tradeoff, distinct=distinct).guarantee
        return Found(np.array([step.labeling for step in steps]), proven)

    return make


def chosen(diversity: Make, pool: Callable[..., np.ndarray] | None = None) -> Callable[..., Found]:
    """The best labeling, then greedy choice from candidates; every one at most once."""

    def make(problem: Problem, *setting: float) -> Found:
        *parameters, each = setting
        candidates = problem.candidates if pool is None else pool(problem, *parameters)
        what = diversity(problem, *parameters)
        tradeoff = each * problem.model.n_variables
        found = hh.select(candidates, problem.model, what, min(LONGEST, len(candidates)), tradeoff, first=0)
        return Found(found.labelings, found.guarantee)

    return make


def reweighed(make: Callable[..., Found]) -> Callable[..., Found]:
    """The same, from the model with learned weights."""
    return lambda problem, *setting: make(problem.reweighed, *setting)


def linear(problem: Problem) -> hh.Diversity:
    """DivMBest; the tradeoff is the worth of a pixel's difference, so it is divided by the number of variables."""
    return (1.0 / problem.model.n_variables) * hh.LinearHamming(problem.weights)


def ball(problem: Problem, width: float, kind: type = hh.HammingBall, steer: str = "sum") -> hh.Diversity:
    """A ball that falls to 1/e over a share of the image; in units such that the tradeoff is the first slope."""
    return width * kind(gamma=1.0 / (width * problem.model.n_variables), weights=problem.weights, steer=steer)


def exact_ball(problem: Problem, width: float) -> hh.Diversity:
    return ball(problem, width, steer="exact")


def labels(h: str, parsimony: float | str = "auto", share: float | tuple[float, ...] = 0.0) -> Make:
    return lambda problem: hh.LabelCoverage(h, parsimony, problem.ignored, share)


def transitions(h: str, parsimony: float | str = "auto") -> Make:
    return lambda problem: hh.TransitionCoverage(h, parsimony, problem.ignored)


def levels_and_linear(problem: Problem, mix: float) -> hh.Diversity:
    return labels("log", 0.0, LEVELS)(problem) + mix * linear(problem)


def linear_labels_transitions(problem: Problem, mix: float) -> hh.Diversity:
    return linear(problem) + mix * (labels("log", -1.0)(problem) + transitions("log", -1.0)(problem))


def variables(h: str) -> Make:
    return lambda problem: (1.0 / problem.model.n_variables) * hh.VariableCoverage(h, problem.weights)


def expected(problem: Problem, scale: float) -> hh.Diversity:
    return hh.ExpectedBest(problem.samples(scale), problem.weights)


def overlap(problem: Problem, doubt: float) -> hh.Diversity:
    """Candidates as samples of the truth, less likely by 1/e for each `doubt` logits a variable that they lose."""
    relevance = np.asarray(problem.model.score(problem.candidates))
    chances = np.exp((relevance - relevance.max()) / (doubt * problem.model.n_variables))
    return hh.segmentation.ExpectedOverlap(problem.candidates, problem.weights, chances)


def of_both(problem: Problem, scale: float) -> np.ndarray:
    return unique([*problem.candidates, *problem.samples(scale)])


def regions(problem: Problem, each: float) -> Found:
    """DivMBest over coarse regions; a region whose label changes does so as a whole, the others stay as they are."""
    areas = np.bincount(problem.regions, problem.weights)
    found = hh.diverse(problem.coarse, hh.LinearHamming(areas), LONGEST, each, oracle="trws")
    rows = found.labelings[:, problem.regions]
    return Found(np.where(rows == rows[0], problem.best, rows), found.guarantee)


def single_flips(problem: Problem) -> Found:
    """The best labelings that differ from the best one in one variable: nearly the M best of all."""
    model, best = problem.model, problem.best
    drop = model.unary[np.arange(len(best)), best][:, None] - model.unary
    drop[np.arange(len(best)), best] = np.inf
    variable, label = np.unravel_index(np.argsort(drop, axis=None)[: 10 * LONGEST], drop.shape)
    flipped = np.repeat(best[None], len(variable), axis=0)
    flipped[np.arange(len(variable)), variable] = label
    order = np.argsort(-np.asarray(model.score(flipped)), kind="stable")
    return Found(np.concatenate([best[None], flipped[order[: LONGEST - 1]]]))


def perturbed(problem: Problem, scale: float) -> Found:
    """The best labeling, then answers under noise on whole classes."""
    drawn = hh.samples(problem.model, LONGEST, label=scale, region=0.0, oracle="trws")
    return Found(unique([problem.best, *drawn])[:LONGEST])


def unique(rows: list[np.ndarray]) -> np.ndarray:
    return np.array(list({y.tobytes(): y for y in rows}.values()))


def over(*values: tuple[float, ...]) -> tuple[Setting, ...]:
    return tuple(product(*values))


ONCE = ((),)
SLOPES = (0.1, 0.2, 0.3, 0.45, 0.7)  # logits a variable
WIDE, FIRST_SLOPES = (0.1, 0.3, 1.0), (0.3, 0.6, 1.0)
COSTS = (0.02, 0.1, 0.4)
DOUBTS = (0.1, 0.3, 0.5, 1.0)
STEEPER, DOUBTFUL = (0.45, 0.7, 1.0, 1.5), (1.0, 2.0, 4.0, 8.0)  # for learned weights, whose contrast weighs more
PAPER, CORRECTED, OURS, PLAIN = "as in the paper", "corrected", "ours", "without diversity"
LEARNED = "weights of scores and contrast learned on train"
RECIPES = [
    Recipe("single flips", PLAIN, single_flips, ONCE),
    Recipe("perturb-and-MAP", PLAIN, perturbed, over((0.5, 1.0, 2.0))),
    Recipe("LC count", PAPER, greedy(labels("count", -1.0), False), over(COSTS)),
    Recipe("LC sqrt", PAPER, greedy(labels("sqrt", -1.0), False), over(COSTS)),
    Recipe("LC log", PAPER, greedy(labels("log", -1.0), False), over(COSTS)),
    Recipe("LT count", PAPER, greedy(transitions("count", -1.0), False), over(COSTS)),
    Recipe("LT sqrt", PAPER, greedy(transitions("sqrt", -1.0), False), over(COSTS)),
    Recipe("LT log", PAPER, greedy(transitions("log", -1.0), False), over(COSTS)),
    Recipe("DivMBest", PAPER, greedy(linear), over(SLOPES)),
    Recipe("HB", PAPER, balls(), over(WIDE, FIRST_SLOPES)),
    Recipe("DivMBest ⊕ HB", PAPER, balls(mix=True), over((0.5, 2.0), (0.3,), (0.15, 0.3))),
    Recipe("DivMBest ⊕ LC ⊕ LT", PAPER, greedy(linear_labels_transitions, False), over((0.1, 0.5), (0.3,))),
    Recipe("LC log, distinct", CORRECTED, chosen(labels("log", "auto", 0.03)), over((0.02, 0.1, 0.4))),
    Recipe("LT log, distinct", CORRECTED, chosen(transitions("log")), over((0.02, 0.1, 0.4))),
    Recipe("HB, distinct", CORRECTED, balls(distinct=True), over((0.3, 1.0), (0.2, 0.3, 0.6))),
    Recipe("HB exact", CORRECTED, greedy(exact_ball), over((0.3,), FIRST_SLOPES)),
    Recipe("VariableCoverage", OURS, greedy(variables("log")), over((2.0, 4.0, 7.0))),
    Recipe("regions", OURS, regions, over(SLOPES)),
    Recipe("levels", OURS, chosen(labels("log", 0.0, LEVELS)), over((0.1, 0.3, 0.7))),
    Recipe("levels ⊕ linear", OURS, chosen(levels_and_linear), over((0.3, 1.0), (0.1, 0.3, 0.7))),
    Recipe("expected overlap", OURS, chosen(overlap), over(DOUBTS, (100.0,))),
    Recipe("expected best", OURS, chosen(expected, of_both), over((0.7, 1.0, 1.5), (100.0,))),
    Recipe("learned: DivMBest", LEARNED, reweighed(greedy(linear)), over(STEEPER), learned=True),
    Recipe("learned: expected overlap", LEARNED, reweighed(chosen(overlap)), over(DOUBTFUL, (100.0,)), learned=True),
]
SIDE_BY_SIDE = {  # the paper's ⊗, from the tuned lists
    "HB ⊗ LC ⊗ LT": ("HB", "LC log", "LT log"),
    "DivMBest ⊗ HB ⊗ LC ⊗ LT": ("DivMBest", "HB", "LC log", "LT log"),
    "HB ⊗ LC ⊗ LT, distinct": ("HB, distinct", "LC log, distinct", "LT log, distinct"),
    "DivMBest ⊗ HB ⊗ LC ⊗ LT, distinct": ("DivMBest", "HB, distinct", "LC log, distinct", "LT log, distinct"),
    "levels ⊕ linear ⊗ regions": ("levels ⊕ linear", "regions"),
    "levels ⊕ linear ⊗ HB, distinct": ("levels ⊕ linear", "HB, distinct"),
    "expected overlap ⊗ regions": ("expected overlap", "regions"),
    "expected overlap ⊗ levels ⊕ linear": ("expected overlap", "levels ⊕ linear"),
}


def side_by_side(lists: list[np.ndarray]) -> np.ndarray:
    """The paper's ⊗, a labeling of each list in turn, repeats replaced by the list's next: any beginning is fair."""
    queues = [list(rows) for rows in lists]
    taken: dict[bytes, np.ndarray] = {}
    while len(taken) < LONGEST and any(queues):
        for queue in queues:
            while queue:
                row = queue.pop(0)
                if taken.setdefault(row.tobytes(), row) is row:
                    break
    return np.array(list(taken.values())[:LONGEST])
