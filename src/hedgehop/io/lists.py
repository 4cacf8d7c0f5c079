# SPDX-License-Identifier: BSD-3-Clause
"""Lists in .npz files, with a format version."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from typing import Any

from hedgehop.io.archives import Arrays, read_archive, write_archive
from hedgehop.io.file_access import FilePath, damage_as
from hedgehop.lists.certificate import Certificate
from hedgehop.lists.proofs.evidence import Proof
from hedgehop.lists.proofs.paper_bounds import PaperBounds
from hedgehop.lists.result import DiverseList

_LIST_VERSION = 2  # 2: with a proof
_PROOF = "proof."  # before the names of its arrays
_ARRAYS = ("labelings", "relevance", "gains", "bounds", "exact", "seconds")
_TEXTS = ("oracles", "tradeoff", "diversity", "method", "model", "sources")


def save(found: DiverseList, path: FilePath) -> None:
    """Write a list; the file is written completely or not at all."""
    header = {name: getattr(found, name) for name in _TEXTS}
    certificate, proof = replace(found.certificate, proof=None), found.certificate.proof
    header |= {"format": _LIST_VERSION, "certificate": asdict(certificate)}
    arrays = {name: getattr(found, name) for name in _ARRAYS}
    if proof is not None:
        header |= {"proof": {"source": proof.source, "calls": proof.calls}}
        arrays |= {_PROOF + name: array for name, array in proof.arrays.items()}
    write_archive(path, header, arrays if found.indices is None else arrays | {"indices": found.indices})


def load(path: FilePath) -> DiverseList:
    """Read a list that ``found.save`` wrote; it is complete, but cannot be extended.

    Examples
    --------
    >>> import tempfile, pathlib, hedgehop as hh
    >>> found = hh.diverse(hh.FactorGraph([[1.0, 0.0]]), hh.VariableCoverage(), m=2)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "list.npz"
    >>> found.save(file)
    >>> hh.load(file).objective == found.objective
    True
    """
    with damage_as(f"{path} is not a list saved by hedgehop"):
        header, arrays = read_archive(path, sys.maxsize)
        version = header.get("format")
    if not isinstance(version, int) or not 1 <= version <= _LIST_VERSION:
        raise ValueError(f"{path} has format {version!r}; this hedgehop reads up to {_LIST_VERSION}. Update hedgehop.")
    with damage_as(f"{path} is not a list saved by hedgehop"):
        fields: dict[str, Any] = {name: header[name] for name in _TEXTS} | {name: arrays[name] for name in _ARRAYS}
        fields |= {name: tuple(header[name]) for name in ("oracles", "sources")}
        certificate = replace(_certificate(header["certificate"]), proof=_proof(header, arrays))
        return DiverseList(**fields, certificate=certificate, indices=arrays.get("indices"))


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
    return Proof(header["proof"]["source"], kept, header["proof"]["calls"])
