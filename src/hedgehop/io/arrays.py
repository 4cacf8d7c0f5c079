# SPDX-License-Identifier: BSD-3-Clause
"""Models in .npz files: plain arrays and one line of JSON, no pickle, with a format version."""

from __future__ import annotations

import json
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import own
from hedgehop._errors import said
from hedgehop.io.streams import MAX_BYTES, FilePath, complete
from hedgehop.models import Chain, EdgeTables, FactorGraph, Grid, PairwiseModel, Potts, SharedTable

FORMAT = 1
# What reading a damaged archive, or a foreign one, may raise (RuntimeError: it is encrypted).
_DAMAGE: tuple[type[Exception], ...] = (
    *(KeyError, TypeError, ValueError, IndexError, OverflowError, EOFError, OSError, RuntimeError, SyntaxError),
    *(struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a grid, a chain or a factor graph as it is."""
    kinds = {Grid: _grid, Chain: _chain, FactorGraph: _graph}
    if type(model) not in kinds:
        raise TypeError(f"a .npz file holds Grid, Chain and FactorGraph; got {type(model).__name__}.")
    header, arrays = kinds[type(model)](model)  # type: ignore[operator]
    header |= {"format": FORMAT, "model": type(model).__name__}
    with complete(path) as file:
        np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> PairwiseModel:
    """Read a model that :func:`write` wrote."""
    try:
        arrays = arrays_of(path, max_bytes)
        header = dict(json.loads(str(arrays.pop("header")[()])))
        if header.get("format") != FORMAT:
            raise ValueError(f"it has format {header.get('format')!r}; this hedgehop reads {FORMAT}")
        return _MAKERS[header["model"]](header, arrays)
    except FileNotFoundError:
        raise
    except _DAMAGE as error:
        raise ValueError(f"{path} is not a model saved by hedgehop: {said(error)}.") from error


def arrays_of(path: FilePath, max_bytes: int = MAX_BYTES) -> dict[str, NDArray[Any]]:
    """All arrays of an .npz file, which must be plain ones and no more than `max_bytes` together."""
    try:
        with Path(path).open("rb") as file, zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > max_bytes:
                raise ValueError(f"it holds more than {max_bytes} bytes. Give max_bytes= if that is meant")
            return {entry.filename.removesuffix(".npy"): _entry(archive, entry) for entry in entries}
    except FileNotFoundError:
        raise
    except _DAMAGE as error:
        raise ValueError(f"{path} is not an .npz file of plain arrays: {said(error)}.") from error


def array_of(path: FilePath, max_bytes: int = MAX_BYTES) -> NDArray[Any]:
    """Return the array of an .npy file, which must be a plain one of at most `max_bytes`."""
    size = Path(path).stat().st_size
    try:
        if size > max_bytes:
            raise ValueError(f"it holds more than {max_bytes} bytes. Give max_bytes= if that is meant")
        with Path(path).open("rb") as file:
            _check_header(file, size)
            file.seek(0)
            return own(np.lib.format.read_array(file, allow_pickle=False))
    except _DAMAGE as error:
        raise ValueError(f"{path} is not an .npy file of a plain array: {said(error)}.") from error


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(entry) as file:
        _check_header(file, entry.file_size)
    with archive.open(entry) as file:
        return own(np.lib.format.read_array(file, allow_pickle=False))


def _check_header(file: IO[bytes], size: int) -> None:
    """Refuse arrays of objects, and those whose shape does not fit the bytes that are there."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("it is no plain array")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.hasobject or dtype.itemsize * float(np.prod(shape, dtype=float)) > size:
        raise ValueError("it is no plain array")


def _grid(model: Grid) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    arrays = {f"strengths{k}": s for k, s in enumerate(model.strengths)}
    return {"connectivity": model.connectivity}, arrays | {"scores": model.unary.reshape(*model.shape, -1)}


def _chain(model: Chain) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    pairwise = model.pairwise
    length, labels = model.unary.shape
    steps = pairwise.flat.reshape(length - 1, labels, labels) if isinstance(pairwise, EdgeTables) else None
    return {}, {"emissions": model.unary, "transitions": pairwise.values if steps is None else steps}  # type: ignore[attr-defined]


def _graph(model: FactorGraph) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    pairwise, arrays = model.pairwise, {"unary": model.unary, "counts": model.label_counts, "edges": model.edges}
    values = {Potts: "strengths", SharedTable: "values", EdgeTables: "flat"}[type(pairwise)]
    arrays["pairwise"] = getattr(pairwise, values)
    for k, clique in enumerate(model.cliques):
        arrays |= {f"variables{k}": clique.variables, f"table{k}": clique.table}
    return {"pairwise": type(pairwise).__name__, "cliques": len(model.cliques)}, arrays


def _make_grid(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Grid:
    strengths = [arrays[f"strengths{k}"] for k in range(len(arrays) - 1)]
    return Grid(arrays["scores"], strengths, header["connectivity"])


def _make_chain(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Chain:
    return Chain(arrays["emissions"], arrays["transitions"])


def _make_graph(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> FactorGraph:
    unary, counts, edges = arrays["unary"], arrays["counts"], arrays["edges"]
    rows = unary if (counts == unary.shape[1]).all() else [r[:c] for r, c in zip(unary, counts, strict=True)]
    pairwise: Any = arrays["pairwise"]
    if header["pairwise"] == "EdgeTables":
        first, second = counts[edges].T
        pairwise = EdgeTables.packed(pairwise, first, second)
    cliques = [(arrays[f"variables{k}"], arrays[f"table{k}"]) for k in range(header["cliques"])]
    return FactorGraph(rows, edges, pairwise, cliques)


_MAKERS = {"Grid": _make_grid, "Chain": _make_chain, "FactorGraph": _make_graph}
