# SPDX-License-Identifier: BSD-3-Clause
"""How sure a list is, against definitions; what to take; reports, files and plots with probabilities."""

import pickle

import numpy as np
import pytest
from scipy.special import softmax

import hedgehop as hh
from hedgehop.testing import all_labelings

CHAIN = hh.Chain([[1.0, 0.0, 0.2], [0.3, 0.0, 0.1], [0.0, 0.4, 0.0], [0.5, 0.0, 0.0]], transitions=0.5 * np.eye(3))


def every(model, temperature=1.0):
    rows = all_labelings(model)
    return rows, softmax(np.asarray(model.score(rows), np.float64).reshape(-1) / temperature)


@pytest.fixture(scope="module")
def found():
    return hh.diverse(CHAIN, hh.VariableCoverage(), m=3, tradeoff=2.0)


def test_probabilities_are_shares_of_what_is_nearest(found):
    rows, chances = every(CHAIN)
    same = (found.labelings[:, None] == rows[None]).sum(axis=2)
    best = same == same.max(axis=0)
    assert found.probabilities == pytest.approx((best / best.sum(axis=0)) @ chances, abs=1e-12)
    assert found.probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert found.none_of_these == pytest.approx(chances[same.max(axis=0) < 4].sum(), abs=1e-12)


def test_the_map_is_of_marginals(found):
    exact = hh.marginals(CHAIN)
    assert found.sure == pytest.approx(exact.probabilities.max(axis=1), abs=1e-12)
    assert found.entropy == pytest.approx(exact.entropy, abs=1e-12)


@pytest.mark.parametrize("loss", ["accuracy", "hamming"])
def test_the_choice_has_the_least_expected_loss(found, loss):
    rows, chances = every(CHAIN)
    wrong = (found.labelings[:, None] != rows[None]).sum(axis=2) @ chances
    choice = found.choose(loss)
    assert choice.losses == pytest.approx(wrong / (4 if loss == "accuracy" else 1), abs=1e-12)
    assert choice.index == int(wrong.argmin())
    assert np.array_equal(np.asarray(choice), found.labelings[choice.index])
    whole = found.choose(loss, among="all")
    assert whole.index is None
    assert whole.losses.tolist() == choice.losses.tolist()
    assert not whole.losses.flags.writeable
    assert not whole.labeling.flags.writeable
    assert whole.expected_loss == pytest.approx(((rows[:, None] != rows).sum(axis=2) @ chances).min() / (
        4 if loss == "accuracy" else 1), abs=1e-12)  # fmt: skip
    assert np.array_equal(whole.labeling, hh.consensus(CHAIN))
    assert np.array_equal(whole.labeling, hh.consensus(found))


def test_a_temperature_does_not_depend_on_the_one_before(found):
    """Temperatures divide scores: a second one replaces the first."""
    for model in (CHAIN, hh.Chain(np.random.default_rng(4).normal(size=(20, 3)), np.eye(3))):  # all labelings; samples
        plain = hh.diverse(model, m=3)
        cold = hh.weigh(plain, temperature=0.05)
        assert not np.allclose(cold.probabilities, plain.probabilities)
        np.testing.assert_array_equal(hh.weigh(cold, temperature=1.0).probabilities, plain.probabilities)
        np.testing.assert_array_equal(hh.weigh(cold, temperature=2.0).sure, hh.weigh(plain, temperature=2.0).sure)


def test_weights_stay_if_the_temperature_changes(found):
    weighted = hh.weigh(hh.weigh(found, weights=[9.0, 1.0, 1.0, 1.0]), temperature=0.5)
    together = hh.weigh(found, weights=[9.0, 1.0, 1.0, 1.0], temperature=0.5)
    np.testing.assert_array_equal(weighted.probabilities, together.probabilities)


def test_a_temperature_that_changes_nothing_causes_a_warning(found):
    drawn = hh.weigh(found, samples=hh.samples(CHAIN, 50))
    with pytest.warns(UserWarning, match="equal chances"):
        hh.weigh(drawn, temperature=3.0)


def test_a_function_gets_labelings_as_the_user_sees_them():
    grid = hh.Grid(np.random.default_rng(0).normal(size=(2, 3, 2)), smoothness=0.3)
    lists = [hh.diverse(grid, m=2), hh.segmentation.from_scores(np.zeros((6, 8, 2)), n_segments=4).suggest(m=2)]
    for found in lists:
        shapes = set()

        def loss(labeling, truth, shapes=shapes):
            shapes.update([labeling.shape, truth.shape])
            return float((labeling != truth).any(axis=1).mean())

        assert found.choose(loss).losses.shape == (len(found),)
        assert shapes == {found.labelings.shape[1:]}


def test_a_function_is_a_loss(found):
    rows, chances = every(CHAIN)
    exact = found.choose(lambda labeling, truth: float((labeling != truth).any()))
    missed = 1.0 - (found.labelings[:, None] == rows[None]).all(axis=2) @ chances
    assert exact.losses == pytest.approx(missed, abs=1e-12)
    with pytest.raises(ValueError, match="finite"):
        found.choose(lambda labeling, truth: np.nan)
    with pytest.raises(ValueError, match="among must be 'list' for loss"):
        found.choose("iou", among="all")


def test_overlap_by_its_definition():
    """Two possible truths, equally likely: expected intersection over expected union of each label."""
    found = hh.diverse(hh.Chain(np.zeros((4, 2))), hh.LinearHamming(), m=2)
    rows = np.array([[0, 0, 1, 1], [0, 1, 1, 1]])
    weighed = hh.weigh(found, samples=rows)
    p = rows.mean(axis=0)
    for row, loss in zip(weighed.labelings, weighed.choose("iou").losses, strict=True):
        shares = []
        for label, chance in ((0, 1 - p), (1, p)):
            both = chance[row == label].sum()
            shares.append((both / ((row == label).sum() + chance.sum() - both), (row == label).any()))
        counts = [1.0 if there else 0.5 for _, there in shares]
        assert loss == pytest.approx(1.0 - np.dot([s for s, _ in shares], counts) / np.sum(counts))


def test_temperatures_flatten(found):
    for temperature in (0.2, 5.0):
        rows, chances = every(CHAIN, temperature)
        same = (found.labelings[:, None] == rows[None]).sum(axis=2)
        best = same == same.max(axis=0)
        weighed = hh.weigh(found, temperature=temperature)
        assert weighed.probabilities == pytest.approx((best / best.sum(axis=0)) @ chances, abs=1e-9)
    assert hh.weigh(found, temperature=1e6).entropy == pytest.approx(np.log(3.0), abs=1e-4)
    given = hh.weigh(found, samples=found.labelings, chances=[3.0, 1.0, 0.0])
    assert given.probabilities.tolist() == [0.75, 0.25, 0.0]
    assert hh.weigh(given, temperature=1e9).probabilities == pytest.approx(np.array([0.5, 0.5, 0.0]))


def test_samples_stand_for_large_models():
    random = np.random.default_rng(0)
    chain = hh.Chain(random.normal(size=(60, 4)), np.eye(4))
    found = hh.diverse(chain, m=3)
    assert found.probabilities.sum() == pytest.approx(1.0)
    assert found._figures.origin == "500 exact samples"
    assert found.sure == pytest.approx(hh.marginals(chain).probabilities.max(axis=1), abs=0.1)
    noisy = hh.diverse(hh.Grid(random.normal(size=(12, 12, 3)), smoothness=1.0), m=2)
    assert noisy._figures.origin == "60 samples by noise"
    assert noisy.sure.shape == noisy.entropy.shape == (12, 12)


@pytest.mark.parametrize("model", [
    hh.Arborescence(np.random.default_rng(0).normal(size=(5, 6))),
    hh.Matching(np.random.default_rng(0).normal(size=(4, 4))),
    hh.SpanningTree([[0, 1], [1, 2], [0, 2], [2, 3], [1, 3]], np.random.default_rng(0).normal(size=5)),
    hh.Chain(np.zeros((4, 3)), np.where(np.eye(3) > 0, -np.inf, 0.0)),
], ids=repr)  # fmt: skip
def test_a_consensus_fits_together(model):
    rows, chances = every(model)
    allowed = np.isfinite(np.asarray(model.score(rows)).reshape(-1))
    labeling = hh.consensus(model)
    assert np.isfinite(model.score(labeling))
    if not isinstance(model, hh.Chain):
        wrong = (rows[allowed][:, None] != rows[None]).sum(axis=2) @ chances
        assert (labeling.reshape(-1) != rows).sum(axis=1) @ chances == pytest.approx(wrong.min(), abs=1e-9)


def test_reports_pictures_and_files_know_it_once_it_is_known(tmp_path):
    found = hh.diverse(CHAIN, m=3)
    assert not found.is_weighed
    assert "likely" not in found.report() + found._repr_html_()
    found.save(tmp_path / "plain.npz")
    plain = hh.load(tmp_path / "plain.npz")
    assert not plain.is_weighed
    with pytest.raises(ValueError, match=r"hh\.weigh"):
        _ = plain.probabilities
    said = f"{found.probabilities[0]:.1%}"
    assert said in found.report()
    assert f"{(found.sure > 0.95).mean():.0%} of the variables have a label with a probability" in found.report()
    assert "likely" in found._repr_html_()
    found.save(tmp_path / "weighed.npz")
    for back in (hh.load(tmp_path / "weighed.npz"), pickle.loads(pickle.dumps(found))):
        assert back.probabilities == pytest.approx(found.probabilities)
        assert back.none_of_these == found.none_of_these
        assert back.sure == pytest.approx(found.sure, abs=1e-6)
        assert said in back.report()
        with pytest.raises(ValueError, match=r"hh\.weigh"):
            back.choose("accuracy")
    again = hh.weigh(plain, CHAIN)
    assert again.probabilities == pytest.approx(found.probabilities)
    assert again.choose("accuracy").index == found.choose("accuracy").index


def test_figures_of_another_list_are_refused(tmp_path):
    found = hh.weigh(hh.diverse(CHAIN, m=3))
    found.save(tmp_path / "list.npz")
    with np.load(tmp_path / "list.npz") as held:
        arrays = dict(held)
    arrays["sure.probabilities"] = np.array([0.9, 0.9, 0.9])
    np.savez(tmp_path / "list.npz", **arrays)
    with pytest.raises(ValueError, match="do not sum to 1"):
        hh.load(tmp_path / "list.npz")


def test_pictures_show_probabilities():
    pytest.importorskip("matplotlib")
    grid = hh.weigh(hh.diverse(hh.Grid(np.zeros((3, 3, 2)), smoothness=0.5), m=2))
    texts = [text.get_text() for axes in grid.plot().axes for text in axes.texts]
    assert any(text.startswith("likely ") for text in texts)
    rows = [text.get_text() for axes in hh.weigh(hh.diverse(CHAIN, m=2)).plot().axes for text in axes.texts]
    assert "likely" in rows


@pytest.mark.parametrize(("call", "text"), [
    (lambda f: hh.weigh(f.labelings), "found must be a list"),
    (lambda f: hh.weigh(f, chances=[1.0]), "chances must come with samples"),
    (lambda f: hh.weigh(f, samples=f.labelings[0]), "stacked along a first axis"),
    (lambda f: hh.weigh(f, samples=np.zeros((2, 9), int)), "labelings must have shape"),
    (lambda f: hh.weigh(f, samples=[[2**40] * 4]), "labels that fit the list"),
    (lambda f: hh.weigh(f, samples=f.labelings, chances=[0, 0, 0]), "not all zero"),
    (lambda f: hh.weigh(f, samples=f.labelings, chances=[1, -1, 0]), "nonnegative"),
    (lambda f: hh.weigh(f, samples=f.labelings, chances=[1, np.nan, 0]), "NaN"),
    (lambda f: hh.weigh(f, samples=f.labelings, weights=np.zeros(4)), "weights must not all be zero"),
    (lambda f: hh.weigh(f, temperature=0.0), "temperature must be > 0"),
    (lambda f: hh.weigh(f, hh.Chain(np.zeros((3, 2)))), "labelings must have shape"),
    (lambda f: hh.weigh(f, k=0), "k must be at least 1"),
    (lambda f: f.choose("dice"), "loss must be"),
    (lambda f: f.choose(margin=-0.1), "margin must be"),
    (lambda f: f.choose("iou", among="some"), "among must be"),
])  # fmt: skip
def test_wrong_arguments_are_refused(found, call, text):
    with pytest.raises((ValueError, TypeError), match=text):
        call(found)


def test_lists_of_one_labeling_are_sure_of_it():
    found = hh.diverse(hh.Chain([[0.0], [0.0]]), m=1)
    assert (found.probabilities.tolist(), found.none_of_these, found.sure.tolist()) == ([1.0], 0.0, [1.0, 1.0])
    assert found.entropy.tolist() == [0.0, 0.0]
    assert found.choose("iou").expected_loss == pytest.approx(0.0)


def test_with_a_margin_another_labeling_must_be_better_than_the_first_by_that_much():
    found = hh.diverse(hh.Chain([[0.0, 0.0], [1.0, 0.0]]), hh.LinearHamming(), m=2, tradeoff=1.0)
    second = found.labelings[1]
    surer = hh.weigh(found, samples=second[None])  # the truth is the second one
    gain = surer.choose("hamming").losses[0]
    assert gain >= 1.0
    assert surer.choose("hamming", margin=gain - 1e-9).index == 1
    first = surer.choose("hamming", margin=gain + 1e-9)
    assert (first.index, first.expected_loss) == (0, gain)
    for margin, index in ((gain - 1e-9, None), (gain + 1e-9, 0)):
        assert surer.choose("hamming", among="all", margin=margin).index == index
