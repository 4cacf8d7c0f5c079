# SPDX-License-Identifier: BSD-3-Clause
"""Samples of what the truth might be: exact ones, or best labelings of the model under noise (perturb-and-MAP)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, is_one_of, own, positive_count
from hedgehop._errors import UnsupportedError
from hedgehop.lists.objective import require_model
from hedgehop.models import Model, PairwiseModel
from hedgehop.models.edges import components
from hedgehop.oracles.registry import OracleLike, get
from hedgehop.potentials import Linear
from hedgehop.potentials.regions import refuse_outside, region_members
from hedgehop.probabilities.exact import scale_of
from hedgehop.probabilities.exact_samples import exact_sampler

Regions = tuple[NDArray[np.int64], ...]
Scales = tuple[float | None, float | None, float | None]
_MOST_DIMENSIONS = 21201  # that Sobol's sequence has


def samples(
    model: Model,
    k: int = 60,
    variable: float | None = None,
    label: float | None = None,
    region: float | None = None,
    regions: ArrayLike | None = None,
    seed: int = 0,
    oracle: OracleLike = "auto",
    *,
    temperature: float = 1.0,
    method: Literal["auto", "exact", "noise"] = "auto",
) -> Labels:
    """Labelings that stand for what the truth might be.

    Exact samples of ``p(y) ~ exp(score(y) / temperature)`` for chains, trees, and all other structures whose sums
    `hh.marginals` knows. For all other models, such as images, labelings that are best under Gumbel noise on the unary
    scores:
    noise on single variables gives specks, noise on whole labels and whole regions gives answers a person would give.
    The noise is a fixed design that fills the space evenly (a scrambled Sobol sequence). The same call gives the same
    samples.

    Parameters
    ----------
    model : Model
        What to label.
    k : int
        Number of samples.
    variable, label, region : float
        Scales of the noise, in units of the scores: for each (variable, label), for each label, and for each
        (region, label). If one is given, noise is used. Those not given depend on the structure: grids and graphs
        with cycles, and all models with `regions`, get noise on labels and regions only (0, 1, 1); all other models
        get noise on variables only (1, 0, 0).
    regions : list of index arrays, or an array of the model's shape, optional
        Where noise is shared; by default the connected parts of the best labeling (none without edges).
    seed : int
        Seed of the design.
    oracle : str or Oracle
        Which oracle solves the perturbed models.
    temperature : float
        Larger ones flatten the distribution. It multiplies the scales of noise that are not given.
    method : "auto", "exact" or "noise"
        "exact" also draws from grids and graphs of small width, and from all models of up to 2^18 labelings.

    Returns
    -------
    (k, *shape) array of labels

    Examples
    --------
    >>> import hedgehop as hh, numpy as np
    >>> model = hh.Grid(np.zeros((4, 4, 3)), smoothness=1.0)
    >>> drawn = hh.samples(model, 30)
    >>> drawn.shape, sorted(set(drawn.ravel().tolist()))
    ((30, 4, 4), [0, 1, 2])
    >>> chain = hh.Chain([[0.0, np.log(3.0)], [0.0, 0.0]], transitions=np.zeros((2, 2)))
    >>> float(hh.samples(chain, 10_000).mean(axis=0)[0].round(1))  # 3 / 4
    0.8
    """
    require_model(model)
    seed, k = _arrays.count(seed, "seed"), positive_count(k, "k")
    scale = scale_of(model, temperature)
    if not is_one_of(method, ("auto", "exact", "noise")):
        raise ValueError(f"method must be 'auto', 'exact' or 'noise'; got {method!r}.")
    given = variable, label, region
    noisy = method == "noise" or any(value is not None for value in given) or regions is not None
    if method == "exact" or not (noisy or oracle != "auto" or not _errors_are_local(model)):
        draw = exact_sampler(model, scale)
        if draw is not None:
            return own(draw(k, seed).reshape(k, *model.shape))
        if method == "exact":
            raise UnsupportedError(f"no exact samples of {model!r} are known. Use method='noise'.")
    return _perturbed(model, k, _scales(model, given, regions, temperature), regions, seed, oracle)


def _scales(model: Model, given: Scales, regions: ArrayLike | None, temperature: float) -> list[float]:
    """Scales of the noise: those given, and the usual ones of the structure."""
    usual = (1.0, 0.0, 0.0) if regions is None and _errors_are_local(model) else (0.0, 1.0, 1.0)
    return [
        temperature * rule if value is None else _arrays.number(value, name, low=0.0)
        for rule, value, name in zip(usual, given, ("variable", "label", "region"), strict=True)
    ]


def _perturbed(
    model: Model, k: int, scales: list[float], regions: ArrayLike | None, seed: int, oracle: OracleLike
) -> Labels:
    solver = get(oracle).on(model)
    best = solver.step(()).labeling
    members = _regions(model, regions, best.reshape(-1)) if scales[2] > 0 else ()
    n, width = model.n_variables, int(model.label_counts.max())
    shared = _gumbel_design(k, width * (1 + len(members)), seed).reshape(k, 1 + len(members), width)
    random = np.random.default_rng(seed)
    noises = (_noise(n, scales, members, parts, random) for parts in shared)
    return own(np.array([solver.step((Linear(own(noise)),)).labeling for noise in noises], np.int32))


def _errors_are_local(model: Model) -> bool:
    """Whether a model is no image: in chains, trees and other structures, noise on whole labels makes lists worse."""
    if isinstance(model, PairwiseModel):
        return len(model.edges) > 0 and get("tree").refusal(model, ()) is None
    return True


def _noise(n: int, scales: list[float], members: Regions, parts: Doubles, random: np.random.Generator) -> Doubles:
    """Noise of three scales: for each variable, for each label (the first part), and for each region (the others)."""
    noise = np.tile(scales[1] * parts[0], (n, 1))
    for rows, part in zip(members, parts[1:], strict=True):
        noise[rows] += scales[2] * part
    return noise + scales[0] * random.gumbel(size=noise.shape) if scales[0] > 0 else noise


def _regions(model: Model, regions: ArrayLike | None, best: Labels) -> Regions:
    """Given regions, or the connected parts of the best labeling."""
    if regions is not None:
        members = region_members(regions)
        if isinstance(regions, np.ndarray) and regions.dtype != object and regions.size != model.n_variables:
            raise ValueError(f"a map of regions must have shape {model.shape}; got {regions.shape}.")
        refuse_outside(members, model.n_variables)
        return members
    if not isinstance(model, PairwiseModel) or not len(model.edges):
        return ()
    same = best[model.edges[:, 0]] == best[model.edges[:, 1]]
    return region_members(components(model.edges[same], best.size))


def _gumbel_design(k: int, dimensions: int, seed: int) -> Doubles:
    """Points that fill the space evenly, (k, dimensions), as Gumbel noise."""
    from scipy.stats import qmc

    if dimensions > _MOST_DIMENSIONS:
        return np.random.default_rng(seed).gumbel(size=(k, dimensions))
    bits = max(0, int(np.ceil(np.log2(k))))
    uniform = qmc.Sobol(dimensions, seed=seed).random_base2(bits)[:k]
    return np.asarray(-np.log(-np.log(np.clip(uniform, 1e-12, 1 - 1e-12))))
