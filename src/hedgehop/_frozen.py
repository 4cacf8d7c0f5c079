# SPDX-License-Identifier: BSD-3-Clause
"""Objects that do not change: attributes set once, arrays read-only, picklable, compared by content."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from hedgehop._arrays import freeze


class Frozen:
    """Base of models, potentials and diversities: immutable after ``__init__``.

    Subclasses assign through ``self._set(name=value, ...)``; arrays become read-only on the way. Values of
    ``functools.cached_property`` are dropped when pickled and recomputed on demand.
    """

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            self.__dict__[name] = freeze(value) if isinstance(value, np.ndarray) else value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be changed. Make a new one.")

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


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.array_equal(a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)
