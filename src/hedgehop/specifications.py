# SPDX-License-Identifier: BSD-3-Clause
"""Diversities and tradeoffs as text, for command lines and recipes: ``0.5*labels:log+hamming:0.01``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypeVar

from hedgehop._arrays import number
from hedgehop._plugins import plugins
from hedgehop.diversity import (
    Diversity,
    HammingBall,
    LabelCoverage,
    LinearHamming,
    RegionCoverage,
    TransitionCoverage,
    UseCoverage,
    VariableCoverage,
)
from hedgehop.io.labels import read_labels
from hedgehop.lists.tradeoff import TradeoffLike, per_variable, target

_TERM_SEPARATOR = re.compile(r"(?<![\d.][eE])\+")  # between terms, not in 1e+3
_SCALED_TERM = re.compile(r"([^*:]*)\*(.*)", re.DOTALL)


def parse_diversity(text: str) -> Diversity:
    """Return the diversity that a text describes.

    Parameters
    ----------
    text : str
        ``name:value:option=value``, or a sum of such terms, each optionally with a factor. The names are ``hamming``
        (smooth balls, by gamma), ``ball`` (exact balls, by radius), ``labels``, ``transitions``, ``variables`` and
        ``uses`` (by h), ``regions`` (by a label map in a file), ``linear``, and those of other packages
        (``hh.plugins("diversities")``); options are those of the classes.

    Examples
    --------
    >>> from hedgehop.specifications import parse_diversity
    >>> parse_diversity("0.5*variables:sqrt + hamming:0.01")
    0.5 * VariableCoverage(h='sqrt') + HammingBall(gamma=0.01, steer="exact")
    >>> parse_diversity("labels:log:parsimony=0:min-share=.01,.1").min_share
    (0.01, 0.1)
    """
    terms = [_term(part.strip()) for part in _TERM_SEPARATOR.split(text)]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def parse_tradeoff(text: str) -> TradeoffLike:
    """Return the tradeoff that a text describes: ``auto``, a number, ``target:SHARE`` or ``per-variable:NUMBER``.

    >>> from hedgehop.specifications import parse_tradeoff
    >>> parse_tradeoff("2"), parse_tradeoff("target:0.05")
    (2.0, Target(distance=0.05))
    """
    if text.strip() == "auto":
        return "auto"
    rule, colon, value = text.strip().partition(":")
    rules: dict[str, Callable[[float], TradeoffLike]] = {"target": target, "per-variable": per_variable}
    if colon and rule not in rules:
        raise ValueError(f"a tradeoff must be auto, a number, target:0.05 or per-variable:0.4; got {text!r}.")
    return rules[rule](_number(value)) if colon else number(_number(rule), "tradeoff", low=0.0)


Value = TypeVar("Value")
Reader = Callable[[str], Any]


def _reader(read: Callable[[str], Value], wanted: str) -> Callable[[str], Value]:
    """Return a function that reads one value, and says what was expected if it cannot."""

    def reads(text: str) -> Value:
        try:
            return read(text)
        except (KeyError, ValueError):
            raise ValueError(f"expected {wanted}; got {text!r}.") from None

    return reads


def _several(read: Reader) -> Reader:
    return lambda text: tuple(read(part) for part in text.split(",") if part)


_number, _whole = _reader(float, "a number"), _reader(int, "a whole number")
_truth = _reader({"yes": True, "no": False}.__getitem__, "yes or no")


@dataclass(frozen=True)
class _Named:
    """A diversity's class, its options with their readers, the first of which needs no name."""

    make: Callable[..., Diversity]
    options: dict[str, Reader]
    example: str
    first_is_needed: bool = False


_GROUP_OPTIONS: dict[str, Reader] = {
    "h": str,
    "parsimony": lambda text: text if text == "auto" else _number(text),
    "ignore": _several(_whole),
}
_DIVERSITIES = {
    "hamming": _Named(HammingBall, {"gamma": _number, "steer": str}, "hamming:0.01", True),
    "ball": _Named(HammingBall, {"radius": _whole, "steer": str}, "ball:20", True),
    "labels": _Named(
        LabelCoverage,
        _GROUP_OPTIONS | {"min_share": _several(_number), "weights": _several(_number)},
        "labels:log:parsimony=0",
    ),
    "transitions": _Named(
        TransitionCoverage, _GROUP_OPTIONS | {"ordered": _truth, "include_equal": _truth}, "transitions:sqrt"
    ),
    "variables": _Named(VariableCoverage, {"h": str}, "variables:log"),
    "uses": _Named(UseCoverage, {"h": str, "parsimony": _GROUP_OPTIONS["parsimony"]}, "uses:log"),
    "regions": _Named(
        RegionCoverage,
        {"regions": read_labels, "h": str, "parsimony": _GROUP_OPTIONS["parsimony"], "robust": _whole},
        "regions:map.png",
        True,
    ),
    "linear": _Named(LinearHamming, {}, "linear"),
}
EXAMPLES = tuple(kind.example for kind in _DIVERSITIES.values())


def _term(text: str) -> Diversity:
    """Read one term of a sum, with its factor."""
    scaled = _SCALED_TERM.fullmatch(text)
    if scaled:
        return _number(scaled[1].strip()) * _term(scaled[2].strip())
    name, *values = [part.strip() for part in text.split(":")]
    kind = _DIVERSITIES.get(name) or _added(name)
    if kind is None:
        known = ", ".join((*EXAMPLES, *plugins("diversities")))
        raise ValueError(f"unknown diversity {name!r}; known are {known}, and sums such as 0.5*labels+hamming:0.01.")
    options = dict(_option(name, kind, value, first=k == 0) for k, value in enumerate(values))
    if len(options) < len(values):
        raise ValueError(f"an option occurs twice in {text!r}.")
    if kind.first_is_needed and next(iter(kind.options)) not in options:
        raise ValueError(f"{name} needs a {next(iter(kind.options))}, as in {kind.example}; got {text!r}.")
    return kind.make(**options)


def _added(name: str) -> _Named | None:
    """A diversity of another package, with the options of its constructor."""
    make = plugins("diversities").get(name)
    if make is None:
        return None
    options = [p for p in signature(make).parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    needed = bool(options) and options[0].default is Parameter.empty
    return _Named(make, {p.name: _any_value for p in options}, f"{name}:..." if needed else name, needed)


def _any_value(text: str) -> Any:
    """Read yes or no, a number, several values, or else a word."""
    if "," in text:
        return tuple(_any_value(part) for part in text.split(","))
    for read in (_truth, _whole, _number):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _option(name: str, kind: _Named, text: str, first: bool) -> tuple[str, Any]:
    """Read ``option=value``, or the value alone of a diversity's first option."""
    key, equals, value = text.partition("=")
    if not equals and first and kind.options:
        key, value = next(iter(kind.options)), text
    option = key.replace("-", "_")
    if option not in kind.options:
        known = ", ".join(kind.options) or "none"
        raise ValueError(f"{name} has no option {text!r}; its options are: {known}, as in {kind.example}.")
    try:
        return option, kind.options[option](value)
    except OSError as error:
        raise ValueError(f"{value} of {name} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise ValueError(f"{option} of {name}: {error}") from None
