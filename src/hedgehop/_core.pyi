"""
Compiled kernels of hedgehop. Arrays are C-contiguous, of exactly the stated dtype, never converted.
"""

from collections.abc import Sequence
from typing import Any, overload

import numpy
import numpy.typing


def anneal(unary: numpy.typing.NDArray[numpy.float64], label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], tables: numpy.typing.NDArray[numpy.float64], members: numpy.typing.NDArray[numpy.int32], starts: numpy.typing.NDArray[numpy.int64], cells: numpy.typing.NDArray[numpy.float64], labeling: numpy.typing.NDArray[numpy.int32], runs: int, sweeps: int, temperature: float) -> numpy.typing.NDArray[numpy.int32]:
    """
    A labeling no worse than the given one, by annealing from a temperature in several runs.

    tables holds L by L scores an edge, cells the tables of cliques, whose members are members[starts[c]:
    starts[c + 1]], end to end; all scores are finite.
    """

def are_arborescences(heads: numpy.typing.NDArray[numpy.int32], single_root: bool) -> numpy.typing.NDArray[numpy.uint8]:
    """
    Whether following (m, n) heads of words 1..n ends at the root 0 from everywhere.
    """

def best_arborescence(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    Best heads of words 1..n and their score, scores[i, h] being that of head h (0: the root) for word i + 1.

    The score is -inf if every arborescence is forbidden.
    """

def hamming(labelings: numpy.typing.NDArray[numpy.int32], references: numpy.typing.NDArray[numpy.int32], weights: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
    """
    Hamming distances of (m, n) labelings to (k, n) references, optionally with (n,) weights: (m, k).
    """

def label_counts(labelings: numpy.typing.NDArray[numpy.int32], n_labels: int) -> numpy.typing.NDArray[numpy.int64]:
    """
    Number of variables with each label in each of (m, n) labelings: (m, n_labels).
    """

def variable_counts(labelings: numpy.typing.NDArray[numpy.int32], n_labels: int) -> numpy.typing.NDArray[numpy.int64]:
    """
    Number of (m, n) labelings that give each variable each label: (n, n_labels).
    """

@overload
def linear_scores(scores: numpy.typing.NDArray[numpy.float32], labelings: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.float64]: ...

@overload
def linear_scores(scores: numpy.typing.NDArray[numpy.float64], labelings: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.float64]:
    """
    Sums of scores[i, y_i] over the variables of each of (m, n) labelings, in double: (m,).
    """

def transition_counts(labelings: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], n_labels: int) -> numpy.typing.NDArray[numpy.int64]:
    """
    Number of (E, 2) edges (i, j) with labels (a, b) in each of (m, n) labelings: (m, n_labels, n_labels).
    """

def ball_gain(labelings: numpy.typing.NDArray[numpy.int32], chosen: numpy.typing.NDArray[numpy.int32], decay: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """
    Exact gain of each of (m, n) labelings in smooth Hamming-ball coverage on top of (k, n) chosen ones.

    Two labelings overlap by exp(-sum of the (n,) decay where they differ); k is at most 20.
    """

def ball_prefix_gains(labeling: numpy.typing.NDArray[numpy.int32], chosen: numpy.typing.NDArray[numpy.int32], decay: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """
    Exact gains of one (n,) labeling on top of the first 1, 2, ... of the (k, n) chosen ones: (k,).
    """

class DistanceTerms:
    """
    Functions of the distances to (J, n) references: values at 0, unit, 2 unit, ...; linear between.

    With a second labeling, a term counts the variables where the two differ and y is neither.
    """

    def __init__(self, references: numpy.typing.NDArray[numpy.int32], seconds: list[numpy.typing.NDArray[numpy.int32] | None], weights: list[numpy.typing.NDArray[numpy.float64] | None], values: list[numpy.typing.NDArray[numpy.float64]], units: numpy.typing.NDArray[numpy.float64]) -> None: ...

    def distances(self, labelings: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.float64]:
        """
        Weighted Hamming distances of (m, n) labelings to the references: (m, J).
        """

    def linear(self, slopes: numpy.typing.NDArray[numpy.float64], n_labels: int) -> numpy.typing.NDArray[numpy.float64]:
        """
        The distances times slopes (J,), as scores of each variable's labels: (n, n_labels).
        """

class DistanceMoves:
    """Local searches on pairwise scores plus functions of distances."""

    @staticmethod
    def potts(n_variables: int, n_labels: int, edges: numpy.typing.NDArray[numpy.int32], strengths: numpy.typing.NDArray[numpy.float64]) -> DistanceMoves: ...

    @staticmethod
    def tables(n_labels: int, label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: numpy.typing.NDArray[numpy.int64], columns: numpy.typing.NDArray[numpy.int32]) -> DistanceMoves: ...

    def improve(self, unary: numpy.typing.NDArray[numpy.float64], terms: DistanceTerms, coefficients: numpy.typing.NDArray[numpy.float64], labeling: numpy.typing.NDArray[numpy.int32], rounds: int) -> numpy.typing.NDArray[numpy.int32]:
        """
        Change one variable at a time while the sum of scores and coefficients times terms grows.
        """

    def ascend(self, unary: numpy.typing.NDArray[numpy.float64], terms: DistanceTerms, coefficients: numpy.typing.NDArray[numpy.float64], labeling: numpy.typing.NDArray[numpy.int32], moves: int) -> numpy.typing.NDArray[numpy.int32]:
        """The same, the change that gains most first, at most so many changes."""

    def mix(self, unary: numpy.typing.NDArray[numpy.float64], terms: DistanceTerms, coefficients: numpy.typing.NDArray[numpy.float64], labeling: numpy.typing.NDArray[numpy.int32], other: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.int32]:
        """
        Switch connected parts of the labeling to another labeling while the same sum grows.
        """

def mixture(scores: numpy.typing.NDArray[numpy.float64], distances: numpy.typing.NDArray[numpy.float64], secants: list[numpy.typing.NDArray[numpy.float64]], units: numpy.typing.NDArray[numpy.float64], coefficients: numpy.typing.NDArray[numpy.float64], coupling: numpy.typing.NDArray[numpy.float64], rates: numpy.typing.NDArray[numpy.float64], start: numpy.typing.NDArray[numpy.float64], rounds: int = 100, tolerance: float = 0.0) -> numpy.typing.NDArray[numpy.float64]:
    """
    Weights of labelings (K,) that maximise mean score plus concave functions of the mean distances (K, J).

    The functions are given by the secants of their tables; coupling (C, C) adds, for pairs of the first C
    terms, factors of exp(-(rate d + rate d) / 2). start is where the search begins.
    """

def concave_envelope(table: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """Least concave table above a finite one."""

def union_weights(scores: numpy.typing.NDArray[numpy.float64], overlaps: numpy.typing.NDArray[numpy.float64], between: numpy.typing.NDArray[numpy.float64], meet: numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int32], bool]:
    """
    Weights (J,) of balls, their clusters, and whether the bound they make small uses `meet`.

    1 - P(union) <= 1 - sum of weights times overlaps + sum over pairs of different clusters of both weights
    times what they have in common: between (J, J) for any labeling, meet (K, J * J) for the (K,) ones known.
    """

class AnyFlow:
    """What Flow and GridFlow have in common."""

    def solve(self) -> int | float:
        """
        Find a minimum cut, from the flow of the last one, and return its value.
        """

    @property
    def minimum(self) -> int | float:
        """Value of the last solve."""

    @property
    def error(self) -> float:
        """
        Bound on |minimum - true minimum| of the last solve, from rounding real numbers; 0 for integers.
        """

    def labels(self) -> numpy.typing.NDArray[numpy.int32]:
        """x of the last solve, flat."""

    def residual_terminals(self) -> numpy.typing.NDArray[Any]:
        """
        r with: labelings that have x[v] = 1 cost at least minimum + max(0, r[v]), others minimum + max(0, -r[v]).
        """

    def keep_forests_up_to(self, changes: int) -> None:
        """
        Search on from the last solve if no more nodes and arcs than this change; n / 32 unless told.
        """

    @property
    def n_nodes(self) -> int: ...

    @property
    def bytes(self) -> int:
        """Memory in use."""

    @property
    def bits(self) -> int:
        """32 or 64: width of the integers inside."""

    @overload
    def add_terminals(self, values: numpy.typing.NDArray[numpy.int32], nodes: numpy.typing.NDArray[numpy.int32] | None = None) -> None: ...

    @overload
    def add_terminals(self, values: numpy.typing.NDArray[numpy.int64], nodes: numpy.typing.NDArray[numpy.int32] | None = None) -> None:
        """Add to all terminals, or to those of the listed nodes."""

    @overload
    def set_terminals(self, values: numpy.typing.NDArray[numpy.float32], nodes: numpy.typing.NDArray[numpy.int32] | None = None) -> None: ...

    @overload
    def set_terminals(self, values: numpy.typing.NDArray[numpy.float64], nodes: numpy.typing.NDArray[numpy.int32] | None = None) -> None:
        """Replace all terminals, or those of the listed, increasing nodes."""

class Flow(AnyFlow):
    """
    Minimise sum_v terminals[v] x[v] + sum_e forward[e] [x_u = 0, x_v = 1] + backward[e] [x_u = 1, x_v = 0].

    edges is (E, 2); backward None means forward. All numbers are of one type: int32 or int64, solved exactly, or
    float32 or float64, rounded to integers inside. A terminal beyond the sum of the capacities at its node is as
    good as infinite.
    """

    @overload
    def __init__(self, n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], forward: numpy.typing.NDArray[numpy.int32], backward: numpy.typing.NDArray[numpy.int32] | None, terminals: numpy.typing.NDArray[numpy.int32]) -> None: ...

    @overload
    def __init__(self, n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], forward: numpy.typing.NDArray[numpy.int64], backward: numpy.typing.NDArray[numpy.int64] | None, terminals: numpy.typing.NDArray[numpy.int64]) -> None: ...

    @overload
    def __init__(self, n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], forward: numpy.typing.NDArray[numpy.float32], backward: numpy.typing.NDArray[numpy.float32] | None, terminals: numpy.typing.NDArray[numpy.float32]) -> None: ...

    @overload
    def __init__(self, n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], forward: numpy.typing.NDArray[numpy.float64], backward: numpy.typing.NDArray[numpy.float64] | None, terminals: numpy.typing.NDArray[numpy.float64]) -> None: ...

    @overload
    def add_capacities(self, edges: numpy.typing.NDArray[numpy.int32], forward: numpy.typing.NDArray[numpy.int32], backward: numpy.typing.NDArray[numpy.int32]) -> None: ...

    @overload
    def add_capacities(self, edges: numpy.typing.NDArray[numpy.int32], forward: numpy.typing.NDArray[numpy.int64], backward: numpy.typing.NDArray[numpy.int64]) -> None: ...

    @overload
    def add_capacities(self, edges: numpy.typing.NDArray[numpy.int32], forward: numpy.typing.NDArray[numpy.float32], backward: numpy.typing.NDArray[numpy.float32]) -> None: ...

    @overload
    def add_capacities(self, edges: numpy.typing.NDArray[numpy.int32], forward: numpy.typing.NDArray[numpy.float64], backward: numpy.typing.NDArray[numpy.float64]) -> None:
        """
        Change the capacities of the edges with these indices; the two of an edge keep a sum >= 0.
        """

class GridFlow(AnyFlow):
    """
    A Flow over the pixels of a 2-D or 3-D shape; one array of capacities a direction, in the order of
    hedgehop.models.directions, forward from the pixel to its neighbour there, backward the other way.
    """

    @overload
    def __init__(self, shape: Sequence[int], connectivity: int, forward: Sequence[numpy.typing.NDArray[numpy.int32]], backward: Sequence[numpy.typing.NDArray[numpy.int32]] | None, terminals: numpy.typing.NDArray[numpy.int32]) -> None: ...

    @overload
    def __init__(self, shape: Sequence[int], connectivity: int, forward: Sequence[numpy.typing.NDArray[numpy.int64]], backward: Sequence[numpy.typing.NDArray[numpy.int64]] | None, terminals: numpy.typing.NDArray[numpy.int64]) -> None: ...

    @overload
    def __init__(self, shape: Sequence[int], connectivity: int, forward: Sequence[numpy.typing.NDArray[numpy.float32]], backward: Sequence[numpy.typing.NDArray[numpy.float32]] | None, terminals: numpy.typing.NDArray[numpy.float32]) -> None: ...

    @overload
    def __init__(self, shape: Sequence[int], connectivity: int, forward: Sequence[numpy.typing.NDArray[numpy.float64]], backward: Sequence[numpy.typing.NDArray[numpy.float64]] | None, terminals: numpy.typing.NDArray[numpy.float64]) -> None: ...

    @overload
    def add_capacities(self, nodes: numpy.typing.NDArray[numpy.int32], slots: numpy.typing.NDArray[numpy.int32], deltas: numpy.typing.NDArray[numpy.int32]) -> None: ...

    @overload
    def add_capacities(self, nodes: numpy.typing.NDArray[numpy.int32], slots: numpy.typing.NDArray[numpy.int32], deltas: numpy.typing.NDArray[numpy.int64]) -> None: ...

    @overload
    def add_capacities(self, nodes: numpy.typing.NDArray[numpy.int32], slots: numpy.typing.NDArray[numpy.int32], deltas: numpy.typing.NDArray[numpy.float32]) -> None: ...

    @overload
    def add_capacities(self, nodes: numpy.typing.NDArray[numpy.int32], slots: numpy.typing.NDArray[numpy.int32], deltas: numpy.typing.NDArray[numpy.float64]) -> None:
        """
        Change the capacities from pixels to neighbours: slot 2 k is direction k, 2 k + 1 the way back.
        """

def is_forest(n_variables: int, edges: numpy.typing.NDArray[numpy.int32]) -> bool:
    """
    Whether (E, 2) edges have no cycle; self-loops and parallel edges are cycles.
    """

def forest_argmax_potts(unary: numpy.typing.NDArray[numpy.float64], edges: numpy.typing.NDArray[numpy.int32], strengths: numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    Best labeling of a forest and its score, Potts scores -strengths[e] where labels differ.

    Ties go to the lowest label; the score is -inf if every labeling is forbidden.
    """

def forest_argmax_tables(unary: numpy.typing.NDArray[numpy.float64], label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: numpy.typing.NDArray[numpy.int64], columns: numpy.typing.NDArray[numpy.int32]) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    Best labeling of a forest and its score, P_e(a, b) = flat[offsets[e] + a * columns[e] + b].

    Ties go to the lowest label; the score is -inf if every labeling is forbidden.
    """

def forest_counted_argmax_potts(unary: numpy.typing.NDArray[numpy.float64], edges: numpy.typing.NDArray[numpy.int32], strengths: numpy.typing.NDArray[numpy.float64], reference: numpy.typing.NDArray[numpy.int32], weights: numpy.typing.NDArray[numpy.int32], table: numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    As forest_argmax_potts, of the score plus table[k], k = weight of the variables that differ from
    a reference. The table has an entry for each count up to the total weight.
    """

def forest_counted_argmax_tables(unary: numpy.typing.NDArray[numpy.float64], label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: numpy.typing.NDArray[numpy.int64], columns: numpy.typing.NDArray[numpy.int32], reference: numpy.typing.NDArray[numpy.int32], weights: numpy.typing.NDArray[numpy.int32], table: numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    As forest_argmax_tables, of the score plus table[k]; see forest_counted_argmax_potts.
    """

def forest_max_marginals_potts(unary: numpy.typing.NDArray[numpy.float64], edges: numpy.typing.NDArray[numpy.int32], strengths: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """
    Best score of a labeling with y_i = l, for each (i, l); arguments as in forest_argmax_potts.
    """

def forest_max_marginals_tables(unary: numpy.typing.NDArray[numpy.float64], label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: numpy.typing.NDArray[numpy.int64], columns: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.float64]:
    """
    Best score of a labeling with y_i = l, for each (i, l); arguments as in forest_argmax_tables.
    """

class MarginDual:
    """
    The dual of a structured support vector machine over planes, one example at a time.

    Weights from first_attractive on are clipped at zero.
    """

    def __init__(self, size: int, examples: int, first_attractive: int, budget: float) -> None: ...

    def visit(self, example: int, change: numpy.typing.NDArray[numpy.float64], loss: float) -> float:
        """
        Add a plane of an example, move budget to its highest plane, return how far it was from optimal.
        """

    def passes(self, order: numpy.typing.NDArray[numpy.int32], enough: float, work: float) -> int:
        """
        Visit examples in an order, again and again, until no more than `enough` is open or `work` entries of planes were looked at; return how often.
        """

    def weights(self) -> numpy.typing.NDArray[numpy.float64]:
        """Those of the point."""

    def now(self) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
        """Weights and value of the dual at the point."""

    def mean(self) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
        """
        Weights and value of the dual at the mean of the points after each visit, later ones with more weight.
        """

def cardinality_messages(gains: numpy.typing.NDArray[numpy.float64], table: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """
    What being on adds for each variable in the rest of max_x gains . x + table[sum x], in O(n log n).

    Infinite gains mean always on or off; the message of such a variable is 0.
    """

def max_product_potts(unary: numpy.typing.NDArray[numpy.float64], edges: numpy.typing.NDArray[numpy.int32], strengths: numpy.typing.NDArray[numpy.float64], references: numpy.typing.NDArray[numpy.int32], tables: numpy.typing.NDArray[numpy.float64], sweeps: int, damping: float) -> numpy.typing.NDArray[numpy.int32]:
    """
    Labelings that loopy max-product decodes to after 0, 1, ... sweeps: (sweeps + 1, n).

    Beside the pairs there are functions of the distances to (J, n) references, tables (J, n + 1).
    """

def max_product_tables(unary: numpy.typing.NDArray[numpy.float64], label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: numpy.typing.NDArray[numpy.int64], columns: numpy.typing.NDArray[numpy.int32], references: numpy.typing.NDArray[numpy.int32], tables: numpy.typing.NDArray[numpy.float64], sweeps: int, damping: float) -> numpy.typing.NDArray[numpy.int32]:
    """
    As max_product_potts, with P_e(a, b) = flat[offsets[e] + a * columns[e] + b], all finite.
    """

class Moves:
    """
    Expansion, swap and fusion moves (maximisation). Scores never fall; a labeling's gain is exact up to
    rounding to fixed point. Arrays given are kept by reference: they must not change while the solver
    lives. Not for several threads at once.
    """

    @overload
    @staticmethod
    def potts(unary: numpy.typing.NDArray[numpy.float32], edges: numpy.typing.NDArray[numpy.int32], strengths: numpy.typing.NDArray[numpy.float64]) -> Moves: ...

    @overload
    @staticmethod
    def potts(unary: numpy.typing.NDArray[numpy.float64], edges: numpy.typing.NDArray[numpy.int32], strengths: numpy.typing.NDArray[numpy.float64]) -> Moves:
        """Scores -strengths[e] where labels differ."""

    @overload
    @staticmethod
    def tables(unary: numpy.typing.NDArray[numpy.float32], label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: numpy.typing.NDArray[numpy.int64], columns: numpy.typing.NDArray[numpy.int32]) -> Moves: ...

    @overload
    @staticmethod
    def tables(unary: numpy.typing.NDArray[numpy.float64], label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: numpy.typing.NDArray[numpy.int64], columns: numpy.typing.NDArray[numpy.int32]) -> Moves:
        """Scores P_e(a, b) = flat[offsets[e] + a * columns[e] + b], all finite."""

    def set_linear(self, theta: numpy.typing.NDArray[numpy.float64] | None) -> None:
        """
        Scores become unary + theta (not added to an earlier theta); None: unary alone.
        """

    def set_label_weights(self, w: numpy.typing.NDArray[numpy.float64] | None, least_counts: numpy.typing.NDArray[numpy.int64] | None = None) -> None:
        """
        w[k, l] once if at least least_counts[k] variables take label l, of any sign; None: no weights.
        """

    def set_transition_weights(self, w: numpy.typing.NDArray[numpy.float64] | None, ordered: bool = False) -> None:
        """
        w[a, b] once if some edge carries a != b, of any sign; None: no weights.
        """

    def set_regions(self, members: numpy.typing.NDArray[numpy.int32] | None, offsets: numpy.typing.NDArray[numpy.int64] | None = None, mu: numpy.typing.NDArray[numpy.float64] | None = None, slack: numpy.typing.NDArray[numpy.int64] | None = None) -> None:
        """
        mu[c, l] * max(0, 1 - misses / slack[c]), of any sign, where misses are the members of region c,
        members[offsets[c]:offsets[c + 1]], that do not take label l; None: no regions.
        """

    def expand(self, start: numpy.typing.NDArray[numpy.int32], candidates: numpy.typing.NDArray[numpy.uint8] | None = None, rounds: int = 20, cuts_per_move: int = 64) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
        """
        Expansion moves until none improves: the labeling reached, and what it gained.

        candidates (n, L) restricts which labels a variable may change to.
        """

    def swap(self, start: numpy.typing.NDArray[numpy.int32], rounds: int = 20, cuts_per_move: int = 64) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
        """
        Swap moves until none improves: the labeling reached, and what it gained.
        """

    def fuse(self, start: numpy.typing.NDArray[numpy.int32], proposal: numpy.typing.NDArray[numpy.int32], cuts_per_move: int = 64) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
        """
        A mixture of two labelings that is no worse than either, and what it gained over the start.
        """

def parse_numbers(text: bytes) -> tuple[numpy.typing.NDArray[numpy.float64], int]:
    """
    Numbers separated by white space, and the position of the first word that is none (the text's length if all are).
    """

def scan_nested(text: bytes) -> tuple[Any, ...]:
    """
    Tokens of nested lists: kinds (open, close, number, word), values, starts, partners, levels; starts and stops of the distinct words; the problem (none, not opened, not closed, open quote) and its place.
    """

def are_spanning_trees(n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], labelings: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.uint8]:
    """
    Whether the edges that are not 0 in each of (m, E) labelings form a spanning tree.
    """

def best_spanning_tree(n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], scores: numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    Best labeling and its score, scores[e, 1] for the edges of the tree and scores[e, 0] for the others.

    Ties go to the lexicographically first; the score is -inf if every tree is forbidden.
    """

def spanning_tree_max_marginals(n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], scores: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """
    Best score of a spanning tree with y_e = l, for each (e, l); arguments as in best_spanning_tree.
    """

def spanning_tree_swaps(n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], scores: numpy.typing.NDArray[numpy.float64], shared: numpy.typing.NDArray[numpy.int32]) -> tuple[numpy.typing.NDArray[numpy.int32], float, numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
    """
    Best spanning trees by the number of edges they share with a set.

    Returns the best of those that share fewest, its score (-inf: none is allowed), swaps (S, 2) of an edge of
    the set for another, and their gains: after j swaps, a best tree that shares j more.
    """

class Stop:
    """
    In a `with` block: once set, by any thread, kernels called in the block raise KeyboardInterrupt.
    """

    def __init__(self) -> None: ...

    def set(self) -> None:
        """Stop the thread inside the block."""

    def is_set(self) -> bool: ...

    def __enter__(self) -> object: ...

    def __exit__(self, kind: object | None, error: object | None, trace: object | None) -> None: ...

def check_stop() -> None:
    """
    Raise KeyboardInterrupt if this thread was stopped: for slow Python between kernels.
    """

class Trws:
    """
    TRW-S with kept messages (maximisation). Arrays given are kept by reference: they must
    not change while the solver lives. Not for several threads at once.
    """

    @overload
    @staticmethod
    def potts(unary: numpy.typing.NDArray[numpy.float32], label_counts: numpy.typing.NDArray[numpy.int32] | None, edges: numpy.typing.NDArray[numpy.int32], strengths: numpy.typing.NDArray[numpy.float64], ranks: numpy.typing.NDArray[numpy.int32] | None = None, instruction_set: str = '') -> Trws: ...

    @overload
    @staticmethod
    def potts(unary: numpy.typing.NDArray[numpy.float64], label_counts: numpy.typing.NDArray[numpy.int32] | None, edges: numpy.typing.NDArray[numpy.int32], strengths: numpy.typing.NDArray[numpy.float64], ranks: numpy.typing.NDArray[numpy.int32] | None = None, instruction_set: str = '') -> Trws:
        """
        Scores -strengths[e] (finite, >= 0) where labels differ; sweeps in the order of ranks.
        """

    @overload
    @staticmethod
    def tables(unary: numpy.typing.NDArray[numpy.float32], label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: numpy.typing.NDArray[numpy.int64], columns: numpy.typing.NDArray[numpy.int32], ranks: numpy.typing.NDArray[numpy.int32] | None = None, instruction_set: str = '') -> Trws: ...

    @overload
    @staticmethod
    def tables(unary: numpy.typing.NDArray[numpy.float64], label_counts: numpy.typing.NDArray[numpy.int32], edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: numpy.typing.NDArray[numpy.int64], columns: numpy.typing.NDArray[numpy.int32], ranks: numpy.typing.NDArray[numpy.int32] | None = None, instruction_set: str = '') -> Trws:
        """
        Scores P_e(a, b) = flat[offsets[e] + a * columns[e] + b]; -inf forbids a pair.
        """

    @overload
    @staticmethod
    def grid(scores: numpy.typing.NDArray[numpy.float32], connectivity: int, strengths: list[numpy.typing.NDArray[numpy.float64]], instruction_set: str = '') -> Trws: ...

    @overload
    @staticmethod
    def grid(scores: numpy.typing.NDArray[numpy.float64], connectivity: int, strengths: list[numpy.typing.NDArray[numpy.float64]], instruction_set: str = '') -> Trws:
        """
        Potts scores on an image (H, W, L) or a volume (D, H, W, L), no list of edges.

        One array of strengths a direction, in the order of hedgehop.models.grid.directions.
        """

    @overload
    def set_unary(self, unary: numpy.typing.NDArray[numpy.float32]) -> None: ...

    @overload
    def set_unary(self, unary: numpy.typing.NDArray[numpy.float64]) -> None:
        """Replaces the (n, L) scores and drops theta; messages stay."""

    def add_linear(self, theta: numpy.typing.NDArray[numpy.float64] | None) -> None:
        """
        Scores become unary + theta (not added to an earlier theta); None: unary alone. Messages stay.
        """

    def run(self, iterations: int = 50, check_every: int = 5, gap: float = 1e-06, least_gain: float = 0.05, threads: int = 0) -> tuple[numpy.typing.NDArray[numpy.int32], float, float, int]:
        """
        Best labeling since the scores were set, its value in doubles, an upper bound on every labeling's
        value, and the iterations made. Stops early when bound - value <= gap * |value|, or when the bound
        gained less than least_gain * (bound - value) in check_every iterations.
        """

    def beliefs(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        One more iteration; (n, L) beliefs minus each variable's largest, -inf for labels that are in no
        optimal labeling because their scores are too low for any edges to make up for.
        """

    def limits(self) -> tuple[float, numpy.typing.NDArray[numpy.float32]]:
        """
        One more iteration; a and (n, L) drops <= 0 such that no labeling with label l at variable i
        scores higher than a + drops[i, l], but for the rounding of drops.
        """

    def decodes(self) -> numpy.typing.NDArray[numpy.int32]:
        """The last labelings read off a forward and a backward sweep, (2, n)."""

    def polish(self, labeling: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.int32]:
        """The labeling after changing one variable at a time while that helps."""

    def value(self, labeling: numpy.typing.NDArray[numpy.int32]) -> float:
        """Score of a labeling, in doubles."""

    def forget(self) -> None:
        """Starts afresh: all messages become 0."""

    def messages(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        A copy of the messages in fixed point, (E, padded labels), in the solver's order; for tests.
        """

    @property
    def bytes(self) -> int: ...

    @property
    def lanes(self) -> int: ...
