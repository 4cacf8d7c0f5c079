# SPDX-License-Identifier: BSD-3-Clause
"""OpenGM's HDF5 files: costs to be minimised, as tables or by name (Potts, differences of labels, constants)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop._errors import UnsupportedError, need
from hedgehop.io.file_access import MAX_BYTES, FilePath, atomic_write, damage_as
from hedgehop.io.formats.factors import (
    LARGEST_COUNT,
    LARGEST_WHOLE,
    Factors,
    Integers,
    ScoreLimit,
    check_scope,
    factors_of,
    refuse_padding,
    scores_of_costs,
)
from hedgehop.models import FactorGraph, PairwiseModel, Potts

Shape = tuple[int, ...]
_FIRST_ID = 16000


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> FactorGraph:
    """Read the model of a file; infinite costs forbid."""
    with damage_as(f"{path} is not an OpenGM model"), _opened(path) as group:
        limit = ScoreLimit(Path(path).stat().st_size, max_bytes)
        file = _Numbers(path, group, limit)
        counts = file.wholes("numbers-of-states", LARGEST_COUNT)
        if counts.size == 0 or counts.min() < 1:
            raise ValueError("there must be at least one variable, and every one must have a label")
        refuse_padding(path, counts, limit)
        return Factors.of(counts, _tables(file, counts, limit)).model()


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a model: unary scores, cliques and tables of pairs as explicit functions, Potts pairs by their strength."""
    h5py = need("h5py", "io", "an OpenGM file")
    kinds = [_explicit(model), *([_potts_pairs(model)] if isinstance(model.pairwise, Potts) else [])]
    kinds = [kind for kind in kinds if kind.scopes]
    factors = [
        [number, place, len(scope), *scope]
        for place, kind in enumerate(kinds)
        for number, scope in enumerate(kind.scopes)
    ]
    header = [2, 0, model.n_variables, len(factors), len(kinds), *(n for k in kinds for n in (k.kind, len(k.scopes)))]
    whole = BytesIO()
    with h5py.File(whole, "w") as archive:
        group = archive.create_group("gm")
        group["header"] = np.array([*header, 1], np.uint64)  # 1: label counts follow, one per variable
        group["numbers-of-states"] = model.label_counts.astype(np.uint64)
        group["factors"] = np.array([number for factor in factors for number in factor], np.uint64)
        for kind in kinds:
            group[f"function-id-{kind.kind}/indices"] = np.array(kind.shapes, np.uint64)
            group[f"function-id-{kind.kind}/values"] = kind.values
    with atomic_write(path) as file:
        file.write(whole.getbuffer())


@dataclass(frozen=True)
class _Written:
    """Functions of one kind, one per factor."""

    kind: int
    scopes: list[tuple[int, ...]]
    shapes: list[int]
    values: Doubles


def _explicit(model: PairwiseModel) -> _Written:
    """Tables, first variable fastest; of pairs only if they are not given by strengths."""
    by_strength = isinstance(model.pairwise, Potts)
    tables = [(scope, table) for scope, table in factors_of(model) if not (by_strength and len(scope) == 2)]
    shapes = [number for _, table in tables for number in (table.ndim, *table.shape)]
    values = np.concatenate([0.0 - table.ravel(order="F") for _, table in tables])
    return _Written(_FIRST_ID, [scope for scope, _ in tables], shapes, values)


def _potts_pairs(model: PairwiseModel) -> _Written:
    """Costs of equal and of different labels, 0 and the strength."""
    strengths = model.pairwise.strengths.astype(np.float64)  # type: ignore[attr-defined]
    values = np.stack([np.zeros_like(strengths), strengths], axis=1).ravel()
    shapes = model.label_counts[model.edges].ravel().tolist()
    return _Written(_FIRST_ID + 6, [(i, j) for i, j in model.edges.tolist()], shapes, values)


@contextmanager
def _opened(path: FilePath) -> Iterator[Any]:
    """Open the group of the model: ``gm``, or whatever it is called."""
    with open(path, "rb") as file, need("h5py", "io", "an OpenGM file").File(file, "r") as archive:
        names = [name for name in archive if "numbers-of-states" in archive[name]]
        if not names:
            raise ValueError("it has no group with numbers-of-states")
        yield archive["gm" if "gm" in names else names[0]]


class _Numbers:
    """Data sets of a group, whose sizes are checked before they are read."""

    def __init__(self, path: FilePath, group: Any, limit: ScoreLimit) -> None:
        self.path, self._group, self._limit, self._room = path, group, limit, limit.max_bytes

    def __contains__(self, name: str) -> bool:
        return name in self._group

    def wholes(self, name: str, most: int = LARGEST_WHOLE) -> Integers:
        """Return whole numbers 0..most."""
        values = self._array(name)
        if values.size and not (values.dtype.kind in "iu" and values.min() >= 0 and values.max() <= most):
            raise ValueError(f"{name} must be whole numbers 0..{most}")
        return np.asarray(values, np.int64)

    def costs(self, name: str) -> Doubles:
        """Return numbers, finite or +inf."""
        values: Doubles = self._array(name).astype(np.float64)
        if not (values > -np.inf).all():
            raise ValueError(f"{name} must be finite costs or +inf")
        return values

    def _array(self, name: str) -> Any:
        data = self._group[name]
        self._room -= max(1, data.dtype.itemsize) * data.size
        if self._room < 0 or data.dtype.kind not in "iuf":
            raise ValueError(f"{name} is too large, or holds no numbers. Pass a larger max_bytes= to read it anyway")
        problem = self._limit.problem(float(data.size), f"the {data.size} numbers of {name}")
        if problem:  # a file need not hold numbers that were never written
            raise ValueError(problem)
        return np.asarray(data[()]).ravel()


class _Functions:
    """Functions of one kind: where each one's shape and values are."""

    def __init__(self, file: _Numbers, kind: int, count: int) -> None:
        name = f"function-id-{kind}"
        if kind not in _FUNCTIONS:
            problem = f"functions of kind {kind} are not supported; only tables, Potts and differences are."
            raise UnsupportedError(f"{file.path}: {problem}")
        self.make, n_values, self._with_length = _FUNCTIONS[kind]
        indices = file.wholes(f"{name}/indices").tolist()
        self._values = file.costs(f"{name}/values")
        self.shapes = list(self._shapes(indices, count))
        sizes = [int(np.prod(shape, dtype=object)) if n_values is None else n_values for shape in self.shapes]
        if sum(sizes) > self._values.size:
            raise ValueError(f"{name} has {self._values.size} values; its functions need {sum(sizes)}")
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    def _shapes(self, indices: list[int], count: int) -> Iterator[Shape]:
        place = 0
        for _ in range(count):
            length = indices[place] if self._with_length else 2
            place += self._with_length
            shape = tuple(indices[place : place + length])
            if len(shape) < length:
                raise ValueError("a function's shape is cut off")
            place += length
            yield shape

    def table(self, number: int) -> Doubles:
        """Return all costs of a function; its last variable changes fastest."""
        return self.make(self.shapes[number], self._values[self._starts[number] : self._starts[number + 1]])


def _tables(file: _Numbers, counts: Integers, limit: ScoreLimit) -> list[tuple[list[int], Doubles]]:
    """Scope and scores of every factor."""
    header = file.wholes("header").tolist()
    if len(header) < 5 or header[2] != counts.size or len(header) < 5 + 2 * header[4]:
        raise ValueError("its header is cut off, or does not fit the variables")
    declared = header[5 : 5 + 2 * header[4]]
    kinds = [
        _Functions(file, kind, count) if count else None
        for kind, count in zip(declared[::2], declared[1::2], strict=True)
    ]
    words = file.wholes("factors").tolist() if "factors" in file else []
    tables: list[tuple[list[int], Doubles]] = []
    place, entries = 0, 0.0
    for _ in range(header[3]):
        number, kind, order = words[place : place + 3]
        scope = words[place + 3 : place + 3 + order]
        place += 3 + order
        functions = kinds[kind]
        problem = check_scope(scope, counts)
        entries += 0 if problem else float(np.prod(counts[scope].astype(float)))
        problem = problem or limit.problem(entries, f"the tables of {len(tables) + 1} of {header[3]} factors")
        if problem or functions is None or tuple(counts[scope].tolist()) != functions.shapes[number]:
            raise ValueError(problem or f"factor {len(tables)} has a function of another shape than its variables")
        tables.append((scope, scores_of_costs(functions.table(number).copy(), np.inf)))
    return tables


def _potts(shape: Shape, values: Doubles) -> Doubles:
    """Return a table with one value where all labels agree, another elsewhere."""
    table = np.full(shape, values[1])
    agree = np.arange(min(shape, default=1))
    table[(agree,) * len(shape)] = values[0]
    return table


def _difference(power: int, truncated: bool) -> Callable[[Shape, Doubles], Doubles]:
    """Return a weight times a power of the labels' difference, perhaps at most so much."""

    def make(shape: Shape, values: Doubles) -> Doubles:
        steps = np.abs(np.subtract.outer(np.arange(float(shape[0])), np.arange(float(shape[1])))) ** power
        return np.asarray(values[-1] * (np.minimum(steps, values[0]) if truncated else steps))

    return make


# By OpenGM's number: how a table is made, of how many values (None: one per entry), and whether shapes begin with their
# length. Sparse tables (16001) are missing: OpenGM's own reader and writer of them disagree.
_FUNCTIONS: dict[int, tuple[Callable[[Shape, Doubles], Doubles], int | None, bool]] = {
    _FIRST_ID: (lambda shape, values: values.reshape(shape, order="F"), None, True),
    _FIRST_ID + 2: (_difference(1, truncated=False), 1, False),
    _FIRST_ID + 3: (_difference(1, truncated=True), 2, False),
    _FIRST_ID + 4: (_difference(2, truncated=False), 1, False),
    _FIRST_ID + 5: (_difference(2, truncated=True), 2, False),
    _FIRST_ID + 6: (_potts, 2, False),
    _FIRST_ID + 7: (_potts, 2, True),
    _FIRST_ID + 8: (lambda shape, values: np.full(shape, values[0]), 1, True),
}
