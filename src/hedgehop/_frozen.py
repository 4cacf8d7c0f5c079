# SPDX-License-Identifier: BSD-3-Clause
"""Objects that do not change: attributes set once, arrays read-only, picklable, compared and named by content."""

from __future__ import annotations

from functools import cached_property, partial
from hashlib import sha256
from pickle import PicklingError
from types import CodeType, FunctionType, ModuleType
from typing import Any
from uuid import uuid4

import numpy as np

from hedgehop._arrays import freeze

_THIS_PROCESS = uuid4().hex


class Frozen:
    """Base of models, potentials and diversities: immutable after ``__init__``.

    Subclasses assign through ``self._set(name=value, ...)``; arrays become read-only on the way. Values of
    ``functools.cached_property`` are dropped when pickled and recomputed on demand.
    """

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            self.__dict__[name] = freeze(value) if isinstance(value, np.ndarray) else value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be changed. Create a new object.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be deleted.")

    def __getstate__(self) -> dict[str, Any]:
        cached = {k for k in self.__dict__ if isinstance(getattr(type(self), k, None), cached_property)}
        return {k: v for k, v in self.__dict__.items() if k not in cached}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            if isinstance(value, np.ndarray):  # unpickled arrays are private but writable again
                value.flags.writeable = False
            self.__dict__[name] = value

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _same(self.__getstate__(), other.__getstate__())

    __hash__ = None  # type: ignore[assignment]  # compared by the content of arrays

    def digest(self) -> str:
        """Return a name by content: the same for equal objects, in every process, and another for all others.

        >>> import hedgehop as hh
        >>> hh.LinearHamming([1, 2]).digest() == hh.LinearHamming([1.0, 2.0]).digest() != hh.LinearHamming().digest()
        True
        """
        return digest(self)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.array_equal(a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


def digest(*values: Any) -> str:
    """Return a name of values by content: equal values, in the sense of :class:`Frozen`, have equal names.

    Functions count by their code and what it holds, classes by name, and what cannot be looked into by identity.
    """
    return _content(values).hex()[:32]


def _content(value: Any, within: tuple[int, ...] = ()) -> bytes:
    """Hash a value that is part of the values with the ids `within`; the hash of a whole is made of those of parts."""
    if id(value) in within:
        return _hash("itself", str(within.index(id(value))))
    part = partial(_content, within=(*within, id(value)))
    if isinstance(value, (tuple, list)):
        return _hash("sequence", *map(part, value))
    if isinstance(value, dict):
        return _hash("mapping", *sorted(map(part, value.items())))
    if isinstance(value, (set, frozenset)):
        return _hash("set", *sorted(map(part, value)))
    return _plain(value.item() if isinstance(value, np.generic) else value) or _hash("object", part(_state(value)))


def _plain(value: Any) -> bytes | None:
    """Hash a value without parts, None if it has some; like ``==``, it takes 1 for 1.0 and True, and 0.0 for -0.0."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return _hash("array", str(value.shape), np.add(value, 0.0, dtype=np.float64).tobytes())
    if isinstance(value, (int, float)):
        return _hash("number", str(value.as_integer_ratio() if abs(value) < np.inf else value))
    if isinstance(value, str):
        return _hash("text", value.encode(errors="surrogatepass"))
    if isinstance(value, bytes):
        return _hash("bytes", value)
    if isinstance(value, (type, ModuleType)):
        return _hash("name", f"{getattr(value, '__module__', '')} {getattr(value, '__qualname__', value.__name__)}")
    return None


def _state(value: Any) -> tuple[Any, ...]:
    """Return what makes an object what it is: code, or what pickle would keep."""
    try:
        if isinstance(value, CodeType):
            return value.co_code, value.co_consts, value.co_names
        if isinstance(value, FunctionType):
            held = [cell.cell_contents for cell in value.__closure__ or ()]
            return value.__module__, value.__code__, value.__defaults__, value.__kwdefaults__, held
        if isinstance(value, np.ndarray):
            return value.shape, value.tolist()
        return type(value), getattr(value, "__module__", None), value.__reduce_ex__(2)
    except (PicklingError, TypeError, ValueError):
        return _THIS_PROCESS, id(value)


def _hash(kind: str, *parts: str | bytes) -> bytes:
    total = sha256(kind.encode())
    for part in parts:
        total.update(b"\0")
        total.update(part.encode() if isinstance(part, str) else part)
    return total.digest()
