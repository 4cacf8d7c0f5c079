# SPDX-License-Identifier: BSD-3-Clause
"""Re-ranking learns what can be learned, takes the first one otherwise, and is the same after saving."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hedgehop as hh
from hedgehop.learning import Reranker
from hedgehop.learning.list_features import FEATURE_NAMES, list_features


@pytest.fixture(scope="module")
def data():
    """Lists whose best labeling is the one farthest from the rest, which a feature says."""
    random = np.random.default_rng(0)
    lists = [hh.diverse(hh.Chain(random.normal(size=(6, 3)), np.zeros((3, 3))), m=4) for _ in range(60)]
    far = FEATURE_NAMES.index("distance to rest")
    return lists, [1.0 - list_features(found)[:, far] for found in lists]


@pytest.mark.parametrize("kind", ["regression", "pairwise"])
def test_it_learns_what_features_say(data, kind, tmp_path):
    lists, losses = data
    machine = Reranker(kind=kind, margin=0.0).fit(lists[:40], losses=losses[:40])
    best = [cost.min() for cost in losses[40:]]
    first = 1.0 - np.mean([cost[0] for cost in losses[40:]])
    reached = machine.score(lists[40:], losses=losses[40:])
    assert reached > first + 0.7 * (1.0 - np.mean(best) - first)
    machine.save(tmp_path / "machine.npz")
    again = Reranker.load(tmp_path / "machine.npz")
    assert np.array_equal(again.predict(lists), machine.predict(lists))
    for a, b in zip(again.decision_function(lists[:5]), machine.decision_function(lists[:5]), strict=True):
        assert np.array_equal(a, b)
    assert machine.rank(lists[0])[0] == machine.predict(lists[:1])[0]
    assert sorted(machine.rank(lists[0]).tolist()) == [0, 1, 2, 3]


def test_arrays_predict_what_the_estimator_does(data):
    lists, losses = data
    table = np.concatenate([list_features(found) for found in lists])
    costs = np.concatenate([cost - cost.mean() for cost in losses])
    for estimator in (Ridge(3.0), make_pipeline(StandardScaler(), Ridge(3.0))):
        machine = Reranker(estimator=estimator, margin=0.0).fit(lists, losses=losses)
        wanted = clone(estimator).fit(table, costs).predict(table)
        assert machine.predictor_.predict(table) == pytest.approx(wanted, abs=1e-9)


def test_trees_predict_what_the_estimator_does(data):
    from hedgehop.learning.reranker import _trees

    lists, losses = data
    table = np.concatenate([list_features(found) for found in lists])
    costs = np.concatenate([cost - cost.mean() for cost in losses])
    machine = Reranker(margin=0.0).fit(lists, losses=losses)
    assert machine.predictor_.predict(table) == pytest.approx(_trees().fit(table, costs).predict(table), abs=1e-12)


def test_where_nothing_can_be_learned_the_first_one_is_taken(data):
    lists, _ = data
    random = np.random.default_rng(1)
    losses = [np.array([0.0, *random.random(3)]) for _ in lists]  # the first one is the best, the others noise
    machine = Reranker().fit(lists, losses=losses)
    assert not machine.predict(lists).any()


def test_truths_are_judged_by_the_loss(data):
    lists, _ = data
    truths = [found.labelings[1] for found in lists]
    for loss, quality in (("accuracy", hh.metrics.accuracy), ("iou", hh.metrics.mean_iou)):
        machine = Reranker(loss=loss, margin=np.inf).fit(lists, truths)
        first = np.mean([quality(found.labelings, truth)[0] for found, truth in zip(lists, truths, strict=True)])
        assert machine.score(lists, truths) == pytest.approx(first)
    own = Reranker(loss=lambda rows, truth: (rows != truth).sum(axis=1), margin=0.0).fit(lists, truths)
    assert own.predict(lists).shape == (60,)


def test_features_can_be_added(data, tmp_path):
    lists, _ = data
    losses = [np.array([3.0, 2.0, 1.0, 0.0]) for _ in lists]
    machine = Reranker(features=lambda found: np.arange(len(found))[:, None], margin=0.0).fit(lists, losses=losses)
    assert machine.n_features_in_ == len(FEATURE_NAMES) + 1
    assert set(machine.predict(lists).tolist()) == {3}
    with pytest.raises(ValueError, match="functions cannot be saved"):
        machine.save(tmp_path / "machine.npz")
    with pytest.raises(ValueError, match="one per labeling"):
        Reranker(features=lambda found: np.zeros((1, 1))).fit(lists, losses=losses)


def test_settings_survive_cloning():
    machine = Reranker(kind="pairwise", loss="accuracy", margin=0.01)
    assert clone(machine).get_params() == machine.get_params()


@pytest.mark.parametrize(("options", "text"), [
    ({"kind": "best"}, "kind must be"),
    ({"loss": "dice"}, "loss must be"),
    ({"margin": -1.0}, "margin must be"),
    ({"margin": np.nan}, "margin must be"),
])  # fmt: skip
def test_wrong_settings_are_refused(data, options, text):
    with pytest.raises(ValueError, match=text):
        Reranker(**options).fit(*data[:1], losses=data[1])


def test_wrong_data_are_refused(data, tmp_path):
    lists, losses = data
    for arguments, text in (
        (([3], [[0]]), "each a DiverseList"),
        ((lists,), "either the true labelings"),
        ((lists, losses[:3]), "one entry per list"),
    ):
        with pytest.raises((ValueError, TypeError), match=text):
            Reranker(loss="accuracy").fit(*arguments)
    with pytest.raises(ValueError, match="NaN"):
        Reranker().fit(lists, losses=[np.full(4, np.nan) for _ in lists])
    with pytest.raises(ValueError, match="different loss"):
        Reranker(kind="pairwise").fit(lists, losses=[np.zeros(4) for _ in lists])
    boosted = Reranker(estimator=HistGradientBoostingRegressor(max_iter=3), margin=0.0).fit(lists, losses=losses)
    with pytest.raises(ValueError, match="only linear estimators and forests"):
        boosted.save(tmp_path / "machine.npz")
    (tmp_path / "other.npz").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="not a re-ranker"):
        Reranker.load(tmp_path / "other.npz")


def test_damaged_trees_are_refused(data, tmp_path):
    lists, losses = data
    Reranker(margin=0.0).fit(lists, losses=losses).save(tmp_path / "machine.npz")
    with np.load(tmp_path / "machine.npz") as held:
        arrays = dict(held)
    arrays["left"] = arrays["left"] + 10**6
    np.savez(tmp_path / "machine.npz", **arrays)
    with pytest.raises(ValueError, match="do not fit together"):
        Reranker.load(tmp_path / "machine.npz")
