# SPDX-License-Identifier: BSD-3-Clause
"""hedgehop: M plausible, genuinely different answers from any structured model, with a certificate.

>>> import numpy as np, hedgehop as hh
>>> model = hh.Chain(emissions=np.eye(4, 3), transitions=np.zeros((3, 3)))
>>> found = hh.diverse(model, hh.HammingBall(gamma=0.5), m=3, tradeoff=2.0)
>>> found.labelings.shape
(3, 4)
"""

import re
from importlib import import_module
from pathlib import Path as _File
from typing import Any

__version__ = "0.1.0"

# The public names and where they live, as the stub beside this file lists them.
_PUBLIC = {
    name: module
    for module, name in re.findall(r"^from (\S+) import (\w+)", _File(__file__).with_suffix(".pyi").read_text(), re.M)
}
__all__ = [*_PUBLIC, "__version__"]


def __getattr__(name: str) -> Any:
    """Import public names on first use, so that ``import hedgehop`` stays fast."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'hedgehop' has no attribute {name!r}")
    module = _PUBLIC[name]
    value = import_module(f"hedgehop.{name}") if module == "hedgehop" else getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
