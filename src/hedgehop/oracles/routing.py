# SPDX-License-Identifier: BSD-3-Clause
"""Which oracle solves a step: one table, read from the top (docs/solvers.md is made from it).

Where another oracle leaves a gap, elimination closes it on narrow graphs, toulbar2 on small ones whose pairs contradict
each other, if it is installed; integer programs come last, on small ones and where messages leave next to no gap.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, log2

from hedgehop._arrays import Doubles
from hedgehop._errors import UnsupportedError
from hedgehop.models import LinearModel, Model, PairwiseModel, Program, SpanningTree
from hedgehop.oracles.base import Oracle, Solver, Step, better
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exact.elimination import loosest_bound
from hedgehop.oracles.exact.exhaustive import MOST_LABELINGS, bits
from hedgehop.oracles.exact.toulbar2 import table_cells
from hedgehop.oracles.folding import kinds, nonlinear
from hedgehop.oracles.pairwise.rest import without_worse_labels
from hedgehop.oracles.pairwise.swap import is_one_cut
from hedgehop.oracles.program.ilp import MOST_COLUMNS
from hedgehop.oracles.program.size import columns, is_small
from hedgehop.oracles.program.structure_rows import structure_columns
from hedgehop.oracles.registry import built_in_and_installed, why_not
from hedgehop.oracles.search.cycles import CyclesSolver
from hedgehop.oracles.splitting import without_splits
from hedgehop.potentials import Linear, Potential

_MANY_FLOWS = 1000  # columns of a program of trees beside those of its edges
_SMALL_CLIQUES = 20_000  # columns of a program of a model with cliques that ends soon
_NEARLY_TIGHT = 0.02  # of what messages have lowered the bound by, where programs of any size end soon
_SEARCHED_VARIABLES = 500  # of a model that branch and bound searches in seconds
_SEARCHED_CELLS = 2**20  # the same, scores of all its tables
_LISTED_AT_ONCE = 16  # bits of the number of labelings that are tried in hundredths of a second
_REMEMBERED_SCORES = 2**18  # of a step: choosing again takes longer than seeing that none is forbidden
_VARIABLES_OF_FEW = 20  # up to which only the number of labelings counts

Condition = Callable[[Model, Sequence[Potential]], bool]


@dataclass(frozen=True)
class Route:
    """One row: where the oracle can and the condition holds, it solves the step.

    Attributes
    ----------
    oracle : str
        Name of the oracle.
    model, potentials, size : str
        Where the row applies, as text.
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


def _few_labelings(model: Model, potentials: Sequence[Potential]) -> bool:
    many = model.n_variables / _VARIABLES_OF_FEW  # whole labelings are listed, held variables included
    return bits(model, potentials) + max(0.0, log2(many)) <= _LISTED_AT_ONCE


def _few_whole_solutions(model: Model, potentials: Sequence[Potential]) -> bool:
    """Whether a labeling is all of a solution, and all can be tried: others are completed by a program each."""
    whole = isinstance(model, Program) and not model.completed.size
    return whole and _few_labelings(model, potentials)


def _quicker_than_programs(model: Model, potentials: Sequence[Potential]) -> bool:
    if isinstance(model, LinearModel):
        return not is_small(model, potentials) or _needs_a_good_tree_first(model)
    limits = all(p.n_balls < 2 and p.relaxed_as != "lines" for p in potentials)
    return not (limits and _is_program_at_best(model))


def _needs_a_good_tree_first(model: LinearModel) -> bool:
    """Whether a program is so large that it pays to know which edges no better tree has (`pairwise/rest.py`)."""
    return isinstance(model, SpanningTree) and structure_columns(model) > _MANY_FLOWS


def _is_program_at_best(model: Model) -> bool:
    """Whether even linear steps are programs, so that a relaxation would solve many where one does."""
    if not isinstance(model, PairwiseModel) or not model.cliques or model.elimination_order is not None:
        return False
    return not _has_many_cliques(model)  # messages are, and take a fraction of the time


def _searchable(model: Model, potentials: Sequence[Potential]) -> bool:
    """Whether branch and bound is worth a try: pairs may contradict each other, and there are few variables."""
    if not isinstance(model, PairwiseModel) or (model.is_potts and not model.cliques):
        return False
    return model.n_variables <= _SEARCHED_VARIABLES and table_cells(model) <= _SEARCHED_CELLS


def _has_many_cliques(model: Model) -> bool:
    """Whether a model has cliques and more than a program takes seconds for."""
    return isinstance(model, PairwiseModel) and bool(model.cliques) and columns(model, ()) > _SMALL_CLIQUES


def _is_nearly_tight(model: Model, potentials: Sequence[Potential], step: Step) -> bool:
    """Whether messages have closed nearly all of the gap, so that the program's relaxation is tight, too."""
    assert isinstance(model, PairwiseModel)
    return step.upper_bound - step.value <= _NEARLY_TIGHT * (loosest_bound(model, potentials) - step.value)


def _one_cut(model: Model, potentials: Sequence[Potential]) -> bool:
    return isinstance(model, PairwiseModel) and is_one_cut(model, nonlinear(potentials))


_LISTED, _LISTABLE = f"up to 2^{_LISTED_AT_ONCE} labelings", f"up to 2^{MOST_LABELINGS.bit_length() - 1} labelings"
_WRITABLE = f"{MOST_COLUMNS:,} columns"
ROUTES = (
    Route("tree", "chains and forests", "linear; one distance", "any", "exact in one pass"),
    Route("matching", "`Matching`", "linear", "any", "exact: the Hungarian method"),
    Route("graph_matching", "`GraphMatching`", "linear", "any", "exact: blossoms"),
    Route("arborescence", "`Arborescence`", "linear", "any", "exact: Chu-Liu, Edmonds"),
    Route("path", "`Path`", "linear", "any", "exact, if no route gets shorter by going in circles: A*"),
    Route("viterbi", "`Automaton`, `Cfg`", "linear", "any", "exact: dynamic programming"),
    Route(
        "exhaustive", "`Program` of integers only", "any", _LISTED,
        "exact, and sooner than a program for each step", _few_whole_solutions,
    ),
    Route("milp", "`Program`", "all built-in ones", "any", "exact if it finishes in time: HiGHS"),
    Route("own_solver", "`Structure`", "linear", "any", "as exact as the solver it was given"),
    Route("spanning_tree", "`SpanningTree`", "linear; one distance", "any", "exact: Kruskal, and swaps"),
    Route("graphcut", "two labels that prefer to agree", "linear", "any", "exact: one minimum cut"),
    Route(
        "swap", "two labels that prefer to agree", "costs of labels and transitions, rewards of regions", "any",
        "exact: one minimum cut", _one_cut,
    ),
    Route("chain", "`Chain`", "sums over several distances", "short chains", "exact: tables of all counts"),
    Route("exhaustive", "any", "any", _LISTED, "exact, and immediate", _few_labelings),
    Route("qpbo", "two labels, any pairs", "linear", "any", "the bound of the linear program"),
    Route("trws", "pairwise", "linear", "any", "near-optimal, with a bound"),
    Route("expansion", "pairwise", "used labels, regions", "any", "strong moves, with a bound"),
    Route("swap", "pairwise", "transitions", "any", "strong moves, with a bound"),
    Route(
        "lagrangian", "any with a linear row", "distances, samples, used labels, kinds, regions",
        f"all but small trees, matchings and parses, and wide graphs of cliques up to {_SMALL_CLIQUES:,} columns",
        "few linear steps, with a bound",
        _quicker_than_programs,
    ),
    Route("elimination", "pairwise, cliques", "linear", "small width", "exact: tables of few variables"),
    Route(
        "toulbar2", "pairwise, cliques", "linear", f"up to {_SEARCHED_VARIABLES} variables, if installed",
        "branch and bound, with a bound", _searchable,
    ),
    Route(
        "mplp", "cliques", "linear", f"more than {_SMALL_CLIQUES:,} columns", "a good labeling, with a bound",
        lambda model, potentials: _has_many_cliques(model),
    ),
    Route("ilp", "all built-in ones", "all built-in ones", _WRITABLE, "exact if it finishes in time"),
    Route("lagrangian", "any with a linear row", "the same", "too large for `ilp`", "few linear steps, with a bound"),
    Route("exhaustive", "any", "any, including your own", _LISTABLE, "if nothing else applies"),
    Route(
        "cycles", "pairwise, cliques", "linear", "after `qpbo`, `trws` and `mplp`",
        "a lower bound where pairs contradict each other",
    ),
    Route("messages", "pairwise", "distances", "last", "for comparison"),
)  # fmt: skip


_TEACHING = ("graphcut", "expansion", "toulbar2", "ilp")  # whose bounds of lists begin where their steps ended
_ROUTED = {route.oracle for route in ROUTES}


def routes(oracles: Mapping[str, Oracle], model: Model, potentials: Sequence[Potential]) -> Sequence[Route]:
    """The table with the rows of plug-ins: before the others if they prefer to be, otherwise after them."""
    added = {name: oracle.preference(model, potentials) for name, oracle in oracles.items() if name not in _ROUTED}
    if not added:
        return ROUTES
    rows = [
        Route(name, "what it accepts", "the same", "any", "a plug-in")
        for name in sorted(added, key=lambda name: -added[name])
    ]
    return [r for r in rows if added[r.oracle] > 0] + list(ROUTES) + [r for r in rows if added[r.oracle] <= 0]


def choose(
    oracles: Mapping[str, Oracle], model: Model, potentials: Sequence[Potential], avoid: Collection[str] = ()
) -> Route:
    """The first row that holds and whose oracle can; one to avoid only if there is no other."""
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


def closer(
    oracles: Mapping[str, Oracle], chosen: str, model: Model, potentials: Sequence[Potential], step: Step | None = None
) -> str | None:
    """Which oracle closes the gap of the chosen one, if any: elimination, toulbar2, or a program that ends soon."""
    if chosen not in _ROUTED or chosen in ("ilp", "elimination"):
        return None
    if oracles["elimination"].refusal(model, potentials) is None:
        return "elimination"
    searched = chosen != "toulbar2" and _searchable(model, potentials)
    if searched and oracles["toulbar2"].refusal(model, potentials) is None:
        return "toulbar2"
    ends_soon = is_small(model, potentials)
    if chosen == "mplp" and step is not None:
        ends_soon = _is_nearly_tight(model, potentials, step)
    return "ilp" if ends_soon and oracles["ilp"].refusal(model, potentials) is None else None


def tightens(oracles: Mapping[str, Oracle], chosen: str, model: Model, potentials: Sequence[Potential]) -> bool:
    """Whether messages of short cycles may close a gap: of pairs that may contradict each other."""
    if chosen not in ("qpbo", "trws", "mplp", "toulbar2") or not isinstance(model, PairwiseModel) or model.is_forest:
        return False
    return oracles["cycles"].refusal(model, potentials) is None


def last_resort(model: Model, potentials: Sequence[Potential]) -> Oracle | None:
    """Return the oracle that decides whether any labeling is allowed, if the model is small enough for it."""
    program = built_in_and_installed()["ilp"]
    return program if is_small(model) and program.refusal(model, potentials) is None else None


def explain(model: Model, potentials: Potential | Sequence[Potential] = ()) -> str:
    """Say which row of the table applies to a step, and why the rows above it do not.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> print(hh.oracles.explain(hh.Chain(np.zeros((3, 2)), np.eye(2))))
    tree: chains and forests; linear; one distance (any). Exact in one pass
    """
    terms = without_splits((potentials,) if isinstance(potentials, Potential) else potentials)
    oracles = built_in_and_installed()
    chosen = choose(oracles, model, terms)
    lines = [f"{chosen.oracle}: {chosen.model}; {chosen.potentials} ({chosen.size}). {chosen.why.capitalize()}"]
    last = None if chosen.why.startswith("exact") else closer(oracles, chosen.oracle, model, terms)
    if tightens(oracles, chosen.oracle, model, terms):
        lines[0] += "; where pairs contradict each other, messages of short cycles narrow a gap"
    if last is not None:
        reason = "narrow" if last == "elimination" else "small"
        lines[0] += f"; the model is {reason}, so {last} closes any gap that remains"
    for route in routes(oracles, model, terms):
        if route == chosen:  # rows of plug-ins are made again each time
            break
        reason = oracles[route.oracle].refusal(model, terms) or f"only for {route.potentials} ({route.size})"
        lines.append(f"  not {route.oracle}: {reason}")
    return "\n".join(lines)


def as_markdown() -> str:
    """The table as the documentation shows it."""
    head = ["| oracle | model | potentials | size | why |", "|---|---|---|---|---|"]
    rows = [f"| `{r.oracle}` | {r.model} | {r.potentials} | {r.size} | {r.why} |" for r in ROUTES]
    return "\n".join([*head, *rows])


def is_built_in(oracle: Oracle) -> bool:
    """Whether an oracle is one of ours, not a plug-in or somebody's change of one."""
    return type(oracle).__module__.startswith("hedgehop.oracles.")


class Auto(Oracle):
    """Chooses, step by step, the first oracle of the table that can handle the model and the potentials.

    Parameters
    ----------
    *instead : Oracle
        Oracles to use in place of those of the same name.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> quick = hh.oracles.Auto(hh.oracles.Ilp(time_limit=1.0))  # as "auto", with one second per integer program
    >>> hh.best(hh.Chain(np.zeros((3, 2)), np.eye(2)), oracle=quick).oracle
    'tree'
    """

    name = "auto"
    summary = "chooses among the others by model and potentials"

    def __init__(self, *instead: Oracle) -> None:
        self.oracles = {**built_in_and_installed(), **{o.name: o for o in instead}}
        self.closes_gaps = True  # of small steps, by integer programs
        self.avoided: frozenset[str] = frozenset()  # oracles that take long and prove nothing

    def on(self, model: Model) -> AutoSolver:
        """Return a solver that delegates to others, and keeps them."""
        return AutoSolver(self, model)

    def for_bounds(self) -> Auto:
        """Return one that leaves gaps open: a program may take longer than the whole list."""
        quick = Auto(*(oracle.for_bounds() for oracle in self.oracles.values()))
        quick.closes_gaps = False
        return quick

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse what every oracle refuses."""
        able = any(o.refusal(model, potentials) is None for o in self.oracles.values())
        return None if able else why_not(self.oracles, model, potentials)

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        return self.choice(model, potentials).max_marginals(model, potentials)

    def delegate(self, name: str) -> Oracle:
        return self.oracles[name]

    def choice(self, model: Model, potentials: Sequence[Potential], avoid: Collection[str] = ()) -> Oracle:
        """Return the oracle that solves a step."""
        return self.oracles[choose(self.oracles, model, potentials, self.avoided.union(avoid)).oracle]


class AutoSolver(Solver):
    """The solvers of all oracles chosen so far."""

    oracle: Auto

    def __init__(self, oracle: Auto, model: Model) -> None:
        super().__init__(oracle, model)
        self._solvers: dict[str, Solver] = {}
        self._usual: Oracle | None = None
        self._last = ""  # oracle that was asked
        self._unproven: frozenset[str] = frozenset()
        self._remembers = isinstance(model, PairwiseModel) and model.unary.size <= _REMEMBERED_SCORES
        self._remembers = self._remembers and all(is_built_in(o) for o in oracle.oracles.values())

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Let the chosen oracle solve it; if it leaves a gap on a small model, a program closes it."""
        chosen = self._choice(potentials)
        step = self._solver(chosen).maximize(potentials)
        oracles = self.oracle.oracles
        if chosen.name == "toulbar2" and not step.exact:
            self._unproven = frozenset([chosen.name])
        if effort().suffices(self.model, potentials, step.value, step.upper_bound):
            return step
        if step.exact or not effort().needs_bounds:
            return step
        could = tightens(oracles, chosen.name, self.model, potentials)
        if could and self._closer(chosen, potentials, step) != "elimination":  # which closes the gap in less time
            cycles = self._solver(oracles["cycles"])
            if isinstance(cycles, CyclesSolver) and cycles.contradicts:
                step = better(self.model, cycles.tightened(potentials, step), step)
        last = None if step.exact else self._closer(chosen, potentials, step)
        if last is None:
            return step
        # Of the labels that a program need not consider, none belongs to a better labeling.
        left = self._without_worse_labels(potentials, step) if last == "ilp" else potentials
        return better(self.model, self._solver(oracles[last]).maximize(left), step)

    def _closer(self, chosen: Oracle, potentials: Sequence[Potential], step: Step) -> str | None:
        """Which oracle closes the gap of a step; None if gaps stay open."""
        closes = self.oracle.closes_gaps
        return closer(self.oracle.oracles, chosen.name, self.model, potentials, step) if closes else None

    def _choice(self, potentials: Sequence[Potential]) -> Oracle:
        """Choose an oracle; always the same one for steps that change the unary scores of a pairwise model.

        No row and no built-in oracle looks at these changes, except at labels that they forbid.
        """
        if not self._remembers or len(potentials) != 1 or type(potentials[0]) is not Linear:
            return self.oracle.choice(self.model, potentials)
        if potentials[0].theta.min(initial=0.0) == -inf:
            return self.oracle.choice(self.model, potentials)
        if self._usual is None:
            self._usual = self.oracle.choice(self.model, potentials)
        return self._usual

    @property
    def linear_oracle(self) -> Oracle | None:
        """The one that is chosen, if that does not depend on the change."""
        if not self._remembers or self._ordinary is not None:
            return None
        if self._usual is None:
            self._usual = self.oracle.choice(self.model, ())
        return self._usual

    def _without_worse_labels(self, potentials: Sequence[Potential], known: Step) -> Sequence[Potential]:
        marginals = partial(self.oracle.max_marginals, self.model)
        return without_worse_labels(self.model, potentials, known, marginals)

    def for_bounds(self) -> AutoSolver:
        """Return one that leaves gaps open, with copies of what cuts and moves have learned."""
        quick = self.oracle.for_bounds()
        quick.avoided = self.oracle.avoided | self._unproven  # messages bound as well in a fraction of the time
        other = quick.on(self.model)
        other._solvers = {name: s.for_bounds() for name, s in self._solvers.items() if name in _TEACHING}
        return other

    def pause(self) -> None:
        """Let all of them let go of what is large."""
        for solver in self._solvers.values():
            solver.pause()

    def by(self, oracle: Oracle) -> Solver:
        """Return the solver of the oracle of that name."""
        return self._solver(self.oracle.oracles.get(oracle.name, oracle))

    def _solver(self, oracle: Oracle) -> Solver:
        if oracle.name != self._last:
            self.pause()  # on large models, the kernels of one oracle at a time
            self._last = oracle.name
        if oracle.name not in self._solvers:
            self._solvers[oracle.name] = oracle.on(self.model)
        return self._solvers[oracle.name]

    def refusal(self, potentials: Sequence[Potential]) -> str | None:
        """None: choosing refuses what no oracle can solve."""
        return None
