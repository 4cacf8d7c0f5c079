# SPDX-License-Identifier: BSD-3-Clause
"""What a list says of itself, compared with what is found again; the first claim that does not hold is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf, isnan

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import BoundError, InfeasibleError, UnsupportedError
from hedgehop.lists.certificate import Certificate, baseline, certify, step_bounds
from hedgehop.lists.methods.greedy import Greedy
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.paper_bounds import least_known, paper_bounds
from hedgehop.lists.result import DiverseList
from hedgehop.lists.separation import Separation
from hedgehop.lists.state import ListState
from hedgehop.oracles.base import Solver, Step
from hedgehop.oracles.exactness import meets, stake
from hedgehop.oracles.registry import get
from hedgehop.potentials import Potential

_REORDERED_SUMS = 1e-9  # of the numbers that are added: sums in another order, on another machine
_KERNEL_ROUNDING = 1e-6  # of what is at stake: what kernels that work with integers may leave
_UNSURE = 0.5  # of a gap that is found again: so much smaller may one be that a solver in another state left


class RecordingSolver(Solver):
    """A solver that takes note whether all steps are exact."""

    def __init__(self, solver: Solver) -> None:
        super().__init__(solver.oracle, solver.model)
        self._solver, self.all_exact = solver, True

    def step(self, potentials: Sequence[Potential]) -> Step:
        """Solve one step."""
        step = self._solver.step(potentials)
        self.all_exact = self.all_exact and step.exact
        return step

    def step_apart(
        self, potentials: Sequence[Potential], earlier: Sequence[Labels], distance: int, nearest: Step | None = None
    ) -> Step:
        """Solve one step at a distance."""
        step = self._solver.step_apart(potentials, earlier, distance, nearest)
        self.all_exact = self.all_exact and step.exact
        return step

    def pause(self) -> None:
        """Let go of what is large."""
        self._solver.pause()

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve a step that is not refused."""
        return self._solver.maximize(potentials)


@dataclass
class Claims:
    """A list, and what its claims are compared with.

    Attributes
    ----------
    values : floats
        F of its beginnings, re-evaluated.
    """

    found: DiverseList
    objective: Objective
    solver: Solver
    rows: Labels
    values: list[float] = field(init=False)

    def __post_init__(self) -> None:
        m = len(self.rows)
        claims = {name: getattr(self.found, name) for name in ("relevance", "gains", "bounds", "exact")}
        for name, claimed in (claims | {"unlimited_bounds": self._unlimited}).items():
            if np.shape(claimed) != (m,):
                raise _refusal(f"{name} of the list has shape {np.shape(claimed)}, not {(m,)}")
        self.values = self.objective.values(self.rows)
        self._digits = _REORDERED_SUMS * self.size
        self._slack = self._digits + _KERNEL_ROUNDING * (stake(self.objective.model) or 0.0)

    @property
    def _unlimited(self) -> Doubles:
        """What no labeling adds in each step, whether or not the limits allow it."""
        return self.found.bounds if self.found.unlimited_bounds is None else self.found.unlimited_bounds

    @property
    def size(self) -> float:
        """How large the numbers are whose sum F is."""
        return self.objective.size(self.rows, self.values[-1])

    def check_values(self) -> None:
        """Compare scores, gains and F."""
        self._same("F of the list", self.values[-1], self.found.objective)
        scores = np.asarray(self.objective.model.score(self.rows)).reshape(-1)
        gains = [b - a for a, b in pairwise(self.values)]
        for t, (score, gain) in enumerate(zip(scores, gains, strict=True)):
            self._same(f"relevance of labeling {t}", float(score), float(self.found.relevance[t]))
            self._same(f"gain of labeling {t}", gain, float(self.found.gains[t]))
        self._not_below("upper bound of the list", self.found.upper_bound, self.values[-1], "F")
        self._check_distances()

    def _check_distances(self) -> None:
        """Compare how far apart labelings are with what is said."""
        kept = Separation(self.found.certificate.apart)
        for t, row in enumerate(self.rows):
            if kept.too_close(row, self.rows[:t]):
                text = f"labeling {t} differs from an earlier one in fewer than {kept.distance} variables"
                raise _refusal(f"{text}, unlike what its certificate says")

    def check_steps(self) -> None:
        """Solve every step again: nothing may add more than its bound, nor than a labeling that is called exact."""
        for t in range(len(self.rows)):
            best = self.solver.step(self.objective.bounding(self.rows[:t]))
            if self.found.unlimited_bounds is not None:
                self._check_bound(t, "unlimited bound", float(self.found.unlimited_bounds[t]), best)
            allowed = self._allowed(t, best)
            if allowed is not None:
                self._check_bound(t, "bound", float(self.found.bounds[t]), allowed)
                if self.found.exact[t]:
                    self._check_exact(t, allowed)

    def _allowed(self, t: int, best: Step) -> Step | None:
        """Return the best step at the distance that the list keeps; None if none is found, which proves nothing."""
        earlier, apart = self.rows[:t], self.found.certificate.apart
        if not Separation(apart).too_close(best.labeling, earlier):
            return best
        try:
            return self.solver.step_apart(self.objective.bounding(earlier), list(earlier), apart, best)
        except (InfeasibleError, UnsupportedError):
            return None

    def _check_bound(self, t: int, name: str, bound: float, best: Step) -> None:
        gain = self._gain(best, self.rows[:t])
        self._not_below(f"{name} of step {t}", bound, gain, "what a labeling adds")
        if self._repeats(t, best):
            missed = 0.0 if best.exact else _UNSURE * (best.upper_bound - gain)
            self._not_below(f"{name} of step {t}", bound, best.upper_bound - missed, "what can be proven")

    def _repeats(self, t: int, best: Step) -> bool:
        """Whether a step that was solved again proves what the list could prove."""
        return best.exact or best.oracle == self.found.oracles[t]

    def check_certificate(self, proven: Certificate, sure: bool) -> None:
        """Compare the certificate with one that was proven again, `sure` if by exact steps; what follows with steps."""
        claimed, m = self.found.certificate, len(self.rows)
        missed = 0.0 if sure else _UNSURE * (proven.upper_bound - proven.objective)
        least = proven.upper_bound - missed - m * self._slack
        self._not_below("upper bound of the list", claimed.upper_bound, least, "what its proof shows")
        if not isnan(claimed.baseline):
            single = self.solver.step(())
            self._check_baseline(proven.baseline, single)
            self._check_baseline_gap(single)
        self._same("least of the certificate", least_known(self.objective, self.rows, claimed.baseline), claimed.least)
        self._check_derived(claimed)
        allowed = self._digits + m * self._slack
        if not 0.0 <= claimed.rounding <= allowed:
            text = f"rounding of the certificate is {claimed.rounding!r}, more than {allowed:.3g}"
            raise _refusal(f"{text}, so its guarantee of {claimed.guarantee:.4g} is not proven")

    def _check_exact(self, t: int, best: Step) -> None:
        gain, rival = float(self.found.gains[t]), self._gain(best, self.rows[:t])
        if not rival <= gain + self._slack:
            raise _refusal(f"step {t} is called exact, but another labeling adds {rival!r}, not {gain!r}")
        unproven = not best.exact and not meets(self.objective.model, gain, best.upper_bound + self._slack)
        if unproven and self._repeats(t, best):
            raise _refusal(f"step {t} is called exact, but no more than a bound of {best.upper_bound!r} can be proven")

    def _check_baseline(self, found: float, single: Step) -> None:
        """Compare with the single best labeling, or one of the list that is as good."""
        claimed = self.found.certificate.baseline
        scores = np.asarray(self.objective.model.score(self.rows)).reshape(-1)
        ties = self.rows[scores >= single.relevance - self._slack]
        known = [found, *(self.objective.repeated(y, len(self.rows)) for y in ties)]
        if any(self._meets_baseline(value) for value in known) or self._may_have_missed(found):
            return
        if self.found.certificate.allowed and any(map(self._meets_baseline, self._baselines_by_its_oracles())):
            return
        if (single.exact and not self.found.certificate.allowed) or not claimed >= found:
            raise _refusal(f"baseline of the list is {found!r}, not {claimed!r} as its certificate says")

    def _may_have_missed(self, found: float) -> bool:
        """Whether a list says that labelings which it did not find may be as much more relevant as one found now."""
        claimed = self.found.certificate
        most = claimed.baseline + claimed.baseline_gap + len(self.rows) * self._slack
        return not claimed.allowed and claimed.baseline <= found <= most

    def _meets_baseline(self, value: float) -> bool:
        return abs(self.found.certificate.baseline - value) <= len(self.rows) * self._slack

    def _baselines_by_its_oracles(self) -> Iterator[float]:
        """Yield what the oracles that found the list compare it with.

        Another one may choose others of equal labelings, after which others keep their distance.
        """
        model, compared = self.objective.model, Separation(self.found.certificate.apart)
        for name in dict.fromkeys(("auto", *self.found.oracles)):
            try:
                greedy = Greedy(self.objective, compared, get(name).on(model))
                yield baseline(self.objective, greedy.measured(ListState(self.rows), True), compared.distance)
            except (InfeasibleError, UnsupportedError, ValueError):  # also names that are not known here
                continue

    def _check_baseline_gap(self, single: Step) -> None:
        """Compare with what the same oracle leaves open again; lists saved by earlier versions do not say."""
        claimed = self.found.certificate.baseline_gap
        if isnan(claimed) or single.exact or single.oracle != self.found.oracles[0]:
            return
        best = max(single.relevance, float(np.asarray(self.objective.model.score(self.rows)).max()))
        least = len(self.rows) * (_UNSURE * (single.upper_bound - best) - self._slack)
        self._not_below("baseline_gap of the list", claimed, least, "what is left open")

    def _check_derived(self, claimed: Certificate) -> None:
        """What follows from the bounds of the steps: these are checked before."""
        steps = tuple(
            Step(y, float(g), float(u), False, "")
            for y, g, u in zip(self.rows, self.found.gains, self._unlimited, strict=True)
        )
        state, unknown = ListState(self.rows, steps), self.objective.why_not_known(self.rows)
        if len(claimed.online) > len(self.rows):  # what could be added next was known, too
            state = replace(state, next=self.solver.step(self.objective.bounding(self.rows)))
        exact = state.next is None or state.next.exact
        failed = self.objective.why_not_monotone() or unknown
        again = certify(
            self.values, step_bounds(self.objective, state), state.best_gains, np.nan, failed, size=self.size
        )
        for t, (said, true) in enumerate(zip(claimed.online, again.online, strict=False)):
            missed = 0.0 if exact or t < len(self.rows) else _UNSURE * (true - self.values[-1])
            self._not_below(f"bound on lists by step {t}", said, true - missed, "what follows")
        for name in ("monotone", "product"):
            said, true = getattr(claimed, name), getattr(again, name)
            if said is not None and (true is None or (exact and not said >= true - len(self.rows) * self._slack)):
                raise _refusal(f"{name} bound of the list is {true!r}, not {said!r} as its certificate says")
        if claimed.paper is not None and claimed.paper.share is not None:
            share = paper_bounds(self.objective, state, self.values, unknown).share
            if share is None or not abs(share - claimed.paper.share) <= _KERNEL_ROUNDING:
                raise _refusal(f"share by the paper's lemma is {share!r}, not {claimed.paper.share!r}")

    def _gain(self, step: Step, earlier: Labels) -> float:
        return float(self.objective.gain(step.labeling, step.relevance, earlier))

    def _same(self, name: str, now: float, before: float, times: int = 1) -> None:
        if not abs(now - before) <= times * self._digits and now != before:
            raise _refusal(f"{name} is {now!r}, not {before!r} as its certificate says")

    def _not_below(self, name: str, said: float, true: float, what: str) -> None:
        if said != inf and not said >= true - self._slack:  # not a number, too; no bound is below an infinite one
            raise _refusal(f"{name} is said to be {said!r}, but {what} is {true!r}")


def _refusal(text: str) -> BoundError:
    return BoundError(f"{text}: it was made for another model, diversity or tradeoff, or the file was changed.")
