# SPDX-License-Identifier: BSD-3-Clause
"""What a batch does with each item: a handful of settings, from a small TOML file or from Python."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from hedgehop import metrics
from hedgehop._arrays import number, positive_count
from hedgehop._errors import need, said
from hedgehop.diversity import Diversity
from hedgehop.lists.result import DiverseList
from hedgehop.lists.selection import Certify, Method, check_method, diverse
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.models.base import Model
from hedgehop.oracles import get
from hedgehop.probabilities import weigh
from hedgehop.specifications import parse_diversity, parse_tradeoff

METRICS: dict[str, Callable[..., Any]] = {  # of label maps, where 255 means unknown
    "accuracy": partial(metrics.accuracy, ignore=255),
    "iou": partial(metrics.mean_iou, ignore=255),
}
_YOUNGER = {  # settings that older folders do not know
    "certify": "auto", "tolerance": None, "time_limit": None, "probabilities": False, "temperature": None,
}  # fmt: skip


@dataclass(frozen=True)
class Recipe:
    """Settings of :func:`hedgehop.diverse`, with diversity and tradeoff as text, and how images become models.

    Parameters
    ----------
    diversity, tradeoff : str
        As on the command line: ``"0.5*labels+hamming:0.01"``, ``"target:0.05"``, 0.3. "auto" is the default of
        :func:`hedgehop.diverse` or, for images with strokes, :meth:`hedgehop.Segmenter.suggest`.
    m, method, oracle, distinct, min_distance, refine, certify, tolerance, time_limit
        As in :func:`hedgehop.diverse`.
    probabilities : bool
        Whether to find how likely each labeling is the nearest one to the truth, for the files of results.
    temperature : float, optional
        As in :func:`hedgehop.weigh`; implies `probabilities`.
    smoothness, connectivity
        Of the grid made from scores: as in :class:`hedgehop.Grid`; with an image, smoothness is the strength of its
        contrast. For strokes, the smoothness of :class:`hedgehop.Segmenter`.
    segments : int
        Approximate number of superpixels of an image with strokes; 0 labels pixels.
    swap : bool
        Whether in files of strokes 1 is the object and 2 the background.
    scribbles, scores, truth : str, optional
        Where these files are for images given as files, relative to each image's folder: ``"strokes/{stem}.png"``,
        with ``{stem}`` its name without the suffix. Manifests have their own columns.
    metrics : tuple of str
        Metrics to compute if there is a truth: ``"accuracy"``, ``"iou"``.
    ignore : int
        The label of pixels whose true label is unknown.

    Examples
    --------
    >>> import hedgehop as hh
    >>> recipe = hh.batch.Recipe(diversity="variables", tradeoff="2", m=3)
    >>> len(recipe.solve(hh.FactorGraph([[1.0, 0.0]] * 4)))
    3
    """

    diversity: str = "auto"
    tradeoff: str = "auto"
    m: int = 5
    method: Method = "greedy"
    oracle: str = "auto"
    distinct: bool | Literal["auto"] = "auto"
    min_distance: float | None = None
    refine: bool = False
    certify: Certify = "auto"
    tolerance: float | None = None
    time_limit: float | None = None
    probabilities: bool = False
    temperature: float | None = None
    smoothness: float = 1.0
    connectivity: int = 4
    segments: int = 2000
    swap: bool = False
    scribbles: str | None = None
    scores: str | None = None
    truth: str | None = None
    metrics: tuple[str, ...] = ("accuracy", "iou")
    ignore: int = 255

    def __post_init__(self) -> None:
        for name in ("diversity", "tradeoff"):  # numbers are written as such in files, too
            object.__setattr__(self, name, str(getattr(self, name)))
        _ = self.chosen_diversity, self.chosen_tradeoff
        positive_count(self.m, "m")
        get(self.oracle)
        check_method(self.method)
        number(self.smoothness, "smoothness", low=0.0)
        for name in ("tolerance", "time_limit"):
            if getattr(self, name) is not None:
                number(getattr(self, name), name, low=0.0)
        if self.temperature is not None:
            number(self.temperature, "temperature", low=0.0, strict=True)
        if self.segments:
            positive_count(self.segments, "segments")
        object.__setattr__(self, "metrics", tuple(self.metrics))
        if self.scribbles and self.scores:
            raise ValueError("a recipe must have a pattern for scribbles or for scores, not both.")
        unknown = [name for name in self.metrics if name not in METRICS]
        if unknown:
            raise ValueError(f"unknown metric {unknown[0]!r}; known metrics are {', '.join(METRICS)}.")

    @staticmethod
    def read(path: str | PathLike[str]) -> Recipe:
        """Read a TOML file whose keys are the parameters above, those about models optionally in a table [model]."""
        toml = need("tomllib" if sys.version_info >= (3, 11) else "tomli", "cli", "a recipe")
        try:
            settings = toml.loads(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is not TOML: {said(error)}.") from error
        settings |= settings.pop("model", {})
        known = [field.name for field in fields(Recipe)]
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise ValueError(f"{path} has an unknown setting {unknown[0]!r}; known settings are {', '.join(known)}.")
        return Recipe(**settings)

    @property
    def beside(self) -> dict[str, str]:
        """Patterns of the files that belong to an image, or of the truths of models."""
        given = {"scribbles": self.scribbles, "scores": self.scores, "truth": self.truth}
        return {part: pattern for part, pattern in given.items() if pattern}

    @property
    def fingerprint(self) -> str:
        """A text that is the same for equal recipes and different for others."""
        given = {name: value for name, value in asdict(self).items() if value != _YOUNGER.get(name, ...)}
        return hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()

    @property
    def chosen_diversity(self) -> Diversity | None:
        """The diversity, None for "auto"."""
        return None if self.diversity == "auto" else parse_diversity(self.diversity)

    @property
    def chosen_tradeoff(self) -> TradeoffLike | None:
        """The tradeoff, None for "auto"."""
        return None if self.tradeoff == "auto" else parse_tradeoff(self.tradeoff)

    @property
    def options(self) -> dict[str, Any]:
        """Further options of :func:`hedgehop.diverse`, those that differ from the defaults."""
        names = ("method", "oracle", "distinct", "min_distance", "refine", "certify", "tolerance", "time_limit")
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(Recipe, name)}

    def solve(self, model: Model) -> DiverseList:
        """Find the list this recipe asks for."""
        found = diverse(model, self.chosen_diversity, self.m, parse_tradeoff(self.tradeoff), **self.options)
        return self.weighed(found)

    def weighed(self, found: DiverseList) -> DiverseList:
        """Return the list with the probabilities this recipe asks for."""
        if not self.probabilities and self.temperature is None:
            return found
        return weigh(found, temperature=1.0 if self.temperature is None else self.temperature)
