# SPDX-License-Identifier: BSD-3-Clause
"""Lists in .npz files, with a format version."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from io import BytesIO
from typing import Any

import numpy as np

from hedgehop._arrays import own
from hedgehop.diversity import Diversity
from hedgehop.io.archives import Arrays, pack, read_archive, write_archive
from hedgehop.io.file_access import FilePath, damage_as
from hedgehop.lists.certificate import Certificate
from hedgehop.lists.continuation import resumed
from hedgehop.lists.proofs.bounds import Proof
from hedgehop.lists.proofs.paper_bounds import PaperBounds
from hedgehop.lists.result import DiverseList
from hedgehop.lists.uncertainty import UncertaintyFigures
from hedgehop.models.base import Model
from hedgehop.oracles.registry import OracleLike

_LIST_VERSION = 3  # 2: with a proof; 3: with probabilities
_PROOF = "proof."  # before the names of its arrays
_SURE = "sure."  # before the names of how sure it is
_SURE_ARRAYS = ("probabilities", "sure", "entropy")
_ARRAYS = ("labelings", "relevance", "gains", "bounds", "exact", "seconds")
_OPTIONAL_ARRAYS = ("indices", "unlimited_bounds")
_ROUNDING = 1e-6
_TEXTS = ("oracles", "tradeoff", "diversity", "method", "model", "sources")


def save(found: DiverseList, path: FilePath) -> None:
    """Write a list; the file is written completely or not at all."""
    write_archive(path, *_parts(found))


def list_bytes(found: DiverseList) -> bytes:
    """Return what the file of a list holds."""
    whole = BytesIO()
    pack(whole, *_parts(found))
    return whole.getvalue()


def _parts(found: DiverseList) -> tuple[dict[str, Any], Arrays]:
    header = {name: getattr(found, name) for name in _TEXTS}
    certificate, proof = replace(found.certificate, proof=None), found.certificate.proof
    header |= {"format": _LIST_VERSION, "certificate": asdict(certificate)}
    arrays = {name: getattr(found, name) for name in _ARRAYS}
    arrays |= {name: array for name in _OPTIONAL_ARRAYS if (array := getattr(found, name)) is not None}
    if proof is not None:
        header |= {"proof": {"source": proof.source, "calls": proof.calls, "seconds": proof.seconds}}
        arrays |= {_PROOF + name: array for name, array in proof.arrays.items()}
    if found.is_weighed:
        figures = found._figures
        header |= {"sure": {"none_of_these": figures.none_of_these, "origin": figures.origin}}
        arrays |= {_SURE + name: getattr(figures, name).astype(np.float32) for name in _SURE_ARRAYS[1:]}
        arrays |= {_SURE + _SURE_ARRAYS[0]: figures.probabilities}
    return header, arrays


def load(
    path: FilePath, model: Model | None = None, diversity: Diversity | None = None, oracle: OracleLike = "auto"
) -> DiverseList:
    """Read a list that ``found.save`` wrote. It is complete; with its model, it can be extended.

    Parameters
    ----------
    path : str or path
        The file.
    model : Model, optional
        What was labelled: files do not contain it. It makes ``certify``, ``improve``, ``more`` and probabilities
        possible again. Scores and F are compared, and another model is refused; ``hh.verify`` checks the bounds, too.
    diversity : Diversity, optional
        What made labelings different. It can be left out if ``found.diversity`` says everything about it, as
        ``VariableCoverage(h='log')`` does; regions, kinds, samples and weights have to be given.
    oracle : str or Oracle
        Which oracle solves further steps.

    Examples
    --------
    >>> import tempfile, pathlib, hedgehop as hh
    >>> found = hh.diverse(hh.FactorGraph([[1.0, 0.0]]), hh.VariableCoverage(), m=2)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "list.npz"
    >>> found.save(file)
    >>> hh.load(file).objective == found.objective
    True
    >>> hh.load(file, hh.FactorGraph([[1.0, 0.0]])).certify().optimal
    True
    """
    found = _loaded(path)
    return found if model is None else resumed(found, model, diversity, oracle)


def _loaded(path: FilePath) -> DiverseList:
    with damage_as(f"{path} is not a list saved by hedgehop"):
        header, arrays = read_archive(path, sys.maxsize)
        version = header.get("format")
    if not isinstance(version, int) or not 1 <= version <= _LIST_VERSION:
        raise ValueError(f"{path} has format {version!r}; this version reads up to {_LIST_VERSION}. Update hedgehop.")
    with damage_as(f"{path} is not a list saved by hedgehop"):
        fields: dict[str, Any] = {name: header[name] for name in _TEXTS} | {name: arrays[name] for name in _ARRAYS}
        fields |= {name: tuple(header[name]) for name in ("oracles", "sources")}
        certificate = replace(_certificate(header["certificate"]), proof=_proof(header, arrays))
        fields |= {name: arrays.get(name) for name in _OPTIONAL_ARRAYS}
        figures = _figures(header, arrays, fields["labelings"].shape)
        return DiverseList(**fields, certificate=certificate, _uncertainty=figures)


def _certificate(saved: dict[str, Any]) -> Certificate:
    """Return a certificate as it was saved, perhaps by a version that knew less."""
    paper = saved.get("paper")
    if paper is not None:
        paper = PaperBounds(**(paper | {name: tuple(paper[name]) for name in ("factors", "errors")}))
    return Certificate(**(saved | {"online": tuple(saved["online"]), "paper": paper}))


def _proof(header: dict[str, Any], arrays: Arrays) -> Proof | None:
    if "proof" not in header:
        return None
    kept = {name.removeprefix(_PROOF): array for name, array in arrays.items() if name.startswith(_PROOF)}
    saved = header["proof"]
    return Proof(saved["source"], kept, saved["calls"], float(saved.get("seconds", 0.0)))


def _figures(header: dict[str, Any], arrays: Arrays, shape: tuple[int, ...]) -> UncertaintyFigures | None:
    """Return how sure the list is, if it was known; refuse figures of another list."""
    if "sure" not in header:
        return None
    probabilities, sure, entropy = (own(arrays[_SURE + name].astype(np.float64)) for name in _SURE_ARRAYS)
    if probabilities.shape != shape[:1] or sure.shape != shape[1:] or entropy.shape != shape[1:]:
        raise ValueError("its probabilities do not fit its labelings")
    if not np.isfinite(probabilities).all() or abs(probabilities.sum() - 1.0) > _ROUNDING:
        raise ValueError("its probabilities do not sum to 1")
    said = header["sure"]
    return UncertaintyFigures(probabilities, float(said["none_of_these"]), sure, entropy, str(said["origin"]))
