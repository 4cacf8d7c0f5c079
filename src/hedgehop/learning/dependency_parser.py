# SPDX-License-Identifier: BSD-3-Clause
"""A dependency parser learned from trees: relevance of arcs from their features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from hedgehop._arrays import Doubles, Labels, integers
from hedgehop.learning.examples import FeatureRows, as_many, feature_rows
from hedgehop.learning.solving import StructuredEstimator, check_settings, trained
from hedgehop.learning.training import Training, loss_scores
from hedgehop.metrics import uas
from hedgehop.models import Arborescence
from hedgehop.oracles.registry import OracleLike


@dataclass(frozen=True, eq=False)
class Sentence:
    """One input, checked."""

    arcs: FeatureRows  # (n * (n + 1), d): of word 1 with head 0, 1, ..., n, then of word 2, ...
    n_words: int

    def added(self, _heads: Labels) -> float:
        """Inputs bring no scores of their own."""
        return 0.0


@dataclass(frozen=True)
class ArcFeatures:
    """psi(x, y): the sum of the features of the arcs of a parse."""

    size: int
    single_root: bool

    @property
    def attractive(self) -> NDArray[np.intp]:
        """No weight is bound to a sign."""
        return np.arange(0)

    def features(self, sentence: Sentence, heads: Labels) -> Doubles:
        """Return psi(x, y), (size,)."""
        rows = np.arange(sentence.n_words) * (sentence.n_words + 1) + heads
        return np.asarray(sentence.arcs[rows].sum(axis=0), np.float64).ravel()

    def model(self, sentence: Sentence, weights: Doubles) -> Arborescence:
        """Return the model whose relevance is ``<weights, psi(x, y)>``."""
        return Arborescence((sentence.arcs @ weights).reshape(sentence.n_words, -1), self.single_root)


class DependencyParser(StructuredEstimator):
    """Learns to parse from sentences with known heads: a structured support vector machine over arborescences.

    The score of a parse is the sum of the scores of its arcs, ``<w, features of the arc>``. Training minimises
    ``1/2 |w|^2 + C sum_n xi_n`` with the number of wrong heads as the margin (McDonald, Crammer, Pereira 2005), to a
    proven gap.

    Parameters
    ----------
    C : float
        Weight of the training loss relative to the regularisation.
    single_root : bool
        Whether exactly one word hangs from the root, as in Universal Dependencies.
    solver : "bcfw", "one-slack" or "n-slack"
        As for :class:`StructuredSVM`.
    oracle : str or Oracle
        Which oracle finds the best parses.
    tol : float
        Training ends when the duality gap is below this share of the objective.
    max_iter : int
        Maximum number of passes over the sentences.
    progress : bool
        Whether to show a bar with the gap on stderr.

    Attributes
    ----------
    coef_ : (d,) array
        The weights of the features.
    gap_ : float
        How far the objective can be above the optimum, as a share of it.
    n_iter_ : int
        Passes over the sentences.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgehop.learning import DependencyParser
    >>> def arcs(n):  # two features of every word and head: is the head the next word, or the one before?
    ...     away = np.arange(n + 1) - np.arange(1, n + 1)[:, None]
    ...     return np.stack([away == 1, away == -1], axis=2)
    >>> parser = DependencyParser().fit([arcs(4), arcs(3)], [[2, 3, 4, 0], [2, 3, 0]])  # heads are the next words
    >>> parser.predict([arcs(5)])[0].tolist()
    [2, 3, 4, 5, 0]
    """

    def __init__(
        self,
        C: float = 1.0,
        single_root: bool = True,
        solver: str = "bcfw",
        oracle: OracleLike = "auto",
        tol: float = 1e-3,
        max_iter: int = 300,
        progress: bool = False,
    ) -> None:
        self.C = C
        self.single_root = single_root
        self.solver = solver
        self.oracle = oracle
        self.tol = tol
        self.max_iter = max_iter
        self.progress = progress

    def fit(self, X: Sequence[Any], Y: Sequence[ArrayLike]) -> DependencyParser:
        """Learn from sentences and their heads.

        Parameters
        ----------
        X : sequence
            For each sentence of n words the features of all arcs: an array (n, n + 1, d) by word and head, the root
            being head 0; or, such as for millions of features, a scipy.sparse matrix of the same rows, (n (n + 1), d).
        Y : sequence of (n,) ints
            The heads of the words, 1..n, or 0 for the root.
        """
        check_settings(self.solver, self.C, self.tol, self.max_iter)
        as_many(X=X, Y=Y)
        sentences = [_sentence(x) for x in X]
        self._joint = ArcFeatures(int(sentences[0].arcs.shape[1]), bool(self.single_root))
        truths = [self._heads(self._checked(s), y) for s, y in zip(sentences, Y, strict=True)]
        losses = [loss_scores(y, np.ones(y.size + 1)) for y in truths]
        training = Training(self._joint, sentences, truths, losses, self._oracle())
        found = trained(training, self.solver, self.C, self.tol, self.max_iter, self.progress)
        self.coef_: Doubles = found.weights
        self.gap_, self.n_iter_ = found.gap, found.iterations
        return self

    def models(self, X: Sequence[Any]) -> list[Arborescence]:
        """Return the model of each sentence, for `hh.diverse` and `hh.tune`."""
        check_is_fitted(self, ["coef_"])
        return [self._joint.model(self._checked(_sentence(x)), self.coef_) for x in X]

    def score(self, X: Sequence[Any], Y: Sequence[ArrayLike]) -> float:
        """Return the unlabelled attachment score over the words of all sentences."""
        as_many(X=X, Y=Y)
        return float(uas(np.concatenate(self.predict(X)), np.concatenate([integers(y, "heads") for y in Y])))

    def _checked(self, sentence: Sentence) -> Sentence:
        if sentence.arcs.shape[1] != self._joint.size:
            raise ValueError(f"arcs must have {self._joint.size} features, as in fit; got {sentence.arcs.shape[1]}.")
        return sentence

    def _heads(self, sentence: Sentence, y: ArrayLike) -> Labels:
        """Check the right parse of a sentence."""
        n, heads = sentence.n_words, integers(y, "heads")
        if heads.shape != (n,):
            raise ValueError(f"heads must have one entry per word, ({n},); got shape {heads.shape}.")
        free = Arborescence(np.zeros((n, n + 1)), self._joint.single_root)
        if not (0 <= heads.min() <= heads.max() <= n and np.isfinite(free.score(heads))):
            root = "one root" if self._joint.single_root else "no cycles"
            raise ValueError(
                f"heads must be a parse of {n} words with {root}; got {heads.tolist()}. Leave such sentences out, or "
                "pass single_root=False if several words may hang from the root."
            )
        return heads.astype(np.int32)


def _sentence(x: Any) -> Sentence:
    arcs = feature_rows(x, "arc features")
    if arcs.ndim == 3 and arcs.shape[1] == arcs.shape[0] + 1 and arcs.shape[0]:
        return Sentence(arcs.reshape(-1, arcs.shape[2]), arcs.shape[0])
    n = int(np.sqrt(arcs.shape[0]))
    if isinstance(arcs, np.ndarray) or n == 0 or n * (n + 1) != arcs.shape[0]:
        wanted = "(n, n + 1, d), or be a sparse matrix of shape (n (n + 1), d)"
        raise ValueError(f"arc features must have shape {wanted}; got {arcs.shape}.")
    return Sentence(arcs, n)
