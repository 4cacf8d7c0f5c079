"""TRW-S against gco-wrapper's expansion on L = 21 Potts problems, in one run: ``python benchmarks/trws.py [--lists]``.

Ratios of times taken in turns are what counts; the machine's speed cancels. Ours includes building the solver from
arrays, the peer's includes building its graph. ``--lists`` adds M = 10 lists with linear Hamming diversity (minutes,
most of them the peer's).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import problems

from hedgehop import _core

Problem = dict[str, Any]
# Iterations at most, energy and bound to reach (0: none; bounds to 1e-6 or the digits of PEERS.md), 1 / time.
GOALS = {
    "grid256L21h": [(7, 191_633_000, 0, 45), (12, 191_610_000, 0, 28), (30, 0, 191_598_500, 18)],
    "grid256L21": [(50, 0, 62_006_353, 15)],
    "sp2000L21": [(50, 5_057_805, 5_057_805, 16)],
}
PENALTY = 250  # for each variable that agrees with an earlier labeling


def scores(problem: Problem) -> np.ndarray:
    flat = -problem["U"].astype(np.float32)
    return flat.reshape(problem["H"], problem["W"], -1) if problem["grid"] else flat


def solver(problem: Problem, unary: np.ndarray, instruction_set: str = "") -> _core.Trws:
    strengths = problem["w"].astype(np.float64)
    if not problem["grid"]:
        edges = np.stack([problem["ei"], problem["ej"]], axis=1)
        return _core.Trws.potts(unary, None, edges, strengths, instruction_set=instruction_set)
    right, down = np.split(strengths, [problem["H"] * (problem["W"] - 1)])
    return _core.Trws.grid(unary, 4, [right, down], instruction_set)


def expansion(problem: Problem, costs: np.ndarray) -> np.ndarray:
    gco = importlib.import_module("gco")
    n_labels = problem["L"]
    potts = 1.0 - np.eye(n_labels)
    if not problem["grid"]:  # as floats: it scales integers down until they are useless
        edges = np.stack([problem["ei"], problem["ej"]], axis=1).astype(np.int32)
        return gco.cut_general_graph(edges, problem["w"].astype(float), costs.astype(float), potts)
    height, width = problem["H"], problem["W"]
    right, down = np.split(problem["w"], [height * (width - 1)])
    down, right = down.reshape(height - 1, width), right.reshape(height, width - 1)
    return gco.cut_grid_graph(costs.reshape(height, width, n_labels), potts.astype(np.int32), down, right)


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def row(name: str, ours: str, peer: str, ratio: str, goal: str, met: str, energies: str) -> None:
    print(f"{name:34} {ours:>10} {peer:>10} {ratio:>8} {goal:>26} {met:>4}  {energies}", flush=True)


def one_labeling(problem: Problem, has_peer: bool, repeats: int) -> None:
    wanted, unary = GOALS[problem["name"]], scores(problem)
    peers, mine = [], {its: [] for its, *_ in wanted}
    peer_energy = None
    for _ in range(repeats):
        if has_peer:
            spent, labeling = seconds(lambda: expansion(problem, problem["U"]))
            peers.append(spent)
            peer_energy = problems.energy(problem, labeling)
        for its in mine:
            mine[its] += [seconds(lambda its=its: solver(problem, unary).run(iterations=its)) for _ in range(3)]
    for its, energy, bound, factor in wanted:
        spent = min(t for t, _ in mine[its])
        labeling, _, upper, done = mine[its][0][1]
        found = problems.energy(problem, labeling)
        good = (not energy or found <= energy) and (not bound or -upper >= bound * (1 - 1e-6))
        peer = min(peers) if peers else float("nan")
        goal = " ".join([f"E<={energy}"] * bool(energy) + [f"B>={bound}"] * bool(bound) + [f"1/{factor}"])
        met = "-" if not peers else "yes" if good and spent * factor <= peer else "no"
        row(f"{problem['name']}, {done} iterations", f"{spent * 1e3:.1f} ms", f"{peer * 1e3:.0f} ms",
            f"1/{peer / spent:.0f}", goal, met, f"ours {found}, bound {-upper:.0f}, peer {peer_energy}")  # fmt: skip


def sweeps(problem: Problem, goals: tuple[float, float]) -> None:
    """Nanoseconds an edge and iteration: plain sweeps, and every iteration with bound, decodes and polishing."""
    edges, times = len(problem["ei"]), {}
    states = {name: solver(problem, scores(problem), name) for name in ("baseline", "")}
    for _ in range(9):
        for name, state in states.items():
            for label, every in (("plain", 20), ("bound and labeling", 1)):
                spent, _ = seconds(lambda s=state, e=every: s.run(20, e, 0.0, -1e9, 1))
                key = (name or f"{state.lanes} lanes", label)
                times[key] = min(times.get(key, np.inf), spent / 20 / edges * 1e9)
    for (name, label), value in times.items():
        goal = goals[label != "plain"]
        row(
            f"{problem['name']}, {label}, {name}",
            f"{value:.1f} ns",
            "",
            "",
            f"<= {goal:.0f} ns",
            "yes" if value <= goal else "no",
            "",
        )


def agreements(problem: Problem, labelings: list[np.ndarray]) -> np.ndarray:
    penalty = np.zeros((problem["n"], problem["L"]))
    for labeling in labelings:
        penalty[np.arange(problem["n"]), labeling] += PENALTY
    return penalty


def total(problem: Problem, labelings: list[np.ndarray]) -> float:
    """Sum of energies and of the penalties for agreeing with earlier labelings."""
    index = np.arange(problem["n"])
    extra = sum(agreements(problem, labelings[:k])[index, y].sum() for k, y in enumerate(labelings))
    return float(sum(problems.energy(problem, y) for y in labelings) + extra)


def our_list(problem: Problem, first: int, later: int) -> list[np.ndarray]:
    state, labelings = solver(problem, scores(problem)), []
    for k in range(10):
        if k:
            state.add_linear(-agreements(problem, labelings))
        labelings.append(state.run(iterations=later if k else first)[0])
    return labelings


def their_list(problem: Problem) -> list[np.ndarray]:
    labelings: list[np.ndarray] = []
    for _ in range(10):
        costs = problem["U"] + agreements(problem, labelings).astype(np.int32)
        labelings.append(expansion(problem, costs).astype(np.int32).ravel())
    return labelings


def lists(problem: Problem, has_peer: bool) -> None:
    peer, theirs = seconds(lambda: their_list(problem)) if has_peer else (float("nan"), None)
    for first, later in ((10, 5), (20, 10), (50, 20)):
        runs = [seconds(partial(our_list, problem, first, later)) for _ in range(3)]
        spent, labelings = min(runs, key=lambda r: r[0])
        worse = 100 * (total(problem, labelings) / total(problem, theirs) - 1) if theirs else float("nan")
        met = "-" if not theirs else "yes" if worse <= 0.3 and spent * 20 <= peer else "no"
        row(f"{problem['name']}, M = 10, {first} then {later}", f"{spent * 1e3:.0f} ms", f"{peer * 1e3:.0f} ms",
            f"1/{peer / spent:.0f}", "+0.3 % in 1/20", met, f"total {worse:+.2f} % of the peer's")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", action="store_true", help="also M = 10 lists")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    has_peer = importlib.util.find_spec("gco") is not None
    if not has_peer:
        print("gco-wrapper is not installed: its columns are empty")
    row("problem", "ours", "peer", "ratio", "goal", "met", "energies")
    hard, easy = problems.multilabel_grid(256, hard=True), problems.multilabel_grid(256)
    superpixels = problems.superpixels(2000)
    for problem in (superpixels, easy, hard):
        one_labeling(problem, has_peer, options.repeats)
    for problem in (hard, superpixels):
        sweeps(problem, (16.0, 22.0))
    if options.lists:
        for problem in (superpixels, easy, hard):
            lists(problem, has_peer)


if __name__ == "__main__":
    main()
