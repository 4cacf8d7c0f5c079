# SPDX-License-Identifier: BSD-3-Clause
"""Modules that take long to import, one after the other: two threads that import scipy at once may both fail.

Python breaks a deadlock between two threads that import each other's modules by showing one of them a module that is
not complete yet.
"""

from __future__ import annotations

import threading
from importlib import import_module

IMPORTING = threading.RLock()
_SLOW_TO_IMPORT = ("sklearn.ensemble", "sklearn.svm", "skimage.segmentation", "skimage.feature", "scipy.stats")


def import_slow_modules() -> None:
    """Import all of them, or wait until another thread has."""
    for name in _SLOW_TO_IMPORT:
        with IMPORTING:
            import_module(name)
