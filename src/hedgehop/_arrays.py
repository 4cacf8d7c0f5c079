# SPDX-License-Identifier: BSD-3-Clause
"""Arrays at the border: checked once, then read-only for good.

Every error here says what is wrong, what was given and what to do.
"""

from __future__ import annotations

import weakref
from hashlib import sha256
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]
Labels = NDArray[np.int32]
Ints = NDArray[np.integer[Any]]

LABEL = np.int32
_LARGE = 2**12  # labels, which take longer to check than to remember
_LONG_KEY = 2**16  # bytes of a labeling


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only, C-ordered array that nobody else can change.

    An array that is already read-only (and owns its data) is taken as it is, so a large array can be
    handed over without a copy by setting ``array.flags.writeable = False`` first. Anything else is copied.
    """
    return own(np.array(array, order="C", copy=True) if _is_shared(array) else np.ascontiguousarray(array))


def _is_shared(array: NDArray[Any]) -> bool:
    """Whether others can change an array."""
    return array.flags.writeable or (isinstance(array.base, np.ndarray) and array.base.flags.writeable)


def frozen_and_extent(array: NDArray[Any]) -> tuple[NDArray[Any], tuple[float, float]]:
    """Return what :func:`freeze` and :func:`extent` do, in one pass over large arrays."""
    if _is_shared(array) and _is_plain(array):
        copied = _core.scores.copied if array.dtype == np.float64 else _core.scores.copied_floats
        flat, low, high = copied(array)
        return own(own(flat).reshape(array.shape)), (low, high)  # both: a view of what can change is copied again
    frozen = freeze(array)
    return frozen, extent(frozen)


def own(array: NDArray[Any]) -> NDArray[Any]:
    """Make a fresh array read-only in place: for arrays that this library has just computed."""
    array.flags.writeable = False
    return array


def scores(values: ArrayLike, name: str, *, ndim: int | tuple[int, ...] | None = None) -> Floats:
    """Check an array of scores: real numbers or -inf (forbidden), float32 and float64 kept as given."""
    array = _real(values, name, ndim)
    _require_scores(array, extent(array), name)
    return array


def frozen_scores(
    values: ArrayLike, name: str, *, ndim: int | tuple[int, ...] | None = None
) -> tuple[Floats, tuple[float, float]]:
    """Check an array of scores; return it read-only, with its smallest and largest number."""
    array, found = frozen_and_extent(_real(values, name, ndim))
    _require_scores(array, found, name)
    return array, found


def _real(values: ArrayLike, name: str, ndim: int | tuple[int, ...] | None) -> Floats:
    array = _numeric(values, name)
    if array.dtype not in (np.float32, np.float64):
        array = own(array.astype(np.float64))
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if allowed is not None and array.ndim not in allowed:
        wanted = " or ".join(str(k) for k in allowed)
        raise ValueError(f"{name} must have {wanted} dimensions; got shape {array.shape}.")
    return array


def _require_scores(array: Floats, found: tuple[float, float], name: str) -> None:
    if not found[1] < np.inf:  # what is not a number is not below
        refuse_nan(array, name)
        text = f"{name} must not contain +inf; got one. Use a large finite score, or -inf elsewhere to forbid."
        raise ValueError(text)


def finite(values: ArrayLike, name: str, *, shape: tuple[int, ...] | None = None, at_least: float = -np.inf) -> Doubles:
    """Check an array of finite numbers, returned as read-only doubles."""
    array = _numeric(values, name)
    doubles, (low, high) = frozen_and_extent(array if array.dtype == np.float64 else own(array.astype(np.float64)))
    if not (low > -np.inf and high < np.inf):
        refuse_nan(array, name)
        raise ValueError(f"{name} must be finite; got an infinite entry.")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {array.shape}.")
    if low < at_least:
        raise ValueError(f"{name} must be >= {at_least:g}; got {low:g}.")
    return doubles


def weights(values: ArrayLike, name: str, n: int | None = None) -> Doubles:
    """Check nonnegative weights, one per variable."""
    array = finite(values, name)
    if array.ndim == 0 or (n is not None and array.size != n):
        raise ValueError(f"{name} must have one entry per variable ({n}); got shape {array.shape}.")
    if (array < 0).any():
        raise ValueError(f"{name} must be nonnegative; got {array.min():g}.")
    return freeze(array.reshape(-1))


def vector(values: ArrayLike, name: str) -> Doubles:
    """Check a one-dimensional array of finite numbers."""
    array = finite(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; got shape {array.shape}.")
    return array


def levels_of(pixels: NDArray[Any]) -> Doubles:
    """Return the pixels of an image between 0 and 1: bytes by their range, other numbers by their own."""
    levels = finite(pixels, "image")
    if pixels.dtype in (np.uint8, np.uint16):
        return levels / np.iinfo(pixels.dtype).max
    low, high = float(levels.min()), float(levels.max())
    if low >= 0.0 and high <= 1.0:
        return levels
    return (levels - low) / (high - low) if high > low else np.zeros_like(levels)


def integers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Check an array of whole numbers."""
    array = _numeric(values, name)
    if array.dtype == bool or (array.dtype.kind in "iu" and array.dtype != np.uint64):
        return array.astype(np.int64)
    whole = np.isfinite(array) & (array == np.floor(array))
    if not whole.all():
        raise ValueError(f"{name} must be whole numbers; got {array[~whole].flat[0]}.")
    if array.size and np.abs(array).max() >= 2.0**63:
        raise ValueError(f"{name} must be below 2^63; got {array.flat[int(np.abs(array).argmax())]:g}.")
    return array.astype(np.int64)


def labels(values: ArrayLike, name: str, *, stacked: bool = False) -> Labels:
    """Check one labeling, (n,), or several stacked along a first axis, (m, n), of a model that is not known yet."""
    array = integers(values, name)
    if array.size == 0 or (stacked and array.ndim > 2):
        wanted = "(n,) or (m, n)" if stacked else "(n,)"
        raise ValueError(f"{name} must have shape {wanted}, at least one label; got {array.shape}.")
    if array.min() < 0 or array.max() > np.iinfo(LABEL).max:
        wrong = int(array.min() if array.min() < 0 else array.max())
        raise ValueError(f"{name} must hold labels from 0 to 2^31 - 1; got {wrong}.")
    return own(np.ascontiguousarray(np.atleast_2d(array) if stacked else array.reshape(-1), LABEL))


def refuse_nan(array: NDArray[Any], name: str) -> None:
    """Refuse NaN, saying where the first one is."""
    bad = np.isnan(array)
    if bad.any():
        where = tuple(int(k) for k in np.argwhere(bad)[0])
        raise ValueError(f"{name} must not contain NaN; the first is at index {where}. Replace it first.")


def extent(array: NDArray[Any]) -> tuple[float, float]:
    """Smallest and largest number; both nan if any number is nan, (inf, -inf) for an empty array."""
    if _is_plain(array):
        return _core.scores.extent(array)  # one pass
    return (float(array.min()), float(array.max())) if array.size else (np.inf, -np.inf)


def _is_plain(array: NDArray[Any]) -> bool:
    """Whether an array is one that kernels read as it is."""
    return array.dtype in (np.float32, np.float64) and array.flags.c_contiguous


def flag(value: Any, name: str) -> bool:
    """Check an option that is on or off."""
    if not isinstance(value, (bool, np.bool_, int)):
        raise TypeError(f"{name} must be True or False; got {value!r}.")
    return bool(value)


def several(values: Any, name: str, what: str) -> tuple[Any, ...]:
    """Check that an argument is a list of things, not a single one."""
    try:
        return tuple(values)
    except TypeError:
        raise TypeError(f"{name} must be a list of {what}; got {values!r}.") from None


def is_one_of(value: Any, names: tuple[str, ...]) -> bool:
    """Whether a value is one of some names; anything else, arrays included, is not."""
    return isinstance(value, str) and value in names


def is_tensor(values: Any) -> bool:
    """Whether values have gradients or a device to leave before they are an array, as those of torch."""
    return callable(getattr(values, "detach", None)) and not isinstance(values, np.ndarray)


def without_gradients(tensor: Any) -> Any:
    """Return a tensor without gradients, on the CPU, in a type that numpy has."""
    for leave in ("detach", "cpu"):
        if callable(getattr(tensor, leave, None)):
            tensor = getattr(tensor, leave)()
    is_short = str(getattr(tensor, "dtype", "")).endswith("bfloat16")  # as mixed precision gives them
    return tensor.float() if is_short and callable(getattr(tensor, "float", None)) else tensor


def rectangular(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return an array of anything, of nested lists that have the same length, or of a tensor with gradients."""
    try:
        return np.array(without_gradients(values)) if is_tensor(values) else np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a rectangular array of numbers; got ragged rows.") from error


def positive_count(value: Any, name: str) -> int:
    """Check a count such as m: a whole number >= 1."""
    return count(value, name, 1)


def count(value: Any, name: str, low: int = 0) -> int:
    """Check a whole number, at least `low` and below 2^63."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number; got {value!r}.")
    if value < low:
        raise ValueError(f"{name} must be at least {low}; got {value}.")
    if value >= 2**63:
        raise ValueError(f"{name} must be below 2^63; got {value}.")
    return int(value)


def number(value: Any, name: str, *, low: float = -np.inf, strict: bool = False) -> float:
    """Check a finite real number, at least (or, if strict, above) `low`."""
    try:
        result = np.nan if np.iscomplexobj(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be a number; got {value!r}.") from None
    if not np.isfinite(result) or result < low or (strict and result == low):
        wanted = "finite" if low == -np.inf else f"{'>' if strict else '>='} {low:g} and finite"
        raise ValueError(f"{name} must be {wanted}; got {value!r}.")
    return result


class _CheckedLabelings:
    """Large arrays that are known to hold labels of variables, as long as they live: lists are asked about often."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], weakref.ref[Any]]] = {}

    def holds(self, array: NDArray[Any], counts: Ints) -> bool:
        """Whether this very array was checked against these very numbers of labels."""
        known = self._known.get(id(array))
        return known is not None and known[0]() is array and known[1]() is counts and not array.flags.writeable

    def add(self, array: NDArray[Any], counts: Ints) -> None:
        """Take note of an array that nobody can change, if checking it again would take time."""
        if array.size < _LARGE or _is_shared(array) or _is_shared(counts):
            return
        key = id(array)
        self._known[key] = weakref.ref(array, lambda _: self._known.pop(key, None)), weakref.ref(counts)


_CHECKED = _CheckedLabelings()


def key_of(labeling: NDArray[np.integer]) -> bytes:
    """Return a key that identifies a labeling in sets and dictionaries; of a long one, a short key."""
    whole = np.ascontiguousarray(labeling, np.int32).tobytes()
    return whole if len(whole) <= _LONG_KEY else sha256(whole).digest()


def as_labelings(values: ArrayLike, shape: tuple[int, ...], counts: Ints) -> tuple[Labels, bool]:
    """Return labelings as an (m, n) array and whether a single one was given.

    Accepts one labeling of the model's shape (or flat), or many stacked along a first axis.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError("labelings must all have the same length; got ragged rows.") from error
    n = counts.size
    if array.dtype == LABEL and array.flags.c_contiguous:  # the road of the solvers: nothing to convert
        if array.shape[1:] == (n,) and array.shape != shape:
            if not _CHECKED.holds(array, counts):
                _check_range(array, counts)
                _CHECKED.add(array, counts)
            return array, False
        if array.shape == shape:
            flat: Labels = array.reshape(1, n)
            _check_range(flat, counts)
            return flat, True
    if array.size == 0 and array.ndim > 0 and array.shape[0] == 0:
        return np.zeros((0, n), LABEL), False
    if array.shape in (shape, (n,)):
        single = True
    elif array.ndim > 0 and array.shape[1:] in (shape, (n,)):
        single = False
    else:
        raise ValueError(f"labelings must have shape {shape} or (m, {', '.join(map(str, shape))}); got {array.shape}.")
    whole = integers(array, "labelings").reshape(-1, n)
    _check_range(whole, counts)
    return np.ascontiguousarray(whole, LABEL), single


def linear_scores(scores: NDArray[np.floating[Any]], flat: Labels) -> Doubles:
    """``sum_i scores[i, y_i]`` of (m, n) labelings, in doubles: (m,)."""
    return _core.counts.linear_scores(np.ascontiguousarray(scores), np.ascontiguousarray(flat, LABEL))


def linear_sizes(scores: NDArray[np.floating[Any]], flat: Labels) -> Doubles:
    """``sum_i |scores[i, y_i]|`` of (m, n) labelings, in doubles: (m,)."""
    return _core.counts.linear_scores(np.ascontiguousarray(scores), np.ascontiguousarray(flat, LABEL), sizes=True)


def _check_range(flat: NDArray[np.integer[Any]], counts: Ints) -> None:
    if flat.size == 0 or (
        flat.dtype == LABEL
        and flat.flags.c_contiguous
        and _core.counts.are_labels(cast(Labels, flat), np.ascontiguousarray(counts, LABEL))
    ):
        return
    bad = (flat < 0) | (flat >= counts)
    if bad.any():
        row, variable = (int(k) for k in np.argwhere(bad)[0])
        raise ValueError(
            f"variable {variable} takes labels 0..{int(counts[variable]) - 1}; got {int(flat[row, variable])}."
        )


def _numeric(values: ArrayLike, name: str) -> NDArray[Any]:
    array = rectangular(values, name)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{name} must be an array of numbers; got {type(values).__name__} of {array.dtype}.")
    if array.dtype.kind == "c":
        raise TypeError(f"{name} must be real; got {array.dtype}.")
    return array
