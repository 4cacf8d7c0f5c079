# SPDX-License-Identifier: BSD-3-Clause
"""hedgehop: M plausible, genuinely different answers from any structured model, with a certificate.

>>> import numpy as np, hedgehop as hh
>>> model = hh.Chain(emissions=np.eye(4, 3), transitions=np.zeros((3, 3)))
>>> found = hh.diverse(model, hh.HammingBall(gamma=0.5), m=3, tradeoff=2.0)
>>> found.labelings.shape
(3, 4)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_MODULES = (
    "baselines",
    "batch",
    "diversity",
    "interop",
    "io",
    "learning",
    "metrics",
    "models",
    "oracles",
    "potentials",
    "segmentation",
    "testing",
)
_NAMES = {
    "BoundError": "_errors",
    "Interrupted": "_errors",
    "InfeasibleError": "_errors",
    "MissingExtraError": "_errors",
    "UnsupportedError": "_errors",
    "Arborescence": "models",
    "Chain": "models",
    "FactorGraph": "models",
    "GraphMatching": "models",
    "Grid": "models",
    "Matching": "models",
    "Model": "models",
    "SpanningTree": "models",
    "contrast": "models",
    "Diversity": "diversity",
    "ExpectedBest": "diversity",
    "GroupCoverage": "diversity",
    "HammingBall": "diversity",
    "KindCoverage": "diversity",
    "LabelCoverage": "diversity",
    "LinearHamming": "diversity",
    "RegionCoverage": "diversity",
    "TransitionCoverage": "diversity",
    "VariableCoverage": "diversity",
    "Oracle": "oracles",
    "Step": "oracles",
    "DiverseList": "result",
    "best": "selection",
    "diverse": "selection",
    "stream": "selection",
    "per_variable": "tradeoff",
    "target": "tradeoff",
    "portfolio": "portfolios",
    "samples": "perturbation",
    "select": "pool",
    "Segmenter": "segmentation",
    "tune": "tuning",
    "load": "io.lists",
    "read": "io.files",
    "write": "io.files",
}
__all__ = [*_MODULES, *_NAMES, "__version__"]

if TYPE_CHECKING:
    from hedgehop import baselines as baselines
    from hedgehop import batch as batch
    from hedgehop import diversity as diversity
    from hedgehop import interop as interop
    from hedgehop import io as io
    from hedgehop import learning as learning
    from hedgehop import metrics as metrics
    from hedgehop import models as models
    from hedgehop import oracles as oracles
    from hedgehop import potentials as potentials
    from hedgehop import segmentation as segmentation
    from hedgehop import testing as testing
    from hedgehop._errors import BoundError as BoundError
    from hedgehop._errors import InfeasibleError as InfeasibleError
    from hedgehop._errors import Interrupted as Interrupted
    from hedgehop._errors import MissingExtraError as MissingExtraError
    from hedgehop._errors import UnsupportedError as UnsupportedError
    from hedgehop.diversity import Diversity as Diversity
    from hedgehop.diversity import ExpectedBest as ExpectedBest
    from hedgehop.diversity import GroupCoverage as GroupCoverage
    from hedgehop.diversity import HammingBall as HammingBall
    from hedgehop.diversity import KindCoverage as KindCoverage
    from hedgehop.diversity import LabelCoverage as LabelCoverage
    from hedgehop.diversity import LinearHamming as LinearHamming
    from hedgehop.diversity import RegionCoverage as RegionCoverage
    from hedgehop.diversity import TransitionCoverage as TransitionCoverage
    from hedgehop.diversity import VariableCoverage as VariableCoverage
    from hedgehop.io.files import read as read
    from hedgehop.io.files import write as write
    from hedgehop.io.lists import load as load
    from hedgehop.models import Arborescence as Arborescence
    from hedgehop.models import Chain as Chain
    from hedgehop.models import FactorGraph as FactorGraph
    from hedgehop.models import GraphMatching as GraphMatching
    from hedgehop.models import Grid as Grid
    from hedgehop.models import Matching as Matching
    from hedgehop.models import Model as Model
    from hedgehop.models import SpanningTree as SpanningTree
    from hedgehop.models import contrast as contrast
    from hedgehop.oracles import Oracle as Oracle
    from hedgehop.oracles import Step as Step
    from hedgehop.perturbation import samples as samples
    from hedgehop.pool import select as select
    from hedgehop.portfolios import portfolio as portfolio
    from hedgehop.result import DiverseList as DiverseList
    from hedgehop.segmentation import Segmenter as Segmenter
    from hedgehop.selection import best as best
    from hedgehop.selection import diverse as diverse
    from hedgehop.selection import stream as stream
    from hedgehop.tradeoff import per_variable as per_variable
    from hedgehop.tradeoff import target as target
    from hedgehop.tuning import tune as tune


def __getattr__(name: str) -> Any:
    """Import public names on first use, so that ``import hedgehop`` stays quick."""
    if name in _MODULES:
        return import_module(f"hedgehop.{name}")
    if name in _NAMES:
        value = getattr(import_module(f"hedgehop.{_NAMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'hedgehop' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
