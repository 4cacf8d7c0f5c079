# SPDX-License-Identifier: BSD-3-Clause
"""Samples of what the truth might be: best labelings of the model under noise (perturb-and-MAP)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, own, positive_count
from hedgehop.models import LinearModel, Model, PairwiseModel
from hedgehop.oracles.registry import OracleLike, get
from hedgehop.potentials import Linear
from hedgehop.potentials.regions import refuse_outside, region_members

Regions = tuple[NDArray[np.int64], ...]
_MOST_DIMENSIONS = 21201  # that Sobol's sequence has


def samples(
    model: Model,
    k: int = 60,
    variable: float | None = None,
    label: float = 1.0,
    region: float = 1.0,
    regions: ArrayLike | None = None,
    seed: int = 0,
    oracle: OracleLike = "auto",
) -> Labels:
    """Labelings that are best under Gumbel noise on the unary scores: what the truth might be.

    Noise on single variables gives specks; noise on whole labels and whole regions gives answers a person would
    give. The noise is a fixed design that fills the space evenly (a scrambled Sobol sequence), so that the same
    call gives the same samples.

    Parameters
    ----------
    model : Model
        What to label.
    k : int
        Number of samples.
    variable, label, region : float
        Scales of the noise, in units of the scores: for each (variable, label), for each label, and for each
        (region, label). If `variable` is not given, it is 1.0 for trees, matchings and parses, where noise on whole
        labels changes little or nothing, and 0.0 for other models.
    regions : list of index arrays, or an array of the model's shape, optional
        Where noise is shared; by default the connected parts of the best labeling (none without edges).
    seed : int
        Seed of the design.
    oracle : str or Oracle
        Which oracle solves the perturbed models.

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
    """
    if variable is None:
        variable = 1.0 if isinstance(model, LinearModel) else 0.0
    given = {"variable": variable, "label": label, "region": region}
    scales = [_arrays.number(value, name, low=0.0) for name, value in given.items()]
    k, solver = positive_count(k, "k"), get(oracle).on(model)
    best = solver.step(()).labeling
    members = _regions(model, regions, best.reshape(-1)) if region > 0 else ()
    n, width = model.n_variables, int(model.label_counts.max())
    shared = _gumbel_design(k, width * (1 + len(members)), seed).reshape(k, 1 + len(members), width)
    random = np.random.default_rng(seed)
    noises = (_noise(n, scales, members, parts, random) for parts in shared)
    return own(np.array([solver.step((Linear(own(noise)),)).labeling for noise in noises], np.int32))


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
    return region_members(_connected_parts(model, best))


def _connected_parts(model: PairwiseModel, labeling: Labels) -> NDArray[np.int64]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    i, j = model.edges[labeling[model.edges[:, 0]] == labeling[model.edges[:, 1]]].T
    graph = coo_array((np.ones(i.size), (i, j)), shape=(labeling.size, labeling.size))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def _gumbel_design(k: int, dimensions: int, seed: int) -> Doubles:
    """Points that fill the space evenly, (k, dimensions), as Gumbel noise."""
    from scipy.stats import qmc

    if dimensions > _MOST_DIMENSIONS:
        return np.random.default_rng(seed).gumbel(size=(k, dimensions))
    bits = max(0, int(np.ceil(np.log2(k))))
    uniform = qmc.Sobol(dimensions, seed=seed).random_base2(bits)[:k]
    return np.asarray(-np.log(-np.log(np.clip(uniform, 1e-12, 1 - 1e-12))))
