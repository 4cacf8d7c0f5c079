# SPDX-License-Identifier: BSD-3-Clause
"""`hh.verify` finds what was changed in a list or its file, and says which claim it is."""

from __future__ import annotations

import itertools
from dataclasses import fields, replace

import numpy as np
import pytest

import hedgehop as hh

CHAIN = hh.Chain([[2.0, 1.5, 0.0], [0.0, 1.0, 0.8], [0.4, 0.0, 1.0], [1.0, 0.9, 0.0]], 0.5 * np.eye(3))
DIVERSITY = hh.VariableCoverage()


@pytest.fixture(scope="module")
def found():
    return hh.diverse(CHAIN, DIVERSITY, m=3, tradeoff=0.7, distinct=False, certify=False)


def raised(array, t, by):
    other = np.array(array)
    other[t] += by
    return other


def with_certificate(found, **changes):
    return replace(found, certificate=replace(found.certificate, **changes))


TAMPERED = {
    "relevance of labeling 1": lambda f: replace(f, relevance=raised(f.relevance, 1, 1e-4)),
    "gain of labeling 2": lambda f: replace(f, gains=raised(f.gains, 2, 1e-4)),
    "F of the list": lambda f: with_certificate(f, objective=f.objective + 1e-4),
    "baseline of the list": lambda f: with_certificate(f, baseline=f.certificate.baseline - 1e-3),
    "baseline of the list is": lambda f: with_certificate(f, baseline=f.certificate.baseline + 1e-3),
    "bound of step 0": lambda f: replace(f, bounds=raised(f.bounds, 0, -1e-3)),
    "bound of step 2": lambda f: replace(f, bounds=raised(f.bounds, 2, -1e-3)),
    "upper bound of the list": lambda f: with_certificate(f, upper_bound=max(f.upper_bound - 1e-3, f.objective)),
    "bound on lists by step 1": lambda f: with_certificate(f, online=tuple(raised(f.certificate.online, 1, -1e-3))),
    "monotone": lambda f: with_certificate(f, monotone=f.certificate.monotone - 1e-3),
    "product": lambda f: with_certificate(f, product=f.certificate.product - 1e-3),
    "share by the paper": lambda f: with_certificate(f, paper=replace(f.certificate.paper, share=0.99999)),
    "least": lambda f: with_certificate(f, least=f.certificate.least + 1e-3),
    "guarantee": lambda f: with_certificate(f, rounding=1.0),
    "differs from an earlier one": lambda f: with_certificate(f, apart=4, allowed=True),
    "not a number": lambda f: with_certificate(f, upper_bound=np.nan),
}  # fmt: skip


@pytest.mark.parametrize("claim", TAMPERED)
def test_a_changed_claim_is_named(found, claim, tmp_path):
    changed = TAMPERED[claim](found)
    changed.save(tmp_path / "list.npz")
    for tampered in (changed, hh.load(tmp_path / "list.npz")):
        with pytest.raises(hh.BoundError, match="upper bound" if claim == "not a number" else claim) as told:
            hh.verify(tampered, CHAIN, DIVERSITY)
        assert "the file was changed" in str(told.value)


@pytest.mark.parametrize(
    ("field", "claim"), [("bounds", "bound of step 2"), ("unlimited_bounds", "share|unlimited bound")]
)
def test_bounds_of_lists_that_must_differ_are_claims(field, claim, tmp_path):
    found = hh.diverse(CHAIN, DIVERSITY, m=3, tradeoff=0.1, min_distance=2, certify=False)
    assert found.unlimited_bounds[2] > found.bounds[2] + 1e-2
    replace(found, **{field: raised(getattr(found, field), 2, -1e-3)}).save(tmp_path / "list.npz")
    with pytest.raises(hh.BoundError, match=claim):
        hh.verify(hh.load(tmp_path / "list.npz"), CHAIN, DIVERSITY)


@pytest.mark.parametrize(("finder", "checker"), [("ilp", "auto"), ("auto", "ilp"), ("ilp", "ilp")])
def test_ties_of_what_a_list_is_compared_with_may_be_broken_by_another_oracle(finder, checker):
    compared = []
    for seed in (125, 137, 139, 144):
        random = np.random.default_rng(seed)
        chain = hh.Chain(random.integers(0, 3, (4, 3)).astype(float), random.integers(0, 2, (3, 3)).astype(float))
        found = hh.diverse(chain, DIVERSITY, m=3, tradeoff=0.5, oracle=finder, min_distance=3)
        proven = hh.verify(found, chain, oracle=checker)
        compared.append(proven.baseline - found.certificate.baseline)
        lower = min(proven.baseline, found.certificate.baseline) - 1e-2
        with pytest.raises(hh.BoundError, match="baseline of the list"):
            hh.verify(with_certificate(found, baseline=lower), chain, oracle=checker)
    assert any(compared) == (finder != checker)


def test_a_labeling_that_a_list_says_it_may_have_missed_is_no_lie():
    image = hh.Grid(np.random.default_rng(5).normal(size=(6, 6, 4)), smoothness=0.9)
    found = hh.diverse(image, DIVERSITY, m=2, tradeoff=0.3, oracle=hh.oracles.Trws(1, repair=False), certify=False)
    proven, said = hh.verify(found, image, oracle="ilp"), found.certificate
    assert said.baseline < proven.baseline - 1e-3
    assert proven.baseline <= said.baseline + said.baseline_gap
    for changes in ({"baseline_gap": 0.0}, {"baseline": proven.baseline - said.baseline_gap - 1e-3}):
        with pytest.raises(hh.BoundError, match="baseline"):
            hh.verify(with_certificate(found, **changes), image, oracle="ilp")


def test_what_inexact_steps_proved_is_proven_again():
    """Whatever steps the proof on all lists took before."""
    random = np.random.default_rng(409)
    height, width, labels = (int(random.integers(*r)) for r in ((20, 110), (20, 110), (2, 7)))
    scores = random.normal(size=(height, width, labels))
    for _ in range(int(random.integers(0, 3))):
        scores = (scores + np.roll(scores, 1, 0) + np.roll(scores, 1, 1)) / 2
    image = hh.Grid(scores, smoothness=float(random.choice([0.1, 0.4, 1.0])))
    diversity = hh.VariableCoverage("sqrt", weights=random.random(height * width))
    found = hh.diverse(image, diversity, m=4, tradeoff=1.0, distinct=False, certify=3)
    assert hh.verify(found, image, diversity).objective == pytest.approx(found.objective)


def test_the_list_tampered_with_has_a_gap(found):
    """Or lowering its bound would be no lie, and rounding no gain."""
    assert found.upper_bound - found.objective > 2e-3
    assert found.guarantee < 0.999


def test_a_step_that_is_not_the_best_is_not_exact():
    model = hh.FactorGraph(np.tile([0.0, -0.24], (3, 1)))
    worse = hh.diverse(model, DIVERSITY, m=3, tradeoff=1.0, method="distorted", distinct=False)
    assert not worse.exact.all()
    assert hh.verify(worse, model, DIVERSITY).objective == worse.objective
    with pytest.raises(hh.BoundError, match="called exact"):
        hh.verify(replace(worse, exact=np.ones(3, bool)), model, DIVERSITY)


@pytest.mark.parametrize("claim", ["monotone", "product"])
def test_bounds_for_monotone_functions_are_refused_where_f_is_not(claim):
    diversity = hh.LabelCoverage(parsimony=-1.0)
    honest = hh.diverse(CHAIN, diversity, m=2, tradeoff=0.7, distinct=False, certify=False)
    assert getattr(honest.certificate, claim) is None
    assert hh.verify(honest, CHAIN, diversity).objective == honest.objective
    with pytest.raises(hh.BoundError, match=f"{claim} bound of the list is None"):
        hh.verify(with_certificate(honest, **{claim: honest.upper_bound + 9.0}), CHAIN, diversity)


def test_a_gap_that_another_solver_finds_smaller_is_at_least_half_as_large():
    random = np.random.default_rng(1)
    edges = list(itertools.combinations(range(8), 2))
    model = hh.FactorGraph(5.0 + random.normal(size=(8, 3)), edges, random.normal(size=(len(edges), 3, 3)))
    honest = hh.diverse(model, DIVERSITY, m=2, tradeoff=0.5, distinct=False, certify=False, oracle="trws")
    gap = honest.upper_bound - honest.objective
    assert not honest.exact.any()
    assert gap > 1.0
    assert hh.verify(honest, model, DIVERSITY, oracle="trws").objective == honest.objective
    with pytest.raises(hh.BoundError, match="upper bound of the list"):
        hh.verify(with_certificate(honest, upper_bound=honest.objective + 0.4 * gap), model, DIVERSITY, oracle="trws")
    less = 0.45 * honest.certificate.baseline_gap
    with pytest.raises(hh.BoundError, match="baseline_gap of the list"):
        hh.verify(with_certificate(honest, baseline_gap=less), model, DIVERSITY, oracle="trws")
    for oracles, compared in ((("trws", "expansion"), True), (("expansion", "trws"), False)):  # the first one counts
        other = replace(with_certificate(honest, baseline_gap=less), oracles=oracles)
        if compared:
            with pytest.raises(hh.BoundError, match="baseline_gap of the list"):
                hh.verify(other, model, DIVERSITY, oracle="trws")
        else:
            assert hh.verify(other, model, DIVERSITY, oracle="trws").objective == honest.objective
    smaller = with_certificate(
        honest, upper_bound=honest.objective + 0.55 * gap, baseline_gap=0.55 * honest.certificate.baseline_gap
    )
    assert hh.verify(smaller, model, DIVERSITY, oracle="trws").objective == honest.objective
    lower = raised(honest.bounds, 1, -0.6 * (honest.bounds[1] - honest.gains[1]))
    with pytest.raises(hh.BoundError, match="bound of step 1"):
        hh.verify(with_certificate(replace(honest, bounds=lower), online=(), paper=None), model, DIVERSITY, "trws")


def test_shapes_are_claims_too(found):
    with pytest.raises(hh.BoundError, match="bounds of the list has shape"):
        hh.verify(replace(found, bounds=found.bounds[:2]), CHAIN, DIVERSITY)


OPTIONS = [{}, {"distinct": True}, {"min_distance": 2}, {"method": "distorted"}, {"refine": True}]
SHAPES = ["chain", "grid", "two labels", "tree"]
JOINT = ("two labels", {"method": "joint", "distinct": False})


@pytest.mark.parametrize(("shape", "options"), [*itertools.product(SHAPES, OPTIONS), JOINT])
def test_honest_lists_pass(shape, options, tmp_path):
    random = np.random.default_rng(3)
    models = {
        "chain": CHAIN,
        "grid": hh.Grid(random.normal(size=(3, 3, 3)), smoothness=0.4),
        "two labels": hh.Grid(random.normal(size=(4, 4, 2)), smoothness=0.4),
        "tree": hh.SpanningTree([[0, 1], [1, 2], [0, 2], [2, 3], [1, 3]], [1.0, 2.0, 0.5, 1.5, 0.7]),
    }
    for diversity in (DIVERSITY, hh.HammingBall(gamma=0.3)) if shape == "chain" else (DIVERSITY,):
        found = hh.diverse(models[shape], diversity, 3, 0.8, certify=3, **options)
        found.save(tmp_path / "list.npz")
        again = hh.verify(hh.load(tmp_path / "list.npz"), models[shape], diversity)
        assert again.objective <= again.upper_bound


@pytest.mark.parametrize("tradeoff", [0.0, 0.7])
@pytest.mark.parametrize("diversity", [DIVERSITY, hh.LinearHamming()])
def test_single_joint_labelings_pass(diversity, tradeoff):
    model = hh.Grid(np.random.default_rng(0).normal(size=(3, 4, 2)), smoothness=0.4)
    found = hh.diverse(model, diversity, 1, tradeoff, method="joint")
    assert hh.verify(found, model, diversity).upper_bound == pytest.approx(found.objective)


def test_lists_that_were_improved_pass():
    better = hh.diverse(CHAIN, DIVERSITY, 3, 0.8).improve(6)
    assert hh.verify(better, CHAIN, DIVERSITY).objective == pytest.approx(better.objective)


def test_every_field_is_looked_at():
    """A new field is either checked, or named here as no claim about the list."""
    words = {
        "seconds",
        "oracles",
        "diversity",
        "method",
        "model",
        "sources",
        "indices",
        "_more",
        "_improver",
        "_view",
        "_uncertainty",  # probabilities: about the truth, not about other lists
        "tradeoff",
    }
    checked = {"labelings", "relevance", "gains", "bounds", "unlimited_bounds", "exact", "certificate"}
    assert {f.name for f in fields(hh.DiverseList)} == words | checked


@pytest.mark.parametrize(
    "diversity", [hh.VariableCoverage("sqrt"), 0.5 * hh.LinearHamming() + hh.HammingBall(gamma=0.5), hh.LabelCoverage()]
)
def test_the_diversity_is_taken_from_its_name(diversity, tmp_path):
    found = hh.diverse(CHAIN, diversity, m=3, tradeoff=2.0)
    found.save(tmp_path / "list.npz")
    again = hh.verify(hh.load(tmp_path / "list.npz"), CHAIN)
    assert again.objective == hh.verify(found, CHAIN, diversity).objective


@pytest.mark.parametrize("name", ["RegionCoverage(4 regions, h='log')", "LinearHamming(weights=...)", "exit()", "1 +"])
def test_a_name_that_does_not_say_everything_is_no_diversity(name):
    found = hh.diverse(CHAIN, DIVERSITY, m=2, tradeoff=2.0)
    with pytest.raises(ValueError, match="diversity must be given for this list"):
        hh.verify(replace(found, diversity=name), CHAIN)


@pytest.mark.parametrize("limits", [{"distinct": True}, {"min_distance": 4}], ids=["different", "apart"])
def test_steps_that_must_differ_keep_the_bounds_of_those_that_need_not(limits):
    """A step at a distance can be bounded less tightly than the one without; the smaller bound holds for both."""
    rng = np.random.default_rng(5)
    side = int(rng.integers(5, 10))
    model = hh.Grid(rng.normal(size=(side, side, 3)), smoothness=0.5)
    regions = hh.RegionCoverage((np.arange(side * side) // (2 * side)).reshape(side, side))
    found = hh.diverse(model, regions, m=3, tradeoff=2.0, certify=False, **limits)
    assert hh.verify(found, model, regions).objective == found.objective


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of sums that overflow
def test_an_infinite_bound_claims_nothing_false():
    """Beside scores near the largest number, bounds overflow: the list is honest all the same."""
    model = hh.GraphMatching([(0, 1), (1, 2), (2, 0), (2, 3)], [0.19, -0.52, 1.7e308, 1e300])
    found = hh.diverse(model, hh.LabelCoverage(), m=3, tradeoff=0.0, distinct=True, certify=False).certify(2)
    assert np.inf in found.certificate.online
    assert hh.verify(found, model, hh.LabelCoverage()).objective == found.objective
