# SPDX-License-Identifier: BSD-3-Clause
"""Models in .npz files, as they are, with a format version."""

from __future__ import annotations

from typing import Any

from hedgehop.io.archives import Arrays, read_archive, write_archive
from hedgehop.io.file_access import MAX_BYTES, FilePath, damage_as
from hedgehop.models import Chain, EdgeTables, FactorGraph, Grid, PairwiseModel, Potts, SharedTable

_MODEL_VERSION = 1
_PAIRWISE_ARRAYS = {Potts: "strengths", SharedTable: "values"}


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a grid, a chain or a factor graph."""
    if type(model) not in (Grid, Chain, FactorGraph):
        raise TypeError(f"a .npz file holds Grid, Chain and FactorGraph; got {type(model).__name__}.")
    header, arrays = _parts(model)
    write_archive(path, header | {"format": _MODEL_VERSION, "model": type(model).__name__}, arrays)


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> PairwiseModel:
    """Read a model that :func:`write` wrote."""
    with damage_as(f"{path} is not a model saved by hedgehop"):
        header, arrays = read_archive(path, max_bytes)
        if "certificate" in header:
            raise ValueError("it is a list, which hh.load opens")
        if header.get("format") != _MODEL_VERSION:
            raise ValueError(f"it has format {header.get('format')!r}; this version of hedgehop reads {_MODEL_VERSION}")
        if header["model"] == "Grid":
            strengths = [arrays[f"strengths{k}"] for k in range(len(arrays) - 1)]
            return Grid(arrays["scores"], strengths, header["connectivity"])
        if header["model"] == "Chain":
            return Chain(arrays["emissions"], arrays["transitions"])
        return _factor_graph(header, arrays)


def _parts(model: PairwiseModel) -> tuple[dict[str, Any], Arrays]:
    """Return what a model is made of: numbers and words, and arrays."""
    pairwise = model.pairwise
    if isinstance(model, Grid):
        arrays: Arrays = {f"strengths{k}": s for k, s in enumerate(model.strengths)}
        return {"connectivity": model.connectivity}, arrays | {"scores": model.unary.reshape(*model.shape, -1)}
    if isinstance(model, Chain):
        labels = model.n_labels
        steps = pairwise.end_to_end().reshape(-1, labels, labels) if isinstance(pairwise, EdgeTables) else None
        return {}, {"emissions": model.unary, "transitions": pairwise.values if steps is None else steps}  # type: ignore[attr-defined]
    arrays = {"unary": model.unary, "counts": model.label_counts, "edges": model.edges}
    if isinstance(pairwise, EdgeTables):
        arrays["pairwise"] = pairwise.end_to_end()
    else:
        arrays["pairwise"] = getattr(pairwise, _PAIRWISE_ARRAYS[type(pairwise)])
    for k, clique in enumerate(model.cliques):
        arrays |= {f"variables{k}": clique.variables, f"table{k}": clique.table}
    return {"pairwise": type(pairwise).__name__, "cliques": len(model.cliques)}, arrays


def _factor_graph(header: dict[str, Any], arrays: Arrays) -> FactorGraph:
    unary, counts, edges = arrays["unary"], arrays["counts"], arrays["edges"]
    rows = unary if (counts == unary.shape[1]).all() else [r[:c] for r, c in zip(unary, counts, strict=True)]
    pairwise: Any = arrays["pairwise"]
    if header["pairwise"] == "EdgeTables":
        first, second = counts[edges].T
        pairwise = EdgeTables.packed(pairwise, first, second)
    cliques = [(arrays[f"variables{k}"], arrays[f"table{k}"]) for k in range(header["cliques"])]
    return FactorGraph(rows, edges, pairwise, cliques)
