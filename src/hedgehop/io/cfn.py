"""The cfn format of toulbar2: cost functions by tables, with decimal costs, to be minimised or maximised."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop._errors import UnsupportedError
from hedgehop.io.factors import (
    MOST_ENTRIES,
    Factors,
    Integers,
    check_scope,
    factors_of,
    refuse_padding,
    scores_of_costs,
    top_of,
)
from hedgehop.io.nested import Document, Node
from hedgehop.io.streams import MAX_BYTES, FilePath, complete
from hedgehop.models import FactorGraph, PairwiseModel

_TAGS = {"scope", "defaultcost", "costs"}


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> FactorGraph:
    """Read a cost function network; the bound of "mustbe" says which costs forbid."""
    document = Document(path, max_bytes)
    whole = document.root.nodes()
    parts = whole[0].nodes() if len(whole) == 1 else []
    if len(parts) != 3:
        raise document.error("a cfn file must hold the three parts problem, variables, functions", 0)
    sign, bound = _mustbe(document, parts[0])
    variables = _Variables(document, parts[1])
    refuse_padding(variables.counts)
    functions = _functions(document, parts[2])
    costs = _Costs(document, variables, functions)
    tables = [(costs.scope(f), scores_of_costs(sign * costs.table(f), sign * bound)) for f in functions]
    return Factors.of(variables.counts, tables).model()


def _mustbe(document: Document, problem: Node) -> tuple[float, float]:
    """1 and the upper bound of costs, or -1 and the lower bound of scores."""
    for item in problem:
        if isinstance(item, str) and item[:1] in ("<", ">"):
            try:
                bound = float(item[1:])
            except ValueError:
                break
            if np.isfinite(bound):
                return (1.0, bound) if item[0] == "<" else (-1.0, bound)
    raise document.error('the problem must have "mustbe": "<bound" or ">bound"', problem.place)


class _Variables:
    """Numbers of labels, and the names of variables and labels."""

    def __init__(self, document: Document, node: Node) -> None:
        self.names: dict[str, int] = {}
        self.labels: list[dict[str, int]] = []
        counts: list[int] = []
        for item in node:
            if isinstance(item, str):
                self.names[item] = len(counts)
                continue
            labels = [str(x) for x in item] if isinstance(item, Node) else []
            count = abs(item) if isinstance(item, float) else len(labels)
            if not 1 <= count < 2**31 or count != int(count):
                raise document.error(f"a variable needs a whole number of labels, at least 1; got {count}", node.place)
            counts.append(int(count))
            self.labels.append({name: k for k, name in enumerate(labels)})
        if not counts:
            raise document.error("there must be at least one variable", node.place)
        self.counts: Integers = np.array(counts, np.int64)


@dataclass
class _Function:
    node: Node
    name: str
    scope: Node
    default: float | None = None
    costs: Node | str = ""


def _functions(document: Document, node: Node) -> list[_Function]:
    functions: list[_Function] = []
    name = ""
    for item in node:
        if isinstance(item, Node):
            functions.append(_function(document, item, name))
            name = ""
        else:
            name = str(item)
    return functions


def _function(document: Document, node: Node, name: str) -> _Function:
    if "type" in node:
        kind = node[node.index("type") + 1] if node.index("type") + 1 < len(node) else "?"
        raise UnsupportedError(f"{document.path}: the cost function {kind!r} cannot be held; only tables can.")
    parts = [item for item in node if not (isinstance(item, str) and item in _TAGS)]
    if not parts or not isinstance(parts[0], Node):
        raise document.error("a cost function must have a scope, then costs", node.place)
    function = _Function(node, name, parts[0])
    rest = parts[1:]
    if rest and isinstance(rest[0], float):
        function.default = rest.pop(0)  # type: ignore[assignment]
    if len(rest) != 1 or isinstance(rest[0], float):
        raise document.error("a cost function must have one table of costs", node.place)
    function.costs = rest[0]
    return function


class _Costs:
    """Tables of cost functions, some of which name another's."""

    def __init__(self, document: Document, variables: _Variables, functions: list[_Function]) -> None:
        self._document, self._variables = document, variables
        self._named = {f.name: f for f in functions if isinstance(f.costs, Node)}
        self._room = float(MOST_ENTRIES)

    def scope(self, function: _Function) -> list[int]:
        """Variables of a function, by name or number."""
        names, scope = self._variables.names, []
        for item in function.scope:
            number = names.get(item, -1) if isinstance(item, str) else item
            if isinstance(number, Node) or number != int(number):
                raise self._document.error("a scope must hold names or numbers of variables", function.scope.place)
            scope.append(int(number))
        problem = check_scope(scope, self._variables.counts, self._room)
        if problem:
            raise self._document.error(problem, function.scope.place)
        return scope

    def table(self, function: _Function) -> Doubles:
        """Costs of a function, its own or another's of the same shape."""
        scope = self.scope(function)
        shape = tuple(self._variables.counts[scope].tolist())
        if isinstance(function.costs, str):
            other = self._named.get(function.costs)
            if other is None or tuple(self._variables.counts[self.scope(other)].tolist()) != shape:
                problem = f"costs name {function.costs!r}, which is no table of the same numbers of labels"
                raise self._document.error(problem, function.node.place)
            return self.table(other)
        self._room -= float(np.prod(shape))
        if function.default is None:
            return self._dense(function.costs, shape)
        return self._sparse(function.costs, shape, scope, function.default)

    def _dense(self, costs: Node, shape: tuple[int, ...]) -> Doubles:
        size = int(np.prod(shape))
        if len(costs) != size or not all(isinstance(cost, float) and np.isfinite(cost) for cost in costs):
            raise self._document.error(f"the table must have {size} finite costs; got {len(costs)} items", costs.place)
        return np.array(costs, float).reshape(shape)

    def _sparse(self, costs: Node, shape: tuple[int, ...], scope: list[int], default: float) -> Doubles:
        width = len(scope) + 1
        if len(costs) % width or not np.isfinite(default):
            raise self._document.error(f"costs must be tuples of {width - 1} labels and a cost", costs.place)
        table = np.full(shape, default)
        for start in range(0, len(costs), width):
            place = tuple(self._label(costs[start + k], v, costs) for k, v in enumerate(scope))
            cost = costs[start + width - 1]
            if not isinstance(cost, float) or not np.isfinite(cost):
                raise self._document.error(f"a cost must be a finite number; got {cost!r}", costs.place)
            table[place] = cost
        return table

    def _label(self, item: float | str | Node, variable: int, costs: Node) -> int:
        count = int(self._variables.counts[variable])
        label = self._variables.labels[variable].get(item, -1) if isinstance(item, str) else item
        if isinstance(label, Node) or not 0 <= label < count or label != int(label):
            raise self._document.error(f"variable {variable} has {count} labels; a tuple gives {item!r}", costs.place)
        return int(label)


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a model exactly: costs are negated scores in decimals, forbidden entries cost the bound."""
    top = top_of(model)
    variables = {f"v{i}": count for i, count in enumerate(model.label_counts.tolist())}
    tables = list(factors_of(model))
    digits = max(len(_decimal(x).partition(".")[2]) for _, table in tables for x in [*table.ravel().tolist(), 0.0])
    bound = f"<{top:.0f}.{'0' * digits}" if digits else f"<{top:.0f}"
    with complete(path) as file:
        header = f'{{"problem": {{"name": "hedgehop", "mustbe": "{bound}"}},\n"variables": {json.dumps(variables)},\n'
        file.write(f'{header}"functions": {{\n'.encode())
        lines = []
        for k, (scope, table) in enumerate(tables):
            costs = np.where(np.isneginf(table), top, -table).ravel().tolist()
            lines.append(f'"f{k}": {{"scope": {json.dumps(scope)}, "costs": [{",".join(map(_decimal, costs))}]}}')
        file.write((",\n".join(lines) + "\n}}\n").encode())


def _decimal(value: float) -> str:
    """Return the shortest decimal, without exponent, that reads as the same double."""
    return np.format_float_positional(value, trim="-") if np.isfinite(value) else "0"
