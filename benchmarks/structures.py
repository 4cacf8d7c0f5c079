# SPDX-License-Identifier: BSD-3-Clause
"""Routes, plans and readings against what people use: ``python benchmarks/structures.py [--side 708]``.

All problems are made by code. *Apart* is the mean share in which two answers of a list differ, of what they use: length
of routes, columns of plans, positions of readings. *Lost* is the mean loss against the best answer, as a share, or for
readings in nats. Times are CPU times of the second of two runs for small problems, of one run for the large one.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import yen

import hedgehop as hh

Lists = dict[str, Callable[[], np.ndarray]]

M = 5
ROW = "| {} | {} | {:.0%} | {} | {:.2f} s |"


def streets(side: int) -> tuple[hh.Path, csr_array]:
    """Crossings of a square of streets, corner to corner, and the same graph as scipy takes it."""
    random, nodes = np.random.default_rng(0), np.arange(side * side).reshape(side, side)
    edges = np.concatenate(
        [np.c_[a.ravel(), b.ravel()] for a, b in ((nodes[:, :-1], nodes[:, 1:]), (nodes[:-1], nodes[1:]))]
    )
    lengths = random.uniform(1.0, 3.0, len(edges))
    matrix = csr_array((lengths, edges.T.astype(np.int32)), shape=(side * side, side * side))
    return hh.Path(edges, lengths, 0, side * side - 1, directed=False), matrix


def yens(model: hh.Path, matrix: csr_array) -> np.ndarray:
    """The shortest routes of scipy, as labelings."""
    _, before = yen(matrix, model.source, model.target, M, directed=False, return_predecessors=True)
    number = {tuple(sorted(pair)): e for e, pair in enumerate(model.edges.tolist())}
    routes = np.zeros((M, model.n_variables), np.int32)
    for route, back in zip(routes, before, strict=True):
        node = model.target
        while node != model.source:
            route[number[tuple(sorted((node, int(back[node]))))]] = 1
            node = int(back[node])
    return routes


def routes(side: int, small: bool) -> Iterator[str]:
    model, matrix = streets(side)
    cover = hh.UseCoverage(model.lengths)
    made: Lists = {
        "hedgehop": lambda: hh.diverse(model, cover, m=M, tradeoff=1.0, certify=False).labelings,
        "penalty method": lambda: hh.baselines.penalised_routes(model, m=M),
        "plateaus": lambda: hh.baselines.plateau_routes(model, m=M),
    }
    made["Yen, ours"] = lambda: hh.baselines.m_best(model, m=M)
    if small:  # scipy searches again from every crossing of every route
        made["Yen, scipy"] = lambda: yens(model, matrix)
    for name, make in made.items():
        found, seconds = timed(make, 1 + small)
        shared = hh.metrics.shared_length(model, found)[np.triu_indices(len(found), 1)].mean()
        longer = f"{hh.metrics.stretch(model, found).mean() - 1:.1%}"
        yield ROW.format(f"routes, {model.n_variables} streets", name, 1 - shared, longer, seconds)


def knapsack(random: np.random.Generator, n: int = 200) -> dict[str, np.ndarray]:
    weights = random.integers(10, 60, n)
    return {"c": -(weights + random.integers(0, 20, n)), "A": weights[None], "low": 0, "high": weights.sum() / 3}


def reserve(random: np.random.Generator, n: int = 200, species: int = 12) -> dict[str, np.ndarray]:
    return {"c": 1 + random.random(n), "A": 1.0 * (random.random((species, n)) < 0.12), "low": 3, "high": np.inf}


def pool(problem: dict[str, np.ndarray]) -> np.ndarray:
    """Solve, exclude the answer by a row (a "no-good cut"), and solve again."""
    n, rows, found = len(problem["c"]), [LinearConstraint(problem["A"], problem["low"], problem["high"])], []
    for _ in range(M):
        best = milp(
            problem["c"], integrality=np.ones(n), bounds=Bounds(0, 1), constraints=rows, options={"mip_rel_gap": 0.0}
        )
        found.append(np.rint(best.x).astype(np.int32))
        rows.append(LinearConstraint(1 - 2 * found[-1], 1 - found[-1].sum(), np.inf))
    return np.array(found)


def plans() -> Iterator[str]:
    for make in (knapsack, reserve):
        problem = make(np.random.default_rng(2))
        model = hh.Program(problem["c"], constraints=(problem["A"], problem["low"], problem["high"]))
        best = hh.best(model)
        worth = 0.8 * abs(best.relevance) / best.labeling.sum()  # most of what a chosen column is worth
        for name, listed in (
            ("hedgehop", partial(diverse_plans, model, worth)),
            ("no-good cuts", partial(pool, problem)),
        ):
            found, seconds = timed(listed)
            apart = np.mean([(a != b).sum() for a, b in itertools.combinations(found, 2)])
            lost = f"{abs(1 - model.score(found).mean() / best.relevance):.1%}"
            title = f"{make.__name__}, {model.n_variables} columns"
            yield ROW.format(title, name, apart / (2 * found.sum(axis=1).mean()), lost, seconds)


def diverse_plans(model: hh.Program, tradeoff: float) -> np.ndarray:
    return hh.diverse(model, hh.UseCoverage(), m=M, tradeoff=tradeoff, certify=False).labelings


def lattice(length: int = 30, symbols: int = 12) -> hh.Automaton:
    """A chain of order 2: a language model of three letters on top of what a network sees."""
    random = np.random.default_rng(3)
    seen = random.normal(size=(length, symbols)) * 2.0
    seen -= np.log(np.exp(seen).sum(axis=1, keepdims=True))
    return hh.Automaton.from_chain(seen, random.normal(size=(symbols, symbols, symbols)) * 0.5)


def readings() -> Iterator[str]:
    model = lattice()
    lists: Lists = {
        "hedgehop": lambda: hh.diverse(model, hh.VariableCoverage(), m=M, tradeoff=1.0, certify=False).labelings,
        "five best": lambda: hh.baselines.m_best(model, m=M),
    }
    for penalty in (0.2, 0.4):
        name = f"diverse beams, penalty {penalty:g}"
        lists[name] = partial(hh.baselines.diverse_beams, model, m=M, penalty=penalty, width=10)
    for name, make in lists.items():
        found, seconds = timed(make)
        apart = np.mean([(a != b).mean() for a, b in itertools.combinations(found, 2)])
        lost = f"{hh.best(model).relevance - model.score(found).mean():.1f} nats"
        yield ROW.format(f"readings, {model.n_variables} positions", name, apart, lost, seconds)


def timed(make: Callable[[], np.ndarray], runs: int = 2) -> tuple[np.ndarray, float]:
    for _ in range(runs):
        start = time.process_time()
        found = make()
    return found, time.process_time() - start


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=708, help="crossings per side of the large square of streets")
    print("| problem | list | apart | lost | CPU time |\n|---|---|---|---|---|")
    large = parser.parse_args().side
    for row in itertools.chain(routes(40, True), plans(), readings(), routes(large, False)):
        print(row, flush=True)
