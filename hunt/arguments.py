# SPDX-License-Identifier: BSD-3-Clause
"""Calls with arguments that make no sense: an answer, or a sentence of ours, and nothing else."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import hedgehop as hh
from hunt.tally import Fault, Tally

_OURS = str(Path(hh.__file__).parent)
_SLOW = 10.0  # seconds, for models that fit on a line
UNARY, EDGES = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [[0, 1], [1, 2]]
MODEL = hh.FactorGraph(UNARY, EDGES, 1.0)

HOSTILE: tuple[Any, ...] = (
    None, True, 0, 1, -1, 2, 3, 10**9, 2**31, 2**63, 10**30, -(10**30), 0.5, -0.5, 1e308, -1e308, 5e-324, np.nan,
    np.inf, -np.inf, 1j, "", "auto", "nonsense", b"bytes", (), [], {}, set(), [[]], [[[]]], [None], ["a"],
    [[1, 2], [3]], [[0, -1]], [[0, 0]], [[0, 10**9]], [[0, 2**40]], [[0, 10**30]], [[0.5, 1]], [0], [-1], [1, 1], [3],
    [2**31], [10**30], [np.nan], [np.inf], [1e308, 1e308, 1e308], [[np.nan, 1.0]] * 3, [[-np.inf, -np.inf]] * 3,
    [[1e308, -1e308]] * 3, np.zeros(0), np.zeros((0, 2)), np.zeros((3, 0)), np.zeros((0, 3, 2)), np.zeros((3, 2, 0)),
    np.zeros((1, 1, 1)), np.zeros((2, 2, 2)), np.zeros((2, 2, 2, 2)), np.zeros((2, 3), object),
    np.array([{}, None], object), np.array(["x", "y"]), np.zeros(3, np.complex128), np.zeros(3, "datetime64[s]"),
    np.zeros(3, [("a", float)]), np.ma.masked_all(3), np.zeros((3, 2), np.float16), np.zeros(3, np.uint8),
    np.full((3, 2), 2**63, np.uint64), np.zeros((3, 2), bool), np.array(1.0), object(),
    MODEL, hh.LinearHamming(), hh.LabelCoverage(), [MODEL], [hh.LinearHamming()], [hh.potentials.Constant(1.0)],
    range(3), iter([1]), slice(3), [(0, 1, 2)], [([0, 1], np.zeros((2, 2)))], [([0, 9], np.zeros((2, 2)))],
    [([], np.zeros(()))], [([0, 0], np.zeros((2, 2)))],
)  # fmt: skip

_BALL = hh.HammingBall(gamma=0.5)
_LABELINGS = [[0, 1, 1], [0, 0, 0], [1, 1, 1]]


def _listed(**given: Any) -> Any:
    return hh.diverse(**{"model": MODEL, "diversity": hh.VariableCoverage(), "m": 2, "tradeoff": 1.0} | given)


def _streamed(**given: Any) -> Any:
    stream = hh.stream(**{"model": MODEL, "diversity": hh.VariableCoverage(), "tradeoff": 1.0} | given)
    return next(iter(stream))


def _used(make: Callable[..., Any], **given: Any) -> Any:
    """Make a diversity or a potential, and use it."""
    made = make(**given)
    if isinstance(made, hh.Diversity):
        return hh.diverse(MODEL, made, 2, 1.0, certify=False)
    return hh.best(MODEL, made)


def _solved(make: Callable[..., Any], **given: Any) -> Any:
    return hh.best(make(**given))


_LISTS = {
    "m": 2, "tradeoff": 1.0, "method": "greedy", "oracle": "auto", "distinct": "auto", "min_distance": 1,
    "tolerance": 0.1, "time_limit": 1.0, "certify": "auto", "refine": False,
}  # fmt: skip
_P, _M = hh.potentials, hh.metrics
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Grid": (hh.Grid, {"scores": np.zeros((2, 2, 2)), "smoothness": 1.0, "connectivity": 4}),
    "contrast": (lambda **k: hh.Grid(np.zeros((2, 2, 2)), hh.contrast(**k)), {"image": np.eye(2), "strength": 1.0}),
    "FactorGraph": (hh.FactorGraph, {"unary": UNARY, "edges": EDGES, "pairwise": 1.0, "cliques": ()}),
    "Chain": (hh.Chain, {"emissions": UNARY, "transitions": np.eye(2)}),
    "SpanningTree": (hh.SpanningTree, {"edges": EDGES, "weights": [1.0, 2.0], "n_nodes": 3}),
    "GraphMatching": (hh.GraphMatching, {"edges": EDGES, "weights": [1.0, 2.0], "perfect": False, "n_nodes": 3}),
    "Matching": (hh.Matching, {"weights": UNARY, "unmatched": 0.0}),
    "Arborescence": (hh.Arborescence, {"arc_scores": np.zeros((2, 3)), "single_root": False}),
    "VariableCoverage": (hh.VariableCoverage, {"h": "log", "weights": [1.0, 1.0, 1.0]}),
    "LabelCoverage": (
        hh.LabelCoverage, {"h": "log", "parsimony": "auto", "ignore": (0,), "min_share": 0.0, "weights": [1.0, 1.0]},
    ),
    "KindCoverage": (hh.KindCoverage, {"kinds": [0, 1], "h": "log", "parsimony": "auto", "min_share": 0.0}),
    "TransitionCoverage": (
        hh.TransitionCoverage,
        {"h": "log", "parsimony": "auto", "ignore": (), "ordered": False, "weights": np.ones((2, 2)),
         "include_equal": False},
    ),
    "RegionCoverage": (hh.RegionCoverage, {"regions": [[0, 1]], "h": "count", "parsimony": 0.0, "robust": 1}),
    "GroupCoverage": (
        hh.GroupCoverage, {"groups": lambda y: [int(y.sum())], "h": "count", "parsimony": 0.0, "weights": None},
    ),
    "HammingBall": (hh.HammingBall, {"gamma": 0.5, "radius": None, "weights": [1.0, 1.0, 1.0], "steer": "exact"}),
    "LinearHamming": (hh.LinearHamming, {"weights": [1.0, 1.0, 1.0], "steer": "exact"}),
    "ExpectedBest": (hh.ExpectedBest, {"samples": _LABELINGS, "weights": [1.0, 1.0, 1.0]}),
    "UniqueItems": (hh.UniqueItems, {"diversity": hh.LinearHamming()}),
    "Linear": (_P.Linear, {"theta": UNARY}),
    "Constant": (_P.Constant, {"amount": 1.0}),
    "Function": (_P.Function, {"function": lambda y: 1.0, "factor": 1.0}),
    "LabelWeights": (_P.LabelWeights, {"w": [1.0, 1.0], "min_share": 0.0}),
    "KindWeights": (_P.KindWeights, {"kinds": [0, 1], "w": [1.0, 1.0], "min_share": 0.0}),
    "TransitionWeights": (_P.TransitionWeights, {"w": np.eye(2), "ordered": False, "equal": False}),
    "RegionWeights": (_P.RegionWeights, {"regions": [[0, 1]], "mu": [[1.0, 1.0]], "robust": 1}),
    "Cardinality": (_P.Cardinality, {"reference": [0, 1, 1], "table": np.zeros(4), "weights": None, "factor": 1.0}),
    "BallCoverage": (_P.BallCoverage, {"chosen": _LABELINGS, "decay": [1.0, 1.0, 1.0], "scale": 1.0}),
    "BallUnion": (_P.BallUnion, {"chosen": _LABELINGS, "radius": 1, "n_labels": 2, "scale": 1.0}),
    "MemberWeights": (_P.MemberWeights, {"labelings": _LABELINGS, "w": [1.0, 1.0, 1.0]}),
    "diverse": (_listed, {"model": MODEL, "diversity": _BALL} | _LISTS),
    "stream": (_streamed, {k: v for k, v in _LISTS.items() if k not in ("m", "method", "certify", "refine")}),
    "best": (hh.best, {"model": MODEL, "potentials": (), "oracle": "auto", "tolerance": 0.1, "time_limit": 1.0}),
    "select": (
        hh.select, {"pool": _LABELINGS, "model": MODEL, "diversity": _BALL, "m": 2, "tradeoff": 1.0, "first": None},
    ),
    "portfolio": (
        hh.portfolio, {"model": MODEL, "diversities": [_BALL], "m": 2, "tradeoff": 1.0, "distinct": True},
    ),
    "samples": (
        hh.samples,
        {"model": MODEL, "k": 3, "variable": 1.0, "label": 1.0, "region": 1.0, "regions": [0, 0, 1], "seed": 0},
    ),
    "target": (lambda distance: _listed(tradeoff=hh.target(distance)), {"distance": 0.5}),
    "per_variable": (lambda share: _listed(diversity=_BALL, tradeoff=hh.per_variable(share)), {"share": 0.5}),
    "m_best": (hh.baselines.m_best, {"model": MODEL, "m": 2, "oracle": "auto"}),
    "perturb_and_map": (hh.baselines.perturb_and_map, {"model": MODEL, "m": 2, "scale": 1.0, "seed": 0}),
    "random_labelings": (hh.baselines.random_labelings, {"model": MODEL, "m": 2, "seed": 0}),
    "score": (MODEL.score, {"labelings": _LABELINGS}),
    "value": (hh.VariableCoverage().value, {"model": MODEL, "labelings": _LABELINGS}),
    "accuracy": (_M.accuracy, {"labelings": _LABELINGS, "truth": _LABELINGS[0], "ignore": 255}),
    "iou": (_M.iou, {"labelings": _LABELINGS, "truth": _LABELINGS[0], "n_labels": 2, "ignore": 255}),
    "distances": (_M.distances, {"labelings": _LABELINGS, "weights": None}),
}  # fmt: skip
_MODELS = {"Grid", "FactorGraph", "Chain", "SpanningTree", "GraphMatching", "Matching", "Arborescence"}
_HELPS = {"VariableCoverage", "LabelCoverage", "KindCoverage", "TransitionCoverage", "RegionCoverage", "GroupCoverage",
          "HammingBall", "LinearHamming", "ExpectedBest", "UniqueItems", "Linear", "Constant", "Function",
          "LabelWeights", "KindWeights", "TransitionWeights", "RegionWeights", "Cardinality", "BallCoverage",
          "BallUnion", "MemberWeights"}  # fmt: skip
_ENDLESS = {("m", 10**9), ("k", 10**9), ("m", 2**31), ("k", 2**31)}  # what is asked for takes as long as it takes


def hunt(seed: int, seconds: float, tally: Tally) -> int:
    """Try hostile arguments, one or two at a time, until time is up; return how many calls."""
    random, end, count = np.random.default_rng(seed), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        name = str(random.choice(list(CALLS)))
        changed = random.permutation(list(CALLS[name][1]))[: int(random.integers(1, 3))]
        given = {str(k): HOSTILE[int(random.integers(len(HOSTILE)))] for k in changed}
        count += 1
        tally.faults += [Fault(seed, "arguments", said(name, given), text) for text in wrong(name, given)]
    return count


def every_single() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each hostile value for each argument of each call."""
    for name, (_, usual) in CALLS.items():
        for argument in usual:
            yield from ((name, {argument: value}) for value in HOSTILE)


def wrong(name: str, given: dict[str, Any]) -> list[str]:
    """Return what is wrong with the answer to a call; nothing if it is an answer, or a sentence of ours."""
    call, usual = CALLS[name]
    if any((k, v) in _ENDLESS for k, v in given.items() if isinstance(v, int)):
        return []
    run = {**dict.fromkeys(_MODELS, _solved), **dict.fromkeys(_HELPS, _used)}.get(name)
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(**usual | given) if run is None else run(call, **usual | given)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        ours = last.filename.startswith(_OURS) and (last.line or "").startswith("raise")
        if isinstance(error, (ValueError, TypeError)) and (ours or last.filename == __file__):
            return []
        return [f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {str(error)[:120]}"]
    return [f"took {time.process_time() - start:.0f} s"] if time.process_time() - start > _SLOW else []


def said(name: str, given: dict[str, Any]) -> str:
    """Return a call as text."""
    return f"{name}({', '.join(f'{k}={v!r:.60}' for k, v in given.items())})"
