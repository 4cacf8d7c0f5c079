"""What a batch does with each model: a handful of settings, from a small TOML file or from Python."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict, dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Literal

from hedgehop._arrays import positive_count
from hedgehop._errors import need
from hedgehop.models.base import Model
from hedgehop.oracles import get
from hedgehop.phrases import parse_diversity, parse_tradeoff
from hedgehop.result import DiverseList
from hedgehop.selection import Method, check_method, diverse


@dataclass(frozen=True)
class Recipe:
    """Settings of :func:`hedgehop.diverse`, with diversity and tradeoff in words.

    Parameters
    ----------
    diversity, tradeoff : str
        As on the command line: ``"0.5*labels+hamming:0.01"``, ``"target:0.05"``.
    m, method, oracle, distinct, min_distance, refine
        As in :func:`hedgehop.diverse`.

    Examples
    --------
    >>> import hedgehop as hh
    >>> recipe = hh.batch.Recipe(diversity="variables", tradeoff="2", m=3)
    >>> len(recipe.solve(hh.FactorGraph([[1.0, 0.0]] * 4)))
    3
    """

    diversity: str = "hamming:0.01"
    tradeoff: str = "1"
    m: int = 5
    method: Method = "greedy"
    oracle: str = "auto"
    distinct: bool | Literal["auto"] = "auto"
    min_distance: float | None = None
    refine: bool = False

    def __post_init__(self) -> None:
        parse_diversity(self.diversity)
        parse_tradeoff(self.tradeoff)
        positive_count(self.m, "m")
        get(self.oracle)
        check_method(self.method)

    @staticmethod
    def read(path: str | PathLike[str]) -> Recipe:
        """Read a TOML file whose keys are the parameters above."""
        toml = need("tomllib" if sys.version_info >= (3, 11) else "tomli", "cli", "a recipe")
        try:
            settings = toml.loads(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is not TOML: {error}.") from error
        known = [field.name for field in fields(Recipe)]
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise ValueError(f"{path} has an unknown setting {unknown[0]!r}; there are {', '.join(known)}.")
        words = {key: str(settings[key]) for key in ("diversity", "tradeoff") if key in settings}
        return Recipe(**(settings | words))

    @property
    def fingerprint(self) -> str:
        """The same for equal recipes, another for all others."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def solve(self, model: Model) -> DiverseList:
        """Find the list this recipe asks for."""
        return diverse(
            model, parse_diversity(self.diversity), self.m, parse_tradeoff(self.tradeoff), self.method, self.oracle,
            self.distinct, self.min_distance, self.refine,
        )  # fmt: skip
