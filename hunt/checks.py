# SPDX-License-Identifier: BSD-3-Clause
"""One round: a model, a diversity, a few calls, and everything they say against the enumeration."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from itertools import combinations, islice
from typing import Any

import numpy as np

import hedgehop as hh
from hunt.dice import Dice
from hunt.diversities import DIVERSITIES, Column
from hunt.structures import STRUCTURES, problem
from hunt.tally import Fault, Tally
from hunt.truth import Truth

_COMPLETE = {"auto", "exhaustive", "ilp"}  # oracles that find an allowed labeling wherever there is one
METHODS = (
    "greedy", "greedy", "distorted", "refine", "distinct", "min_distance", "joint", "more", "stream", "select",
    "portfolio", "m_best", "improve",
)  # fmt: skip


class Round:
    """Draws a cell from its seed, checks it, and writes what it saw into a tally."""

    def __init__(self, seed: int, tally: Tally) -> None:
        self.seed, self.tally, self.d = seed, tally, Dice.of(seed)
        self.structure = str(self.d.random.choice(list(STRUCTURES)))
        self.problem = problem(self.structure, self.d)
        fitting = [name for name in DIVERSITIES if name != "transitions" or self.problem.edges is not None]
        self.kind = str(self.d.random.choice(fitting))
        self.column = DIVERSITIES[self.kind](self.d, self.problem)
        factor = float(self.d.random.choice([0.0, 0.3, 1.0, 3.0, 10.0, 1e-3, 300.0]))
        self.truth = Truth(self.problem, self.column, factor * self.d.unit)
        self.cell = tally.cells.setdefault((self.structure, self.kind), Counter())
        self.where = ""

    def run(self) -> None:
        """Check some steps and some lists."""
        self.tally.rounds += 1
        self._guarded("step", self._steps)
        for call in self.d.random.choice(METHODS, size=3, replace=False):
            self._guarded(str(call), getattr(self, f"_{call}"))

    def _guarded(self, call: str, check: Callable[[], None]) -> None:
        self.call = self.tally.calls.setdefault(call, Counter())
        self.where = f"{self.structure} x {self.kind}, {call}, {self.d.scale} scores"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                check()
        except hh.UnsupportedError:
            self.tally.refused[call] += 1
        except Exception as error:
            self._fault("exception", f"{type(error).__name__}: {error}")

    def _fault(self, kind: str, text: str) -> None:
        self.tally.faults.append(Fault(self.seed, kind, self.where, text))

    def _count(self, kind: str, oracle: str | None = None, by: int = 1) -> None:
        self.cell[kind] += by
        self.call[kind] += by
        if oracle is not None:
            self.tally.oracles.setdefault(oracle, Counter())[kind] += by

    def _close(self, what: str, said: float, true: float, slack: float) -> None:
        if not abs(said - true) <= slack + 1e-12 * abs(true):
            self._fault(f"wrong {what}", f"says {said!r}, is {true!r}")

    def _some(self, most: int) -> list[int]:
        count = int(self.d.random.integers(0, most + 1))
        return self.d.random.integers(0, len(self.problem.rows), size=count).tolist()

    def _oracle(self) -> str:
        """One that does not refuse the first steps; `auto` as often as any other."""
        p, able = self.problem, hh.oracles.available()
        potentials = self.column.diversity.potentials(p.model, p.rows[:1]) if self.truth.tradeoff else []
        able = [name for name in able if hh.oracles.get(name).refusal(p.model, potentials) is None]
        return "auto" if self.d.random.random() < 0.4 else str(self.d.random.choice(["auto", *able]))

    # Steps

    def _steps(self) -> None:
        chosen = self._some(3)
        p, diversity, factor = self.problem, self.column.diversity, self.truth.tradeoff
        potentials = [q.scaled(factor) for q in diversity.bounding(p.model, p.rows[chosen])] if factor else []
        gains = self.truth.gains(chosen) if factor else p.relevance.copy()
        names = ["auto", *hh.oracles.available()]
        for name in self.d.random.permutation(names)[:5]:
            oracle = hh.oracles.get(str(name))
            if oracle.refusal(p.model, potentials) is None:
                self.where = f"{self.structure} x {self.kind}, step by {name}, {self.d.scale} scores"
                self._step(str(name), oracle, potentials, gains, chosen)

    def _step(self, name: str, oracle: Any, potentials: Any, gains: np.ndarray, chosen: list[int]) -> None:
        try:
            step = oracle.on(self.problem.model).step(potentials)
        except hh.InfeasibleError as error:
            if name in _COMPLETE:
                self._fault("missed", f"there are allowed labelings, but: {error}")
            return
        self._count("steps", step.oracle if name == "auto" else name)
        place, top = self.problem.place(step.labeling), int(np.argmax(gains))
        if place is None:
            self._fault("forbidden labeling", f"{step.labeling.tolist()}")
            return
        slack = self.truth.slack(gains, [*chosen, place, top])
        self._close("value of a step", step.value, float(gains[place]), slack)
        self._close("relevance of a step", step.relevance, float(self.problem.relevance[place]), slack)
        self._bound(step.upper_bound, float(gains[top]), slack, name)
        self._exact(step.exact, float(gains[place]), float(gains[top]), slack, name)

    def _bound(self, said: float, top: float, slack: float, name: str) -> None:
        self._count("bounds", name)
        if not said >= top - slack:
            self._fault("bound of a step below the truth", f"{name} says {said!r}, {top!r} is reached")

    def _exact(self, said: Any, value: float, top: float, slack: float, name: str) -> None:
        if said:
            self._count("exact", name)
            if value < top - slack:
                self._fault("exact and wrong", f"{name} calls {value!r} exact, {top!r} is possible")

    # Lists

    def _m(self) -> int:
        return int(self.d.random.integers(1, 4))

    def _diverse(self, m: int, **options: Any) -> Any:
        self.where += f", {options}"
        return hh.diverse(self.problem.model, self.column.diversity, m, self.truth.tradeoff, **options)

    def _greedy(self, **options: Any) -> None:
        options = {"oracle": self._oracle(), "distinct": False, **options}
        m, distance = self._m(), max(int(options["distinct"]), options.get("min_distance", 0))
        try:
            found = self._diverse(m, **options)
        except hh.InfeasibleError as error:
            if options["oracle"] in _COMPLETE:
                self._fault("missed", f"there are allowed labelings, but: {error}")
            return
        self._list(found, m, distance, options["oracle"])

    def _improve(self) -> None:
        """A better list with a better bound, of labelings that may be repeated or must differ."""
        distance = int(self.d.random.integers(0, min(4, len(self.problem.counts)) + 1))
        found = self._diverse(self._m(), min_distance=distance, distinct=False)
        better = found.improve(int(self.d.random.integers(1, 16)))
        digits = 1e-12 * (abs(found.objective) + abs(found.upper_bound))
        if better.objective < found.objective - digits or better.upper_bound > found.upper_bound + digits:
            self._fault("improved to less", f"F {better.objective!r}, bound {better.upper_bound!r}")
        self._list(better, len(found), distance, "auto")

    def _distorted(self) -> None:
        self._greedy(method="distorted")

    def _refine(self) -> None:
        self._greedy(refine=True, distinct=bool(self.d.random.random() < 0.3))

    def _distinct(self) -> None:
        self._greedy(distinct=True)

    def _min_distance(self) -> None:
        self._greedy(min_distance=int(self.d.random.integers(1, len(self.problem.counts) + 1)))

    def _joint(self) -> None:
        """With a diversity of single variables, which `joint` needs."""
        kept, self.column = (
            self.column,
            DIVERSITIES[str(self.d.random.choice(["variables", "hamming"]))](self.d, self.problem),
        )
        self.truth = Truth(self.problem, self.column, self.truth.tradeoff)
        try:
            self._best_of_all()
        finally:
            self.column, self.truth = kept, Truth(self.problem, kept, self.truth.tradeoff)

    def _best_of_all(self) -> None:
        m = self._m()
        found = self._diverse(m, method="joint", distinct=False)
        self._list(found, m, 0, "graphcut")
        best, places = self.truth.best_list(m, 0)
        if found.objective < best - 1e-9 * abs(best) - self.truth.digits(places) - self._list_slack(places):
            self._fault("joint list not the best", f"{found.objective!r}, but {best!r} is possible")

    def _more(self) -> None:
        found = self._diverse(1, distinct=False)
        self._list(found.more(2), 3, 0, "auto")

    def _stream(self) -> None:
        m, distance = self._m(), int(self.d.random.random() < 0.5)
        stream = hh.stream(self.problem.model, self.column.diversity, self.truth.tradeoff, distinct=bool(distance))
        steps = list(islice(stream, m))
        places = [self.problem.place(step.labeling) for step in steps]
        if None in places:
            self._fault("forbidden labeling", f"{steps[places.index(None)].labeling.tolist()}")
            return
        self._count("lists", "auto")
        self._each(places, [s.value for s in steps], [s.upper_bound for s in steps], [s.exact for s in steps],
                   [s.oracle for s in steps], distance)  # fmt: skip

    def _select(self) -> None:
        pool = self.d.random.permutation(len(self.problem.rows))[: int(self.d.random.integers(1, 13))]
        m = min(self._m(), len(pool))
        rows = self.problem.rows[pool].reshape(-1, *self.problem.model.shape)
        found = hh.select(rows, self.problem.model, self.column.diversity, m, tradeoff=self.truth.tradeoff)
        places = [int(pool[k]) for k in found.indices]
        self._count("lists", "pool")
        self._values(found, places)
        taken: list[int] = []
        for place, bound in zip(places, found.bounds, strict=True):
            gains = self.truth.gains(taken)[pool]
            gains[[int(np.flatnonzero(pool == k)[0]) for k in taken]] = -np.inf
            slack = self.truth.slack(gains[np.isfinite(gains)], [*taken, place])
            self._bound(float(bound), float(gains.max()), slack, "pool")
            self._exact(True, float(gains[pool == place][0]), float(gains.max()), slack, "pool")
            taken.append(place)
        lists = np.array(list(islice(combinations(pool.tolist(), m), 5000)))
        values = self.truth.value(lists)
        self._above(found.upper_bound, float(values.max()), lists[int(values.argmax())].tolist())

    def _portfolio(self) -> None:
        other = DIVERSITIES["variables"](self.d, self.problem)
        m = int(self.d.random.integers(2, 5))
        parts = [self.column.diversity, other.diversity]
        found = hh.portfolio(self.problem.model, parts, m=m, tradeoff=[self.truth.tradeoff, self.d.unit])
        factors = self.truth.tradeoff, self.d.unit

        def measure(lists: np.ndarray) -> np.ndarray:
            return factors[0] * self.column.measure(lists) + factors[1] * other.measure(lists)

        whole = Truth(self.problem, Column(None, measure, self.column.submodular), 1.0)
        kept, self.truth = self.truth, whole
        try:
            self._list(found, m, 0, "auto", complete=False)
        finally:
            self.truth = kept

    def _m_best(self) -> None:
        m = int(self.d.random.integers(1, 6))
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            found = hh.baselines.m_best(self.problem.model, m)
        places = [self.problem.place(y) for y in found]
        if None in places or len(set(places)) < len(places):
            self._fault("forbidden or repeated labeling", f"{found.tolist()}")
            return
        best = np.sort(self.problem.relevance)[::-1][:m]
        self._count("lists", "auto")
        slack = self.truth.slack(self.problem.relevance, [int(np.argmax(self.problem.relevance))])
        missing = any("better labelings may be missing" in str(w.message) for w in warned)
        lower = (self.problem.relevance[places] < best[: len(places)] - slack).any()
        if len(places) < min(m, len(best)) or (lower and not missing):
            self._fault("not the m best in order", f"{self.problem.relevance[places].tolist()}, not {best.tolist()}")

    # What a list says

    def _list(self, found: Any, m: int, distance: int, oracle: str, complete: bool = True) -> None:
        places = [self.problem.place(y) for y in found.labelings]
        if None in places:
            self._fault("forbidden labeling", f"{found.labelings[places.index(None)].tolist()}")
            return
        self._count("lists", oracle)
        self._values(found, places)
        self._apart(places, distance)
        self._each(places, found.gains, found.bounds, found.exact, found.oracles, distance)
        if complete and len(places) < m and oracle in _COMPLETE and self.truth.far(places, distance).any():
            self._fault("list too short", f"{len(places)} of {m} labelings, but others are allowed")
        best, top = self.truth.best_list(len(places), distance)
        self._above(found.upper_bound, best, top)
        self._guaranteed(found, best, [*places, *top])

    def _values(self, found: Any, places: list[int]) -> None:
        digits = self.truth.digits(places)
        for said, true in zip(found.relevance, self.problem.relevance[places], strict=True):
            self._close("relevance", float(said), float(true), digits)
        true = float(self.truth.value(np.array([places]))[0])
        self._close("objective", found.objective, true, digits)
        if found.objective > found.upper_bound:
            self._fault("objective above its bound", f"{found.objective!r} > {found.upper_bound!r}")

    def _apart(self, places: list[int], distance: int) -> None:
        rows = self.problem.rows[places]
        for t in range(1, len(rows)):
            nearest = int((rows[:t] != rows[t]).sum(axis=1).min())
            if nearest < distance:
                self._fault("too close", f"labeling {t} differs from an earlier one in {nearest} < {distance}")

    def _each(self, places: Any, gains: Any, bounds: Any, exact: Any, oracles: Any, distance: int) -> None:
        """Each step of a list: its gain, the bound on allowed gains, and that the two meet if it is called exact."""
        for t, place in enumerate(places):
            earlier = places[:t]
            true = self.truth.gains(earlier)
            slack = self.truth.slack(true, [*earlier, place, int(true.argmax())])
            self._count("steps", oracles[t])
            self._close("gain", float(gains[t]), float(true[place]), slack)
            allowed = true[self.truth.far(earlier, distance)] if distance and earlier else true
            self._bound(float(bounds[t]), float(allowed.max()), slack, oracles[t])
            self._exact(exact[t], float(true[place]), float(allowed.max()), slack, oracles[t])
            stake = float(np.ptp(true[np.isfinite(true)]))  # kernels that work with whole numbers leave a little of it
            if exact[t] and float(bounds[t]) > float(gains[t]) + slack + 4e-6 * stake + 2e-8 * abs(float(gains[t])):
                self._fault("exact, but value and bound do not meet", f"{gains[t]!r} < {bounds[t]!r} ({oracles[t]})")

    def _list_slack(self, places: list[int]) -> float:
        gains = self.problem.relevance
        return len(places) * self.truth.slack(gains, [int(gains.argmax())]) if places else 0.0

    def _above(self, said: float, best: float, top: list[int]) -> None:
        self._count("bounds")
        if said < best - self._list_slack(top) - self.truth.digits(top):
            self._fault("bound of a list below the truth", f"says {said!r}, but a list reaches {best!r}")

    def _left_open(self, proof: Any, m: int, slack: float) -> None:
        """No labeling is more relevant than the one that is repeated by more than the certificate says."""
        relevance = self.problem.relevance
        repeated = self.truth.value(np.repeat(np.arange(len(relevance))[:, None], m, axis=1))
        behind = m * (relevance.max() - relevance[np.abs(repeated - proof.baseline) <= slack])
        if not proof.allowed and not (behind <= proof.baseline_gap + slack).any():
            self._fault("baseline_gap too small", f"{proof.baseline_gap!r} of {proof.baseline!r}")

    def _guaranteed(self, found: Any, best: float, places: list[int]) -> None:
        """``F - F0 >= guarantee (F* - F0)``, F0 = the best labeling repeated, or F of what was found or is allowed."""
        single = int(np.argmax(self.problem.relevance))
        ties = np.flatnonzero(self.problem.relevance >= self.problem.relevance[single] - self._list_slack([single]))
        m = len(found)
        starts = self.truth.value(np.repeat(ties[:, None], m, axis=1))
        proof, slack = found.certificate, self.truth.digits(places) + self._list_slack(places)
        if proof.allowed or proof.baseline_gap > 0:  # compared with what was found
            starts = [proof.baseline]
            self._left_open(proof, m, slack)
            if proof.baseline > found.upper_bound + slack:
                self._fault("baseline above the bound", f"{proof.baseline!r} > {found.upper_bound!r}")
        self._count("guarantees")
        share, digits = found.guarantee, slack
        if not 0.0 <= share <= 1.0 + 1e-9:
            self._fault("guarantee out of range", f"{share!r}")
        elif share > 0 and all(found.objective - s < share * (best - s) - 4 * digits for s in starts):
            text = f"guarantee {share!r}: F = {found.objective!r}, F0 = {starts[0]!r}, best {best!r}"
            self._fault("guarantee not kept", text)
