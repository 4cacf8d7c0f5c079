# SPDX-License-Identifier: BSD-3-Clause
"""A list in words: the steps, what is proven, and what to change when it disappoints."""

from __future__ import annotations

from math import isfinite, isnan

import numpy as np

from hedgehop._arrays import Labels
from hedgehop.diversity.hamming import distinct_rows
from hedgehop.lists.certificate import Certificate
from hedgehop.lists.proofs.bounds import Proof
from hedgehop.lists.result import DiverseList
from hedgehop.oracles.registry import available

_ARGUMENTS = {"slopes": "list dual", "relaxed slopes": "list dual", "joint": "joint cuts"}
_LITTLE = 0.9  # guarantee below which people may take it for a mark
_SURE_LABEL = 0.95  # probability above which a label counts as sure


def report(found: DiverseList, verbose: bool = False) -> str:
    """What most people want to know about a list, then the steps; with `verbose`, everything that is proven."""
    between = ";\n" if len(found) > 1 else "; "
    parts = [summary(found, between), "", *_table(found), *_sureness(found), "", *_settings(found)]
    rest = [*_solvers(found), *_proof(found)] if verbose else [_total(found), *_behind(found.certificate)]
    rest += _meaning(found)
    return "\n".join([*parts, *rest, *_advice(found)])


def summary(found: DiverseList, between: str = "; ") -> str:
    """How different the labelings are and, after `between`, what is proven, in one sentence."""
    return f"{_apart(found)}{between}{_steps(found)}{_reached(found.certificate)}"


def _steps(found: DiverseList) -> str:
    """How many steps are proven; nothing if labelings may have been exchanged, which no step has chosen."""
    if found.method.endswith("improved"):
        return ""
    return f"{int(found.exact.sum())} of {len(found)} steps proven optimal; "


def _settings(found: DiverseList) -> list[str]:
    return [found.model, f"by {found.diversity}, tradeoff {found.tradeoff:g}, {found.method}"]


def _apart(found: DiverseList) -> str:
    if len(found) < 2:
        return "1 labeling"
    nearest = found.distances[np.triu_indices(len(found), 1)].min() / found.labelings[0].size
    different = f"{found.distinct} of {len(found)} labelings different"
    return different + (f", any two in at least {nearest:.1%} of the variables" if nearest > 0 else "")


def _reached(proof: Certificate) -> str:
    """The guarantee as a sentence."""
    if proof.optimal:
        return "no list is better"
    if not isfinite(proof.upper_bound):
        return "nothing is proven about the list as a whole"
    if not proof.guarantee > 0:
        return f"no list{_limits(proof)} is better by more than {proof.upper_bound - proof.objective:.3g}"
    known = " over the most relevant labeling found" if _is_unproven(proof) else ""
    return f"the list reaches at least {_share(proof.guarantee)} of the best possible improvement{known}"


def _table(found: DiverseList) -> list[str]:
    far = found.distances[0] / found.labelings[0].size
    likely = [f" {p:7.1%}" for p in found.probabilities] if found.is_weighed else [""] * len(found)
    heads = f"{'relevance':>12} {'gain':>12} {'bound':>12} {'to first':>9} {'exact':>6} {'seconds':>8}  oracle"
    lines = [f"{'':>3}{' likely':>8} {heads}" if found.is_weighed else f"{'':>3} {heads}"]
    for t in range(len(found)):
        numbers = f"{found.relevance[t]:12.5g} {found.gains[t]:12.5g} {found.bounds[t]:12.5g} {far[t]:9.1%}"
        source = f"  ({found.sources[t]})" if found.sources else ""
        solved = f"{'yes' if found.exact[t] else 'no':>6} {found.seconds[t]:8.3f}  {found.oracles[t]}"
        lines.append(f"{t + 1:3}{likely[t]} {numbers} {solved}{source}")
    return lines


def _sureness(found: DiverseList) -> list[str]:
    """What the probabilities mean, and how likely it is that all labelings are wrong."""
    if not found.is_weighed:
        return []
    text = f"likely: to be the nearest one to the truth, by {found._figures.origin}"
    far = "the truth differs from all of them in more than a tenth of the variables"
    share = (found.sure > _SURE_LABEL).mean()
    known = f"{share:.0%} of the variables have a label with a probability above {_SURE_LABEL:.0%}"
    return [f"{text};", f"{far} with probability {found.none_of_these:.0%}", known]


def _solvers(found: DiverseList) -> list[str]:
    """Which oracles solved the steps, and what they are good for."""
    known = available()
    return [f"{name}: {known[name]}" for name in dict.fromkeys(found.oracles) if name in known]


def _proof(found: DiverseList) -> list[str]:
    proof = found.certificate
    lines = [
        "exact: no labeling that was allowed in the step adds more",
        _total(found) + _source(proof.proof),
        *_in_words(found),
        f"guarantee {_share(proof.guarantee)} of the best possible improvement over {_plain(proof)} "
        f"(F = {proof.baseline:.8g})",
        *_compared(proof),
    ]
    if not isnan(proof.ratio):
        lines.append(f"ratio F / bound {_share(proof.ratio)}")
    if proof.monotone is None:
        lines.append(f"monotone bound and Lemma 2: not applicable, {proof.condition}")
    else:
        lines.append(f"monotone bound {proof.monotone:.8g}, Lemma 2 {proof.product:.8g}: {proof.condition}")
    return lines + _lemma(proof)


def _total(found: DiverseList) -> str:
    proof = found.certificate
    bound = f"no list of {len(found)}{_limits(proof)} has more than {proof.upper_bound:.8g}"
    if not isfinite(proof.upper_bound):
        bound = "no bound on other lists is known"
    return f"F = {proof.objective:.8g}; {bound}"


def _lemma(proof: Certificate) -> list[str]:
    """Lemma 2 of the paper with the errors of the steps, and its relative measure, if they say something."""
    lines = []
    if proof.paper is not None:
        share = proof.paper.share
        shown = "not applicable" if share is None else f"{_share(share)} of any list"
        lines.append(f"Lemma 2 with the errors of the steps: {shown}; {proof.paper.condition}")
    if proof.relative > 0:
        lines.append(f"relative measure (F - F_min) / (F* - F_min): at least {_share(proof.relative)}")
    return lines


def _source(proof: Proof | None) -> str:
    """How the bound was found."""
    if proof is None or proof.source == "steps":
        return ""
    steps = f"{proof.calls} further steps in {proof.seconds:.2g} s" if proof.calls else "the steps of the list"
    return f" ({_ARGUMENTS.get(proof.source, proof.source)}, {steps})"


def _in_words(found: DiverseList) -> list[str]:
    proof, count = found.certificate, len(found)
    if proof.optimal:
        return [f"proven: no list of {count}{_limits(proof)} is better"]
    if not 0.0 < proof.guarantee < 1.0:
        return []
    more = np.ceil(1000.0 * (1.0 / proof.guarantee - 1.0)) / 1000.0  # rounded up: nothing more is proven
    return [f"proven: no list of {count}{_limits(proof)} improves on {_plain(proof)} by {more:.1%} more than this one"]


def _plain(proof: Certificate) -> str:
    if proof.allowed:
        return "the most relevant labelings that are allowed"
    return f"repeating the {'most relevant labeling found' if _is_unproven(proof) else 'single best labeling'}"


def _is_unproven(proof: Certificate) -> bool:
    """Whether some labeling may be more relevant than the one that the list is compared with."""
    return not proof.allowed and proof.baseline_gap > proof.rounding


def _limits(proof: Certificate) -> str:
    return " that keeps the limits" if proof.apart else ""


def _meaning(found: DiverseList) -> list[str]:
    """What a low guarantee says, and what it does not."""
    proof = found.certificate
    if proof.optimal or not 0.0 < proof.guarantee < _LITTLE:
        return []
    loose = " (bounds on lists whose labelings must differ are loose)" if proof.apart else ""
    text = f"this much is proven; the list may be closer to the best one{loose}"
    more = "found.improve(calls=20), or --certify 20 on the command line, often proves more"
    return [f"{text};", more] if found.can_improve else [text]


def _behind(proof: Certificate) -> list[str]:
    if not proof.falls_behind:
        return []
    return [f"the list is worse than {_plain(proof)}, by {proof.baseline - proof.objective:.8g}: no improvement"]


def _compared(proof: Certificate) -> list[str]:
    """What the guarantee compares with, if that needs to be said."""
    lines = _behind(proof)
    if _is_unproven(proof):
        text = "no proof that this labeling is the most relevant one: repeated, another may have up to"
        lines.append(f"{text} {proof.baseline_gap:.5g} more relevance")
    if proof.apart and (proof.proof is None or "apart" not in proof.proof.arrays):
        lines.append("the bound also holds for lists that repeat labelings, which this list must not do")
    return lines


def _advice(found: DiverseList) -> list[str]:
    text = repeats(found.labelings.reshape(len(found), -1))
    return [text] if text else []


def repeats(rows: Labels) -> str:
    """What to change about a list that repeats labelings; nothing if it does not."""
    different = len(distinct_rows(rows))
    if different == len(rows):
        return ""
    text = f"only {different} of {len(rows)} labelings are different: pass distinct=True or min_distance=0.05"
    return f"{text}, a larger tradeoff or 'auto', or another diversity."


def _share(value: float) -> str:
    """A proven share in per cent, rounded down, because nothing more is proven; rounding errors of sums are ignored."""
    return f"{np.floor(value * 1000 + 1e-9) / 1000:.1%}" if isfinite(value) else "none"
