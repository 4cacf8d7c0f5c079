# SPDX-License-Identifier: BSD-3-Clause
"""A structured support vector machine: from labelled examples to relevance, and on to diverse lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from hedgehop._arrays import Doubles, positive_count
from hedgehop.learning.examples import Example, as_many, truth_of
from hedgehop.learning.joint_features import PAIRWISE, JointFeatures
from hedgehop.learning.solving import StructuredEstimator, check_settings, trained
from hedgehop.learning.structures import ChainFeatures, GraphFeatures, GridFeatures
from hedgehop.learning.training import ClassWeight, Training, class_costs, loss_scores
from hedgehop.models import FactorGraph, PairwiseModel
from hedgehop.oracles.base import Oracle
from hedgehop.oracles.pairwise.kernels import pair_tables
from hedgehop.oracles.registry import OracleLike, get

_STRUCTURES: dict[str, tuple[type[JointFeatures], str]] = {  # features, and the usual pairwise scores
    "chain": (ChainFeatures, "tables"),
    "graph": (GraphFeatures, "potts"),
    "grid": (GridFeatures, "potts"),
}


class StructuredSVM(StructuredEstimator):
    """Learns the relevance of a chain, graph or grid from examples: ``r(y) = <w, psi(x, y)>``.

    Minimises ``1/2 |w|^2 + C sum_n xi_n``, where xi_n is the largest violation of a margin equal to the Hamming loss
    in example n. Weights of Potts edges are never negative, which keeps inference easy.

    Parameters
    ----------
    model : "graph", "chain" or "grid"
        The form of an input. "chain": features (T, d), or (features, step features (T-1, k)). "graph": (node features
        (n, d), edges (E, 2), edge features (E, k)), the last two optional. "grid": features
        (H, W, d), or (features, [right (H, W-1, k), down (H-1, W, k)]). Without edge features (or None) every edge has
        the one feature 1. A last part, scores (n, L), (T, L) or (H, W, L), is added as it is, for example the scores
        of a network, which the machine then learns to correct. With another axis, (n, L, k) and so on, it holds k kinds
        of scores, and each gets a weight that all labels share. Node features of chains and graphs can be
        scipy.sparse matrices; they stay sparse.
    C : float
        Weight of the training loss relative to the regularisation.
    solver : "bcfw", "one-slack" or "n-slack"
        Block-coordinate Frank-Wolfe, or cutting planes (which need clarabel). All reach the same optimum.
    pairwise : "potts", "tables" or None
        "potts": neighbours that differ lose ``<v, edge features>``, v >= 0, edge features >= 0. "tables": every edge
        feature has an (L, L) table of any sign. None: "tables" for chains, "potts" for the others; a grid supports only
        "potts".
    nonnegative : True, "bias" or False
        How relevance is made nonnegative, which the (1 - 1/e) guarantee of greedy lists requires. True: each input gets
        its own shift, also valid for new inputs. "bias": the paper's single bias, learned by MAP calls on the training
        inputs and valid for those only. False: no shift; `predict_diverse` then uses distorted greedy, whose guarantee
        needs none.
    class_weight : None, "balanced", mapping or (L,) array
        The cost of missing a variable of each label.
    n_labels : int, optional
        Number of labels; by default one more than the largest in the training data.
    connectivity : int
        Number of neighbours in grids.
    oracle : str or Oracle
        Which oracle solves the inferences.
    tol : float
        Training ends when the duality gap is below this share of the objective.
    max_iter : int
        Maximum number of passes over the examples.
    progress : bool
        Whether to show a bar with the gap on stderr.

    Attributes
    ----------
    coef_ : (size,) array
        The weights: `node_weights_` (L, d), `score_weights_`, one per kind, and `edge_weights_` (k,) or (k, L, L).
    primal_, dual_, gap_ : float
        The objective reached, a bound no weights go below, and their distance as a share of the objective.
    proven_gap_ : float
        The same with the oracle's upper bounds: larger than `gap_` if inference is not exact.
    gaps_ : list of float
        The gap after every iteration.
    n_iter_, n_calls_ : int
        Passes over the examples, and inferences.
    bias_ : float
        With ``nonnegative="bias"``.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgehop.learning import StructuredSVM
    >>> random = np.random.default_rng(0)
    >>> Y = [np.repeat(random.integers(0, 2, 3), 4) for _ in range(20)]
    >>> X = [np.stack([y + random.normal(size=12), np.ones(12)], axis=1) for y in Y]
    >>> machine = StructuredSVM(model="chain").fit(X[:10], Y[:10])
    >>> machine.score(X[10:], Y[10:]) > 0.8
    True
    """

    def __init__(
        self,
        model: str = "graph",
        C: float = 1.0,
        solver: str = "bcfw",
        pairwise: str | None = None,
        nonnegative: bool | str = True,
        class_weight: ClassWeight = None,
        n_labels: int | None = None,
        connectivity: int = 4,
        oracle: OracleLike = "auto",
        tol: float = 1e-3,
        max_iter: int = 300,
        progress: bool = False,
    ) -> None:
        self.model = model
        self.C = C
        self.solver = solver
        self.pairwise = pairwise
        self.nonnegative = nonnegative
        self.class_weight = class_weight
        self.n_labels = n_labels
        self.connectivity = connectivity
        self.oracle = oracle
        self.tol = tol
        self.max_iter = max_iter
        self.progress = progress

    def fit(
        self, X: Sequence[Any], Y: Sequence[ArrayLike], weights: Sequence[ArrayLike] | None = None
    ) -> StructuredSVM:
        """Learn from inputs X and their labelings Y.

        Parameters
        ----------
        X : sequence
            Inputs, in the form that `model` requires.
        Y : sequence
            A labeling of each.
        weights : sequence of (n,) arrays, optional
            Weight of each variable in the loss, such as areas of superpixels; 0 where the true label is unknown.
        """
        self._refuse(X, Y)
        features, usual = _STRUCTURES[self.model]
        examples = [features.read(x, self.connectivity) for x in X]
        truths = [truth_of(e, y, self.n_labels) for e, y in zip(examples, Y, strict=True)]
        seen = 1 + max(int(y.max()) for y in truths)
        self.n_labels_ = self.n_labels or max([seen, *(e.n_labels for e in examples)])
        first = examples[0]
        sizes = self.n_labels_, first.node_features.shape[1], first.n_kinds, first.edge_features.shape[1]
        self._joint = features(*sizes, self.pairwise or usual, self.connectivity)
        for example in examples:
            self._joint.checked(example)
        costs = class_costs(self.class_weight, truths, self.n_labels_)
        counted = [None] * len(truths) if weights is None else weights
        as_many(X=X, weights=counted)
        losses = [loss_scores(y, costs, w) for y, w in zip(truths, counted, strict=True)]
        self._learn(Training(self._joint, examples, truths, losses, self._oracle()))
        if self.nonnegative == "bias":
            self.bias_ = learned_bias((self._joint.model(e, self.coef_) for e in examples), get(self.oracle))
        return self

    def models(self, X: Sequence[Any]) -> list[PairwiseModel]:
        """Return the model of each input, shifted as `nonnegative` says: for `hh.diverse` and `hh.tune`."""
        learned = ["coef_", "bias_"] if self.nonnegative == "bias" else ["coef_"]
        check_is_fitted(self, learned)
        return [self._model(self._checked(x)) for x in X]

    def score(self, X: Sequence[Any], Y: Sequence[ArrayLike], weights: Sequence[ArrayLike] | None = None) -> float:
        """Return the share of correct labels, over the variables of all inputs."""
        as_many(X=X, Y=Y)
        truths = [truth_of(self._checked(x), y) for x, y in zip(X, Y, strict=True)]
        right = np.concatenate([a.ravel() == b for a, b in zip(self.predict(X), truths, strict=True)])
        counts = np.ones(right.size) if weights is None else np.concatenate([np.ravel(w) for w in weights])
        return float(np.average(right, weights=counts))

    def _learn(self, training: Training) -> None:
        found = trained(training, self.solver, self.C, self.tol, self.max_iter, self.progress)
        self.coef_: Doubles = found.weights
        self.node_weights_, self.score_weights_, pairs = self._joint.split(found.weights)
        square = () if self._joint.pairwise == "potts" else (self.n_labels_, self.n_labels_)
        self.edge_weights_ = pairs.reshape(self._joint.n_edge_features, *square)
        self.primal_, self.dual_, self.gap_, self.gaps_ = found.primal, found.dual, found.gap, found.history
        self.proven_gap_ = (found.ceiling - found.dual) / found.ceiling if found.ceiling > 0 else 0.0
        self.n_iter_, self.n_calls_ = found.iterations, training.calls

    def _model(self, example: Example) -> PairwiseModel:
        if self.nonnegative == "bias":
            return self._joint.model(example, self.coef_, self.bias_)
        model = self._joint.model(example, self.coef_)
        lack = -model.floor()
        if not self.nonnegative or lack <= 0.0:
            return model
        return self._joint.model(example, self.coef_, lack * (1.0 + 1e-12))

    def _checked(self, x: Any) -> Example:
        return self._joint.checked(self._joint.read(x, self._joint.connectivity))

    @property
    def _method(self) -> str:  # type: ignore[override]
        return "greedy" if self.nonnegative else "distorted"

    def _oracle(self) -> Oracle:
        return get(_STRUCTURES[self.model][0].oracle if self.oracle == "auto" else self.oracle)

    def _refuse(self, X: Sequence[Any], Y: Sequence[Any]) -> None:
        for name, value, known in (
            ("model", self.model, tuple(_STRUCTURES)),
            ("pairwise", self.pairwise, (None, *PAIRWISE)),
            ("nonnegative", self.nonnegative, (True, False, "bias")),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}.")
        if self.model == "grid" and self.pairwise == "tables":
            raise ValueError('a grid supports pairwise="potts" only. Use model="graph" with the edges of the grid.')
        check_settings(self.solver, self.C, self.tol, self.max_iter)
        if self.n_labels is not None:
            positive_count(self.n_labels, "n_labels")
        as_many(X=X, Y=Y)


def learned_bias(models: Iterable[PairwiseModel], oracle: Oracle) -> float:
    """Return the smallest bias known to make all labelings of all models nonnegative, as the guarantee for lists asks.

    A bias b, the weight of one more feature that is always 1, cancels in every margin constraint. So the optimum of
    training is the same without it (P1), with it (P2), and with ``r(y) + b >= 0`` for all labelings of all training
    inputs (P3): any weights of P1 and a bias large enough solve all three. It is therefore found after training, by
    the cutting planes of the appendix: the worst labeling is a MAP inference on -r.

    An input whose least scores add up to more than -b violates nothing and costs no inference. MAP inference on -r is
    the hard direction where the model is attractive: the sum of the least scores serves where it is higher.
    """
    bias = 0.0
    for model in models:
        if model.floor() + bias < 0.0:
            negated = FactorGraph(-model.unary, model.edges, -pair_tables(model))
            bound = oracle.on(negated).step([]).upper_bound
            bias = max(bias, min(-model.floor(), bound))
    return bias
