# SPDX-License-Identifier: BSD-3-Clause
"""Every error says what, got, do: the texts themselves are the contract."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.plotting import plot_reliability

UNARY = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
MODEL = hh.FactorGraph(UNARY, [[0, 1], [1, 2]], 1.0)
BALL = hh.HammingBall(gamma=0.5)
SQUARE = np.zeros((4, 4))


def refuses(kind: type[Exception], text: str, action) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        action()


MODEL_ERRORS = {
    "labels first": (
        lambda: hh.Grid(np.zeros((3, 480, 640))),
        "scores must have shape (H, W, L); got (3, 480, 640). If labels come first, use np.moveaxis(scores, 0, -1).",
    ),
    "flat scores": (lambda: hh.Grid(SQUARE), "scores must have shape (H, W, L) or (D, H, W, L); got (4, 4)."),
    "empty scores": (lambda: hh.Grid(np.zeros((0, 4, 2))), "at least one pixel and one label; got shape (0, 4, 2)"),
    "NaN": (
        lambda: hh.Grid(np.full((2, 2, 2), np.nan)),
        "scores must not contain NaN; the first is at index (0, 0, 0)",
    ),
    "+inf": (lambda: hh.Grid(np.full((2, 2, 2), np.inf)), "scores must not contain +inf"),
    "dead pixel": (lambda: hh.Grid(np.full((2, 2, 2), -np.inf)), "the pixel at (0, 0) has no allowed label"),
    "connectivity": (
        lambda: hh.Grid(np.zeros((2, 2, 2)), connectivity=5),
        "connectivity must be 4 or 8 for a 2-D grid; got 5",
    ),
    "connectivity of a volume": (
        lambda: hh.Grid(np.zeros((2, 2, 2, 2)), connectivity=[4, 6]),
        "connectivity must be 6 or 26 for a 3-D grid; got [4, 6]",
    ),
    "negative smoothness": (lambda: hh.Grid(np.zeros((2, 2, 2)), -1.0), "smoothness must be >= 0 and finite; got -1.0"),
    "smoothness arrays": (lambda: hh.Grid(np.zeros((2, 2, 2)), [SQUARE]), "2 arrays, one per direction; got 1 arrays"),
    "smoothness shape": (
        lambda: hh.Grid(np.zeros((2, 2, 2)), (SQUARE, SQUARE)),
        "smoothness[0] must have shape (2, 1); got (4, 4)",
    ),
    "contrast shape": (
        lambda: hh.Grid(np.zeros((2, 2, 2)), hh.contrast(SQUARE)),
        "the contrast image must have shape (2, 2)",
    ),
    "unary shape": (lambda: hh.FactorGraph([1.0, 2.0]), "unary must have 2 dimensions; got shape (2,)"),
    "no variables": (lambda: hh.FactorGraph([]), "unary must have"),
    "empty row": (lambda: hh.FactorGraph([[1.0], []]), "unary[1] is empty; every variable needs at least one label"),
    "dead variable": (lambda: hh.FactorGraph([[0.0, 1.0], [-np.inf, -np.inf]]), "variable 1 has no allowed label"),
    "edges shape": (lambda: hh.FactorGraph(UNARY, [0, 1], 1.0), "edges must have shape (E, 2); got (2,)"),
    "edge outside": (lambda: hh.FactorGraph(UNARY, [[0, 3]], 1.0), "edge (0, 3) names a variable outside 0..2"),
    "self-loop": (
        lambda: hh.FactorGraph(UNARY, [[1, 1]], 1.0),
        "edge (1, 1) is a self-loop. Add its scores to the unary",
    ),
    "negative Potts": (
        lambda: hh.FactorGraph(UNARY, [[0, 1]], [-0.3]),
        "Potts strengths must be >= 0 and finite; edge (0, 1) has -0.3. Give a score table",
    ),
    "pairwise shape": (lambda: hh.FactorGraph(UNARY, [[0, 1]], np.zeros((3, 3))), "got shape (3, 3)"),
    "table count": (
        lambda: hh.FactorGraph(UNARY, [[0, 1], [1, 2]], [np.zeros((2, 2)), np.zeros((2, 3))]),
        "the table of edge (1, 2) must have shape (2, 2); got (2, 3)",
    ),
    "clique twice": (lambda: hh.FactorGraph(UNARY, cliques=[([0, 0], SQUARE)]), "names a variable twice"),
    "clique shape": (
        lambda: hh.FactorGraph(UNARY, cliques=[([0, 1], SQUARE)]),
        "the table of clique [0, 1] must have shape (2, 2); got (4, 4)",
    ),
    "clique outside": (lambda: hh.FactorGraph(UNARY, cliques=[([0, 7], SQUARE)]), "outside 0..2"),
    "fractional edges": (lambda: hh.FactorGraph(UNARY, [[0.5, 1.0]], 1.0), "edges must be whole numbers"),
    "transitions": (
        lambda: hh.Chain(np.zeros((3, 2)), np.zeros((3, 3))),
        "transitions must have shape (2, 2) or (2, 2, 2); got (3, 3)",
    ),
    "no tree edges": (lambda: hh.SpanningTree([], []), "edges must hold at least one edge; got none."),
    "tree weights": (lambda: hh.SpanningTree([[0, 1]], [1, 2]), "weights must have one entry per edge (1); got 2."),
    "tree node": (lambda: hh.SpanningTree([[0, 3]], [1], n_nodes=2), "edge (0, 3) names a node outside 0..1."),
    "tree loop": (
        lambda: hh.SpanningTree([[1, 1]], [1]),
        "edge (1, 1) is a self-loop. It is in no tree: leave it out.",
    ),
    "two parts": (
        lambda: hh.SpanningTree([[0, 1], [2, 3], [1, 2]], [1, 1, -np.inf]),
        "edges must connect all 4 nodes; without forbidden ones, node 2 cannot be reached from node 0.",
    ),
    "node alone": (lambda: hh.SpanningTree([[0, 1]], [1], n_nodes=3), "node 2 cannot be reached from node 0"),
    "odd pairs": (lambda: hh.GraphMatching([[0, 1], [1, 2]], [1, 1], perfect=True), "number of nodes is 3, odd"),
    "node without a pair": (
        lambda: hh.GraphMatching([[0, 1], [1, 2], [2, 3]], [-np.inf, 1, 1], perfect=True),
        "no perfect matching is allowed: node 0 has no allowed edge.",
    ),
    "pair of one": (lambda: hh.GraphMatching([[1, 1]], [1]), "It is in no matching: leave it out."),
    "flat matching": (lambda: hh.Matching([1.0, 2.0]), "weights must have 2 dimensions; got shape (2,)."),
    "empty matching": (lambda: hh.Matching(np.zeros((0, 2))), "at least one row and one column; got shape (0, 2)"),
    "more rows": (
        lambda: hh.Matching(np.zeros((3, 2))),
        "weights must have at least as many columns as rows; got shape (3, 2). Use unmatched=0.0",
    ),
    "unmatched": (
        lambda: hh.Matching(SQUARE, unmatched=[0.0]),
        "unmatched must be a number, or one per row (4); got 1",
    ),
    "dead row": (lambda: hh.Matching([[0.0, 1.0], [-np.inf, -np.inf]]), "row 1 has no allowed label"),
    "crowd": (
        lambda: hh.Matching([[0.0, -np.inf], [0.0, -np.inf]]),
        "no matching is allowed: too many weights are -inf",
    ),
    "arcs": (
        lambda: hh.Arborescence(np.zeros((4, 3))),
        "arc_scores must have shape (n, n + 1), a row per word and a column per head with the root first, or "
        "(n, n + 1, R); got (4, 3).",
    ),
    "no words": (lambda: hh.Arborescence(np.zeros((1, 1))), "arc_scores must have shape (n, n + 1)"),
    "no relations": (lambda: hh.Arborescence(np.zeros((2, 3, 0))), "arc_scores must have shape (n, n + 1)"),
    "dead word": (lambda: hh.Arborescence([[-np.inf, 5.0]]), "word 1 has no allowed label"),
    "no way from the root": (
        lambda: hh.Arborescence([[-np.inf, 0.0, 0.0], [-np.inf, 0.0, 0.0]]),
        "no arborescence is allowed: too many arc_scores are -inf. Allow more arcs.",
    ),
    "emissions": (lambda: hh.Chain(np.zeros((0, 2)), np.zeros((2, 2))), "at least one position and one label"),
    "labeling shape": (lambda: MODEL.score([0, 1]), "labelings must have shape (3,) or (m, 3); got (2,)"),
    "label range": (lambda: MODEL.score([0, 1, 2]), "variable 2 takes labels 0..1; got 2"),
    "label fraction": (lambda: MODEL.score([0.5, 0, 1]), "labelings must be whole numbers"),
}


@pytest.mark.parametrize("name", MODEL_ERRORS)
def test_model_errors(name):
    action, text = MODEL_ERRORS[name]
    refuses(ValueError, text, action)


DIVERSITY_ERRORS = {
    "unknown h": (lambda: hh.LabelCoverage(h="cube"), 'h must be "count", "sqrt", "log" or a function; got \'cube\''),
    "convex h": (lambda: hh.LabelCoverage(h=lambda k: k**2), "h must be concave (each further labeling adds less)"),
    "h(0)": (lambda: hh.VariableCoverage(h=lambda k: k + 1), "h(0) must be 0"),
    "falling h": (lambda: hh.VariableCoverage(h=lambda k: -k), "h must be nondecreasing; h(0) = 0 but h(1) = -1"),
    "NaN h": (lambda: hh.VariableCoverage(h=lambda k: float("nan") if k else 0.0), "h must be finite; h(1) is not"),
    "parsimony": (lambda: hh.LabelCoverage(parsimony="big"), "parsimony must be a number or \"auto\"; got 'big'"),
    "ignore": (
        lambda: hh.LabelCoverage(ignore=(7,)).value(MODEL, []),
        "ignore names label 7, but the model's labels are 0..1",
    ),
    "min_share": (lambda: hh.LabelCoverage(min_share=2.0), "min_share must be between 0 and 1; got 2"),
    "ball of nothing": (lambda: hh.HammingBall(), "needs gamma (smooth balls) or radius (exact balls), and not both"),
    "gamma": (lambda: hh.HammingBall(gamma=0.0), "gamma must be > 0 and finite; got 0.0"),
    "radius": (lambda: hh.HammingBall(radius=0), "radius must be at least 1; got 0"),
    "steer": (
        lambda: hh.HammingBall(gamma=1.0, steer="left"),
        'steer must be "exact", "sum" or "clamped"; got \'left\'',
    ),
    "ball weights": (lambda: hh.HammingBall(radius=2, weights=[1.0]), "weights need smooth balls"),
    "weights length": (
        lambda: hh.HammingBall(gamma=1.0, weights=[1.0]).value(MODEL, []),
        "weights must have one entry per variable (3); got 1",
    ),
    "unknown steering": (lambda: hh.LinearHamming(steer="sum"), 'steer must be "exact" or "half"; got \'sum\''),
    "negative weights": (lambda: hh.LinearHamming([-1.0, 0.0, 0.0]), "weights must be nonnegative; got -1"),
    "empty region": (lambda: hh.RegionCoverage([[0], []]), "none may be empty"),
    "region outside": (lambda: hh.RegionCoverage([[9]]).value(MODEL, []), "region 0 names a variable outside 0..2"),
    "region twice": (lambda: hh.RegionCoverage([[1, 1]]), "a region names a variable twice"),
    "samples": (lambda: hh.ExpectedBest([0, 1]), "samples must hold at least one labeling"),
    "sample labels": (lambda: hh.ExpectedBest([[0, 1, 5]]).value(MODEL, []), "variable 2 takes labels 0..1; got 5"),
    "negative factor": (lambda: -1.0 * BALL, "a diversity's coefficient must be >= 0 and finite; got -1.0"),
    "mixed counts": (
        lambda: hh.HammingBall(radius=1).value(hh.FactorGraph([[0.0], [0.0, 1.0]]), []),
        "exact balls need the same number of labels everywhere. Use gamma instead of radius.",
    ),
}


@pytest.mark.parametrize("name", DIVERSITY_ERRORS)
def test_diversity_errors(name):
    action, text = DIVERSITY_ERRORS[name]
    refuses(ValueError, text, action)


SELECTION_ERRORS = {
    "m = 0": (lambda: hh.diverse(MODEL, BALL, m=0), "m must be at least 1; got 0"),
    "m < 0": (lambda: hh.diverse(MODEL, BALL, m=-2), "m must be at least 1; got -2"),
    "negative tradeoff": (lambda: hh.diverse(MODEL, BALL, tradeoff=-1.0), "tradeoff must be >= 0 and finite; got -1.0"),
    "NaN tradeoff": (
        lambda: hh.diverse(MODEL, BALL, tradeoff=float("nan")),
        "tradeoff must be >= 0 and finite; got nan",
    ),
    "method": (
        lambda: hh.diverse(MODEL, BALL, method="best"),
        'method must be "greedy", "distorted", "joint" or "auto"; got',
    ),
    "oracle": (
        lambda: hh.diverse(MODEL, BALL, oracle="magic"),
        'unknown oracle \'magic\'; known ones are "auto", "tree", "graphcut", ',
    ),
    "distinct": (
        lambda: hh.diverse(MODEL, BALL, distinct="maybe"),
        "distinct must be True, False or \"auto\"; got 'maybe'",
    ),
    "min_distance": (
        lambda: hh.diverse(MODEL, BALL, min_distance=9),
        "min_distance must be a number of variables (at most 3)",
    ),
    "min_distance of a flag": (
        lambda: hh.diverse(MODEL, BALL, min_distance=True),
        "min_distance must be a number of variables, or a share below 1; got True. Use distinct=True.",
    ),
    "regions outside": (lambda: hh.samples(MODEL, 2, regions=[[0, 7]]), "region 0 names a variable outside 0..2."),
    "map of regions": (
        lambda: hh.samples(MODEL, 2, regions=np.array([0, 1])),
        "a map of regions must have shape (3,); got (2,).",
    ),
    "pool too small": (
        lambda: hh.select([[0, 0, 0]], MODEL, BALL, m=2),
        "m must be at most the number of allowed labelings in the pool (1); got 2",
    ),
    "no parts": (lambda: hh.portfolio(MODEL, []), "diversities must name at least one diversity"),
    "tradeoffs": (lambda: hh.portfolio(MODEL, [BALL], tradeoff=[1.0, 2.0]), "one per diversity (1); got 2"),
    "more": (lambda: hh.diverse(MODEL, BALL, m=1).more(0), "k must be at least 1; got 0"),
    "distorted more": (
        lambda: hh.diverse(MODEL, BALL, m=2, method="distorted").more(1),
        "Call hh.diverse with a larger m",
    ),
    "tree with cycle": (
        lambda: hh.best(hh.FactorGraph(UNARY, [[0, 1], [1, 2], [0, 2]], 1.0), oracle="tree"),
        'oracle "tree" cannot solve this step: the model\'s edges contain a cycle. Use oracle="graphcut" or ',
    ),
    "tree with labels": (
        lambda: hh.best(MODEL, [hh.potentials.LabelWeights([1.0, -1.0])], oracle="tree"),
        "it handles linear potentials only, not LabelWeights",
    ),
    "too many labelings": (
        lambda: hh.best(hh.FactorGraph(np.zeros((40, 2))), oracle="exhaustive"),
        "about 10^12 labelings are more than 2^22",
    ),
    "nobody can": (
        lambda: hh.best(hh.FactorGraph(np.zeros((40, 2))), [hh.potentials.Function(lambda y: 0.0)]),
        "no oracle can solve this step (Function): tree: it handles linear potentials only, not Function; graphcut:",
    ),
}


@pytest.mark.parametrize("name", SELECTION_ERRORS)
def test_selection_errors(name):
    action, text = SELECTION_ERRORS[name]
    refuses(ValueError, text, action)


POTENTIAL_ERRORS = {
    "Linear": (hh.potentials.Linear(np.zeros((2, 2))), "theta must have shape (3, 2) (variables, labels); got (2, 2)"),
    "LabelWeights": (hh.potentials.LabelWeights([1.0]), "w must have one weight per label (2); got 1"),
    "TransitionWeights": (hh.potentials.TransitionWeights(np.zeros((3, 3))), "w must have shape (2, 2); got (3, 3)"),
    "Cardinality": (hh.potentials.Cardinality([0, 0], [0.0, 1.0, 2.0]), "reference must have 3 labels; got 2"),
    "RegionWeights": (hh.potentials.RegionWeights([[0]], [[1.0]]), "mu must have one column per label (2)"),
    "Envelope": (hh.potentials.Envelope([0.0], np.zeros((1, 2, 2))), "w must have shape (functions, 3, 2)"),
    "BallCoverage": (hh.potentials.BallCoverage([[0, 0]], [1.0, 1.0]), "chosen labelings must have 3 labels; got 2"),
}


@pytest.mark.parametrize("name", POTENTIAL_ERRORS)
def test_potentials_that_do_not_fit(name):
    potential, text = POTENTIAL_ERRORS[name]
    refuses(ValueError, text, lambda: hh.best(MODEL, [potential]))


def test_potentials_refuse_nonsense():
    refuses(
        ValueError, "w must be symmetric for unordered pairs", lambda: hh.potentials.TransitionWeights([[0, 1], [2, 0]])
    )
    refuses(ValueError, "table must have 4 entries", lambda: hh.potentials.Cardinality([0, 0, 0], [0.0]))
    refuses(ValueError, "a potential's factor must be >= 0", lambda: -1.0 * hh.potentials.Constant(1.0))
    refuses(ValueError, "a table needs whole-number weights", lambda: hh.potentials.Cardinality([0], [0.0], [0.5]))


def test_wrong_types():
    refuses(TypeError, "m must be a whole number; got 2.5", lambda: hh.diverse(MODEL, BALL, m=2.5))
    refuses(ValueError, 'tradeoff must be "auto", a number', lambda: hh.diverse(MODEL, BALL, tradeoff="much"))
    refuses(TypeError, "tradeoff must be a number; got None", lambda: hh.diverse(MODEL, BALL, tradeoff=None))
    refuses(TypeError, "diversity must be a Diversity", lambda: hh.diverse(MODEL, "different", m=2))
    refuses(TypeError, "only diversities can be added; got 3", lambda: BALL + 3)
    refuses(TypeError, "unary must be an array of numbers", lambda: hh.FactorGraph(np.array([["a"]])))
    refuses(TypeError, "must define groups(labeling)", lambda: hh.Diversity().value(MODEL, [[0, 0, 0]]))


def test_what_is_no_model_diversity_oracle_or_potential():
    refuses(TypeError, "model must be a model such as hh.Grid(scores); got str", lambda: hh.best("picture"))
    refuses(TypeError, "model must be a model", lambda: hh.diverse(np.zeros((2, 2, 2)), BALL))
    refuses(TypeError, "diversity must be a Diversity", lambda: hh.select([[0, 0, 0]], MODEL, "x"))
    refuses(TypeError, "potentials must be hh.potentials records; got 3", lambda: hh.best(MODEL, [3]))
    refuses(TypeError, "Call it: Ilp()", lambda: hh.best(MODEL, oracle=hh.oracles.Ilp))
    refuses(TypeError, "diversities must be a list", lambda: hh.portfolio(MODEL, BALL))
    refuses(ValueError, "pool must be labelings stacked", lambda: hh.select([0, 0, 0], MODEL, BALL, m=1))
    refuses(ValueError, "unknown oracle []", lambda: hh.best(MODEL, oracle=[]))
    refuses(ValueError, "h must be", lambda: hh.LabelCoverage(h=[0, 1]))
    refuses(ValueError, "parsimony must be a number", lambda: hh.GroupCoverage(lambda y: [], parsimony="x"))
    refuses(ValueError, "distinct must be True, False", lambda: hh.diverse(MODEL, BALL, distinct=1))
    refuses(ValueError, "none may be empty", lambda: hh.RegionCoverage(np.full(3, -1)))
    refuses(ValueError, "labelings must all have the same length", lambda: MODEL.score([[0], [0, 1]]))


SETTINGS = {
    "no iterations": (lambda: hh.oracles.Trws(iterations=0), "iterations must be at least 1; got 0."),
    "half an iteration": (lambda: hh.oracles.Trws(warm=0.5), "warm must be a whole number; got 0.5."),
    "negative rounds": (lambda: hh.oracles.Qpbo(rounds=-1), "rounds must be at least 0; got -1."),
    "words": (lambda: hh.oracles.Swap(rounds="many"), "rounds must be a whole number; got 'many'."),
    "fewer than no rounds": (lambda: hh.oracles.Expansion(bound_rounds=-1), "bound_rounds must be at least 0; got -1."),
    "no flag": (lambda: hh.oracles.Cycles(anneal="no"), "anneal must be True or False; got 'no'."),
    "negative starts": (lambda: hh.oracles.Mplp(starts=-1), "starts must be at least 0; got -1."),
    "a name": (lambda: hh.oracles.Lagrangian(inner="trws"), "inner must be an oracle, such as hh.oracles.Trws()"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_oracles(name):
    make, message = SETTINGS[name]
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        make()


def test_things_in_the_place_of_others(tmp_path):
    model = hh.FactorGraph([[1.0, 0.0]] * 3)
    hh.diverse(model, m=2, tradeoff=1.0).save(tmp_path / "list.npz")
    with pytest.raises(ValueError, match=r"it is a list, which hh\.load opens"):
        hh.read(tmp_path / "list.npz")
    with pytest.raises(TypeError, match=r"found must be a list of hh\.diverse or hh\.load; got FactorGraph"):
        hh.verify(model, model)
    with pytest.raises(TypeError, match=r"groups must return the names of all groups, such as \[3\]; got 3"):
        hh.diverse(model, hh.GroupCoverage(lambda _: 3), m=2, tradeoff=1.0)
    with pytest.raises(TypeError, match=r"loss must return a number; got 'none'"):
        hh.diverse(model, m=2, tradeoff=1.0).choose(lambda *_: "none")
    with pytest.raises(
        TypeError, match=r"subject must be what hh\.metrics\.reliability or hh\.calibrate returns; got list"
    ):
        plot_reliability([0.5])


def test_forbidden_everything_is_infeasible():
    no_pair = np.full((2, 2), -np.inf)
    chain = hh.Chain(np.zeros((2, 2)), no_pair)
    for oracle in ("tree", "exhaustive", "ilp"):
        with pytest.raises(hh.InfeasibleError, match="no labeling is allowed"):
            hh.best(chain, oracle=oracle)


def test_missing_extra_names_itself(monkeypatch):
    from hedgehop import _errors

    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(_errors.importlib, "import_module", absent)
    with pytest.raises(
        hh.MissingExtraError, match=re.escape("found.plot needs matplotlib: pip install 'hedgehop[plot]'")
    ):
        _errors.need("matplotlib.figure", "plot", "found.plot")


def test_wrong_bound_is_an_error_not_a_certificate():
    class Boaster(hh.Oracle):
        name = "boaster"
        summary = "claims a bound below the truth"

        def refusal(self, model, potentials):
            return None

        def maximize(self, model, potentials):
            step = hh.best(model, potentials, "exhaustive")
            return hh.Step(step.labeling, step.value, step.value - 100.0, True, self.name, relevance=step.relevance)

    class Humble(hh.Diversity):
        def groups(self, labeling):
            return [tuple(labeling)]

        def offset(self, model, chosen, m):
            return -100.0

    with pytest.raises(hh.BoundError, match="above its upper bound"):
        hh.diverse(MODEL, Humble(), m=2, tradeoff=1.0, oracle=Boaster())
