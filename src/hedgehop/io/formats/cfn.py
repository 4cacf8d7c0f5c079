# SPDX-License-Identifier: BSD-3-Clause
"""The cfn format of toulbar2: cost functions by tables, with decimal costs, to be minimised or maximised."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np

from hedgehop.io.file_access import MAX_BYTES, FilePath, atomic_write
from hedgehop.io.formats.cfn_functions import CfnVariables, Functions
from hedgehop.io.formats.factors import Factors, factors_of, refuse_padding, scores_of_costs, top_of
from hedgehop.io.formats.nested_lists import WORD, NestedLists
from hedgehop.models import FactorGraph, PairwiseModel


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> FactorGraph:
    """Read a cost function network; the bound of "mustbe" says which costs forbid."""
    document = NestedLists(path, max_bytes)
    whole = document.lists(document.roots())
    parts = document.lists(document.children(whole[0])) if len(whole) == 1 else []
    if len(parts) != 3:
        raise document.error("a cfn file must hold the three parts problem, variables, functions", 0)
    sign, bound = _mustbe(document, parts[0])
    variables = CfnVariables(document, parts[1])
    refuse_padding(variables.counts)
    functions = Functions(document, parts[2], variables)
    scores = scores_of_costs(sign * functions.costs(), sign * bound)
    return Factors(variables.counts, functions.arities, functions.members, scores).model()


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


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a model exactly: costs are negated scores in decimals, forbidden entries cost the bound."""
    top = top_of(model)
    variables = {f"v{i}": count for i, count in enumerate(model.label_counts.tolist())}
    scopes, tables = zip(*factors_of(model), strict=True)
    costs = 0.0 - np.concatenate([table.ravel() for table in tables])
    words = list(map(_decimal, np.minimum(costs, top).tolist()))
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


def _decimal(value: float) -> str:
    """Return the shortest decimal, without exponent, that reads as the same double."""
    text = repr(value)
    return np.format_float_positional(value, trim="-") if "e" in text else text.removesuffix(".0")
