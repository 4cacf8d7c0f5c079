# SPDX-License-Identifier: BSD-3-Clause
"""The cfn format of toulbar2: cost functions by tables, with decimal costs, to be minimised or maximised."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hedgehop.io.file_access import MAX_BYTES, FilePath, atomic_write
from hedgehop.io.formats.cfn_functions import CfnVariables, Functions
from hedgehop.io.formats.factors import (
    LARGEST_WHOLE,
    Factors,
    ScoreLimit,
    factors_of,
    refuse_padding,
    scores_of_costs,
    top_of,
)
from hedgehop.io.formats.names import Names
from hedgehop.io.formats.nested_lists import WORD, NestedLists
from hedgehop.models import FactorGraph, PairwiseModel


@dataclass(frozen=True)
class Network:
    """A cost function network as a model, what its parts are called, and whether it held costs or scores."""

    model: FactorGraph
    names: Names
    costs: bool


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> Network:
    """Read a cost function network; the bound of "mustbe" says which costs forbid."""
    document = NestedLists(path, max_bytes)
    whole = document.lists(document.roots())
    parts = document.lists(document.children(whole[0])) if len(whole) == 1 else []
    if len(parts) != 3:
        raise document.error("a cfn file must hold the three parts problem, variables, functions", 0)
    sign, bound = _mustbe(document, parts[0])
    variables = CfnVariables(document, parts[1])
    limit = ScoreLimit(document.size, max_bytes)
    refuse_padding(path, variables.counts, limit)
    functions = Functions(document, parts[2], variables, limit)
    costs = functions.costs()
    scores = scores_of_costs(costs if sign > 0 else np.negative(costs, out=costs), sign * bound)
    model = Factors(variables.counts, functions.arities, functions.members, scores).model()
    return Network(model, variables.names(document), sign > 0)


def _mustbe(document: NestedLists, problem: int) -> tuple[float, float]:
    """1 and the upper bound of costs, or -1 and the lower bound of scores."""
    for token in document.children(problem).tolist():
        item = document.word(int(document.values[token])) if document.kinds[token] == WORD else ""
        if item[:1] in ("<", ">"):
            try:
                bound = float(item[1:])
            except ValueError:
                break
            if np.isfinite(bound):
                return (1.0, bound) if item[0] == "<" else (-1.0, bound)
    raise document.error('the problem must have "mustbe": "<bound" or ">bound"', problem)


def write(model: PairwiseModel, path: FilePath, names: Names | None = None) -> None:
    """Write a model: costs are negated scores in as many decimals as toulbar2 holds, forbidden ones are the bound."""
    top = top_of(model)
    if top >= LARGEST_WHOLE:
        raise ValueError(
            f"a cfn file holds scores that add up to less than 9e15; got {top:g}. Write an .LG file instead."
        )
    variables = _variables(model, names)
    scopes, tables = zip(*factors_of(model), strict=True)
    costs = 0.0 - np.concatenate([table.ravel() for table in tables])
    decimals = int(np.log10(LARGEST_WHOLE / top))  # toulbar2 counts costs in units of the last decimal
    words = [_decimal(cost, decimals) for cost in np.minimum(costs, top).tolist()]
    digits = max(len(word.partition(".")[2]) for word in words)
    bound = f"<{top:.0f}.{'0' * digits}" if digits else f"<{top:.0f}"
    with atomic_write(path) as file:
        header = f'{{"problem": {{"name": "hedgehop", "mustbe": "{bound}"}},\n"variables": {json.dumps(variables)},\n'
        file.write(f'{header}"functions": {{\n'.encode())
        rest = iter(words)
        lines = [
            f'"f{k}": {{"scope": {list(scope)}, "costs": [{",".join(islice(rest, table.size))}]}}'
            for k, (scope, table) in enumerate(zip(scopes, tables, strict=True))
        ]
        file.write((",\n".join(lines) + "\n}}\n").encode())


def _variables(model: PairwiseModel, names: Names | None) -> dict[str, int | tuple[str, ...]]:
    """Return the labels of each variable, by name, or how many there are."""
    counts = model.label_counts.tolist()
    if names is None or len(set(names.variables)) < len(counts):
        return {f"v{i}": count for i, count in enumerate(counts)}
    return {name: own or count for name, own, count in zip(names.variables, names.labels, counts, strict=True)}


def _decimal(value: float, decimals: int) -> str:
    """Return a number without exponent, with as many decimals as it needs, or as there may be."""
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").removesuffix(".") if "." in text else text
    return "0" if text == "-0" else text
