# SPDX-License-Identifier: BSD-3-Clause
"""Silence for HiGHS, which sometimes prints a line whatever its options say."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock, _silent, _before = Lock(), 0, None


@contextmanager
def quiet() -> Iterator[None]:
    """Drop what C code prints meanwhile; Python's own output is not touched, as it does not go through C.

    Where the C library does not allow it (musl, Windows), nothing is done.
    """
    global _silent, _before
    stream, nowhere = _streams()
    if stream is None:
        yield
        return
    with _lock:
        if _silent == 0:
            _before, stream.value = stream.value, nowhere
        _silent += 1
    try:
        yield
    finally:
        with _lock:
            _silent -= 1
            if _silent == 0:
                stream.value = _before


@cache
def _streams() -> tuple[Any, int | None]:
    """The variable in which the C library keeps its standard output, and a stream that leads nowhere."""
    name = "__stdoutp" if sys.platform == "darwin" else "stdout"
    try:
        library = ctypes.CDLL(None)
        if sys.platform != "darwin" and not hasattr(library, "gnu_get_libc_version"):  # elsewhere it is a constant
            return None, None
        library.fopen.restype = ctypes.c_void_p
        nowhere = library.fopen(os.devnull.encode(), b"w")
        return (ctypes.c_void_p.in_dll(library, name), nowhere) if nowhere else (None, None)
    except (AttributeError, OSError, TypeError, ValueError):
        return None, None
