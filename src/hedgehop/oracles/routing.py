# SPDX-License-Identifier: BSD-3-Clause
"""Which oracle solves a step: one table, read from the top (docs/solvers.md is made from it)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from hedgehop._arrays import Doubles
from hedgehop._errors import UnsupportedError
from hedgehop.models.base import Model
from hedgehop.models.graph_matching import GraphMatching
from hedgehop.models.linear import LinearModel
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.exact.exhaustive import bits
from hedgehop.oracles.folding import fold, kinds
from hedgehop.oracles.pairwise.swap import is_one_cut
from hedgehop.oracles.program.structure_rows import structure_columns
from hedgehop.oracles.registry import built_in_and_installed, why_not
from hedgehop.potentials import Potential

_SMALL = 3000  # columns of an integer program that is about as quick as anything else
_SMALL_SAMPLES = 1000  # the same with samples to agree with
_SMALL_BALLS = 400  # the same with several balls
_LISTED_AT_ONCE = 16  # bits of the number of labelings that are tried in hundredths of a second
_QUICK_BLOSSOMS = 20_000  # nodes times edges up to which blossoms in Python take no longer than an integer program

Condition = Callable[[Model, Sequence[Potential]], bool]


def is_small(model: Model, columns: int = _SMALL) -> bool:
    """Whether proving the optimum by an integer program is about as quick as anything else."""
    if not isinstance(model, PairwiseModel):
        return isinstance(model, UnaryModel) and model.unary.size <= columns
    attracts = isinstance(model.pairwise, Potts)  # else relaxations are loose, and programs need many branches
    size = model.unary.size + len(model.edges) * model.n_labels ** (1 if attracts else 2)
    return size <= (columns if attracts else columns // 3)


@dataclass(frozen=True)
class Route:
    """One row: where the oracle can and the condition holds, it solves the step.

    Attributes
    ----------
    oracle : str
        Name of the oracle.
    model, potentials, size : str
        Where the row applies, in words.
    why : str
        Why the oracle is the choice there.
    holds : function of model and potentials
        The condition beyond what the oracle itself refuses.
    """

    oracle: str
    model: str
    potentials: str
    size: str
    why: str
    holds: Condition = lambda model, potentials: True


def _large(model: Model, potentials: Sequence[Potential]) -> bool:
    return not is_small(model)


def _large_for_balls(model: Model, potentials: Sequence[Potential]) -> bool:
    return not is_small(model, _SMALL_BALLS)


def _large_for_samples(model: Model, potentials: Sequence[Potential]) -> bool:
    return not is_small(model, _SMALL_SAMPLES)


def _large_structure(model: Model, potentials: Sequence[Potential]) -> bool:
    return _large(model, potentials) or (isinstance(model, LinearModel) and structure_columns(model) > _SMALL)


def _few_labelings(model: Model, potentials: Sequence[Potential]) -> bool:
    return bits(model, potentials) <= _LISTED_AT_ONCE


def _small_graph(model: Model, potentials: Sequence[Potential]) -> bool:
    return isinstance(model, GraphMatching) and model.n_nodes * model.n_variables <= _QUICK_BLOSSOMS


def _one_cut(model: Model, potentials: Sequence[Potential]) -> bool:
    return isinstance(model, PairwiseModel) and is_one_cut(model, fold(model, potentials)[2])


ROUTES = (
    Route("tree", "chains and forests", "linear; one distance", "any", "exact in one pass"),
    Route("matching", "`Matching`", "linear", "any", "exact: the Hungarian method"),
    Route("graph_matching", "`GraphMatching`", "linear", "small graphs", "exact: blossoms", _small_graph),
    Route("arborescence", "`Arborescence`", "linear", "any", "exact: Chu-Liu, Edmonds"),
    Route("spanning_tree", "`SpanningTree`", "linear; one distance", "any", "exact: Kruskal, and swaps"),
    Route("graphcut", "two labels that prefer to agree", "linear", "any", "exact: one minimum cut"),
    Route(
        "swap", "two labels that prefer to agree", "costs of labels and transitions, rewards of regions", "any",
        "exact: one minimum cut", _one_cut,
    ),
    Route("chain", "`Chain`", "sums over several distances", "short chains", "exact: tables of all counts"),
    Route("exhaustive", "any", "any", "up to 2^16 labelings", "exact, and tried at once", _few_labelings),
    Route("qpbo", "two labels, any pairs", "linear", "not small", "the bound of the linear program", _large),
    Route("trws", "pairwise", "linear", "not small", "near-optimal, with a bound", _large),
    Route("expansion", "pairwise", "used labels, regions", "not small", "strong moves, with a bound", _large),
    Route("swap", "pairwise", "transitions", "not small", "strong moves, with a bound", _large),
    Route("slopes", "any with a linear row", "distances", "above 400 columns", "few linear steps", _large_for_balls),
    Route(
        "agreement", "any with a linear row", "agreement with samples", "above 1000 columns",
        "few linear steps", _large_for_samples,
    ),
    Route("biases", "any with a linear row", "used labels and kinds", "not small", "linear steps", _large_structure),
    Route("ilp", "all that is built in", "all that is built in", "small", "exact, if it ends in time"),
    Route("slopes", "any with a linear row", "distances", "where no program can", "few linear steps"),
    Route("agreement", "any with a linear row", "agreement with samples", "where no program can", "few linear steps"),
    Route("graph_matching", "`GraphMatching`", "linear", "where no program can", "exact: blossoms"),
    Route("qpbo", "two labels, any pairs", "linear", "where no program can", "the bound of the linear program"),
    Route("trws", "pairwise", "linear", "where no program can", "near-optimal, with a bound"),
    Route("expansion", "pairwise", "used labels, regions", "where no program can", "strong moves, with a bound"),
    Route("biases", "any with a linear row", "used labels and kinds", "where no program can", "linear steps"),
    Route("swap", "pairwise", "transitions", "where no program can", "strong moves, with a bound"),
    Route("exhaustive", "any", "any, your own too", "up to 2^22 labelings", "nothing else can"),
    Route("messages", "pairwise", "distances", "never before others", "there to compare with"),
)  # fmt: skip


def routes(oracles: Mapping[str, Oracle], model: Model, potentials: Sequence[Potential]) -> list[Route]:
    """The table with the rows of plug-ins: before the others where they prefer to be, else after them."""
    known = {route.oracle for route in ROUTES}
    added = {name: oracle.preference(model, potentials) for name, oracle in oracles.items() if name not in known}
    rows = [Route(name, "", "", "", "a plug-in") for name in sorted(added, key=lambda name: -added[name])]
    return [r for r in rows if added[r.oracle] > 0] + list(ROUTES) + [r for r in rows if added[r.oracle] <= 0]


def choose(
    oracles: Mapping[str, Oracle], model: Model, potentials: Sequence[Potential], avoid: Collection[str] = ()
) -> Route:
    """The first row that holds and whose oracle can; one to avoid only where there is no other."""
    last: Route | None = None
    for route in routes(oracles, model, potentials):
        oracle = oracles[route.oracle]
        if oracle.refusal(model, potentials) is None and route.holds(model, potentials):
            if route.oracle not in avoid:
                return route
            last = last or route
    if last is None:
        reasons = why_not(oracles, model, potentials)
        raise UnsupportedError(f"no oracle can solve this step ({kinds(potentials) or 'no potentials'}): {reasons}.")
    return last


def explain(model: Model, potentials: Potential | Sequence[Potential] = ()) -> str:
    """Tell which row of the table applies to a step, and why no earlier one does.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> print(hh.oracles.explain(hh.Chain(np.zeros((3, 2)), np.eye(2))))
    tree, for chains and forests with potentials linear; one distance (size: any): exact in one pass
    """
    terms = (potentials,) if isinstance(potentials, Potential) else tuple(potentials)
    oracles = built_in_and_installed()
    chosen = choose(oracles, model, terms)
    lines = [
        f"{chosen.oracle}, for {chosen.model} with potentials {chosen.potentials} (size: {chosen.size}): {chosen.why}"
    ]
    for route in routes(oracles, model, terms):
        if route is chosen:
            break
        reason = oracles[route.oracle].refusal(model, terms) or f"only for size: {route.size}"
        lines.append(f"  not {route.oracle}: {reason}")
    return "\n".join(lines)


class Auto(Oracle):
    """Chooses, step by step, the first oracle of the table that can handle the model and the potentials.

    Parameters
    ----------
    *instead : Oracle
        Oracles to use in place of those of the same name.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> quick = hh.oracles.Auto(hh.oracles.Ilp(time_limit=1.0))  # as "auto", but patient for a second only
    >>> hh.best(hh.Chain(np.zeros((3, 2)), np.eye(2)), oracle=quick).oracle
    'tree'
    """

    name = "auto"
    summary = "chooses among the others by model and potentials"

    def __init__(self, *instead: Oracle) -> None:
        self.oracles = {**built_in_and_installed(), **{o.name: o for o in instead}}

    def on(self, model: Model) -> AutoSolver:
        """Return a solver that asks others, and keeps them."""
        return AutoSolver(self, model)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse what every oracle refuses."""
        able = any(o.refusal(model, potentials) is None for o in self.oracles.values())
        return None if able else why_not(self.oracles, model, potentials)

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        """Ask the chosen oracle."""
        return self.choice(model, potentials).max_marginals(model, potentials)

    def choice(self, model: Model, potentials: Sequence[Potential], avoid: Collection[str] = ()) -> Oracle:
        """Return the oracle that solves a step."""
        return self.oracles[choose(self.oracles, model, potentials, avoid).oracle]


class AutoSolver(Solver):
    """The solvers of all oracles chosen so far."""

    oracle: Auto

    def __init__(self, oracle: Auto, model: Model) -> None:
        super().__init__(oracle, model)
        self._solvers: dict[str, Solver] = {}

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Let the chosen oracle solve it."""
        chosen = self.oracle.choice(self.model, potentials)
        if chosen.name not in self._solvers:
            self._solvers[chosen.name] = chosen.on(self.model)
        return self._solvers[chosen.name].maximize(potentials)

    def refusal(self, potentials: Sequence[Potential]) -> str | None:
        """None: choosing refuses what nobody can do."""
        return None
