# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop solve``: a diverse list from a model in a file."""

from __future__ import annotations

from _thread import interrupt_main
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import Annotated, Any

import typer

from hedgehop._errors import Interrupted
from hedgehop.cli.options import Json, Quiet, check_writable, complete_diversity, complete_oracle, parse_option
from hedgehop.cli.output import Output, command_output, fields_of, progress_bar
from hedgehop.io.formats.uai import SOLUTION_SUFFIXES, write_labeling
from hedgehop.io.models import read
from hedgehop.lists.result import DiverseList
from hedgehop.lists.selection import Certify, diverse
from hedgehop.lists.tradeoff import SECOND, VISIBLE, Target
from hedgehop.oracles import Auto, Ilp, Oracle, Step, get
from hedgehop.specifications import parse_diversity, parse_tradeoff

_MOST_SHOWN = 40  # variables of labelings that are printed


class MethodName(str, Enum):
    """The methods of ``hh.diverse``, for the help."""

    greedy = "greedy"
    distorted = "distorted"
    joint = "joint"


def solve(
    file: Annotated[
        Path, typer.Argument(help="The model: .uai .LG .wcsp .cfn .max .npz .h5.", exists=True, dir_okay=False)
    ],
    m: Annotated[int, typer.Option("-m", min=1, help="Number of labelings.")] = 5,
    diversity: Annotated[
        str,
        typer.Option(
            "--diversity",
            "-d",
            autocompletion=complete_diversity,
            help="hamming:GAMMA, ball:RADIUS, labels, transitions, variables (optionally with :log, :sqrt or :count) "
            "or linear; options as in labels:log:parsimony=0; sums as in 0.5*labels+hamming:0.01.",
        ),
    ] = "variables",
    tradeoff: Annotated[
        str,
        typer.Option(
            "--tradeoff",
            "-t",
            help="The weight of the diversity: a number, target:SHARE, per-variable:NUMBER, or auto: the second "
            f"labeling then differs from the first in {SECOND:.0%} of the variables.",
        ),
    ] = "auto",
    method: Annotated[MethodName, typer.Option(help="How the list is chosen.")] = MethodName.greedy,
    oracle: Annotated[
        str,
        typer.Option(
            help="Which oracle solves the steps; `hedgehop doctor` lists the names.", autocompletion=complete_oracle
        ),
    ] = "auto",
    distinct: Annotated[
        bool | None,
        typer.Option("--distinct/--repeat", help="Whether all labelings must be different.", show_default="auto"),
    ] = None,
    min_distance: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Number of variables (below 1: share of variables) in which any two labelings must differ.",
            show_default=f"{VISIBLE}, unless --tradeoff, --distinct, --repeat or --method joint is given",
        ),
    ] = None,
    refine: Annotated[bool, typer.Option("--refine", help="Re-solve each labeling given all others.")] = False,
    certify: Annotated[
        str,
        typer.Option(help="Number of further steps for a better bound on all lists; off; or auto: one per labeling."),
    ] = "auto",
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Stop after this many seconds and return the list found so far.")
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(min=0, help="Share of what is at stake that a step may leave open, such as 1e-3: sooner done."),
    ] = None,
    evidence: Annotated[
        str,
        typer.Option(
            help="An .evid file of observed labels for .uai and .LG files, or none.", show_default="MODEL.evid"
        ),
    ] = "auto",
    target: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the list to this .npz file, or the best labeling to a .MAP file."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find M good and different labelings of a model, and print what is proven about them.

    With --json and without --out, the printed object contains the labelings.

    Example: `hedgehop solve grid.uai -m 10 --diversity hamming:0.01 --tradeoff 2 --out list.npz`
    """
    kind = parse_option("--diversity", parse_diversity, diversity)
    factor = parse_option("--tradeoff", parse_tradeoff, tradeoff)
    calls = parse_option("--certify", _certify, certify)
    solver = _in_time(parse_option("--oracle", get, oracle), time_limit)
    with command_output(json, quiet) as out:
        check_writable(target)
        if target is not None and target.suffix.lower() not in (".npz", *SOLUTION_SUFFIXES):
            raise ValueError(f"the suffix must be one of .npz, .MAP, .MPE; got {target.name!r}.")
        model = read(file, evidence=None if evidence == "none" else evidence)
        run = partial(diverse, model, kind, m, factor, method.value, solver, refine=refine, min_distance=min_distance)
        run = partial(run, certify=calls)
        patient = not isinstance(factor, Target)  # a search for a tradeoff may take any number of steps
        with progress_bar(out, "labelings", m) as advance, TimeLimit(time_limit, patient) as limit:
            run = partial(run, distinct="auto" if distinct is None else distinct, tolerance=tolerance)
            found = _whole_or_beginning(run, advance, limit)
        _tell(out, found, target)
        if found.method == "interrupted":
            _tell_the_end(out, limit, len(found), m)


def _certify(words: str) -> Certify:
    """Read how much a certificate may cost."""
    if words in ("auto", "off"):
        return "auto" if words == "auto" else False
    if not words.isdecimal() or int(words) == 0:
        raise ValueError(f"certify must be auto, off or a number of steps; got {words!r}.")
    return int(words)


def _in_time(solver: Oracle, limit: float | None) -> Oracle:
    """Return the oracle with integer programs that end with the run's time; other steps are short."""
    usual = Ilp()
    if limit is None or limit >= usual.time_limit:
        return solver
    timed = Ilp(max(limit, 1.0))
    return timed if isinstance(solver, Ilp) else Auto(timed) if isinstance(solver, Auto) else solver


def _whole_or_beginning(
    run: Callable[..., DiverseList], advance: Callable[[object], None], limit: TimeLimit
) -> DiverseList:
    """Return the list or, interrupted, what there is of it."""

    def after_step(step: Step) -> None:
        advance(step)
        limit.after_step(step)

    try:
        return run(callback=after_step)
    except KeyboardInterrupt as stop:
        if isinstance(stop, Interrupted) and stop.found is not None:
            return stop.found
        if limit.over:
            text = "Allow more time, or give a number as tradeoff."
            raise TimeoutError(f"no labeling was found within {limit.seconds:g} s. {text}") from None
        raise


def _tell(out: Output, found: DiverseList, target: Path | None) -> None:
    """Print the table before the file is written, so that a full disk does not lose both."""
    apart = found.certificate.apart
    out.say(found.report(), **fields_of(found), min_distance=apart)
    if apart and len(found) > 1:
        variables = "1 variable" if apart == 1 else f"{apart} variables"
        out.say(f"any two labelings were made to differ in at least {variables} (--min-distance {apart})")
    if target is None:
        out.fields["labelings"] = found.labelings
        out.say(_labelings(found))
        return
    if target.suffix.lower() in SOLUTION_SUFFIXES:
        write_labeling(found.labelings[int(found.relevance.argmax())], target)
    else:
        found.save(target)
    out.say(f"wrote {target}", out=target)


def _labelings(found: DiverseList) -> str:
    """The labelings of a small model, one per line; of others, how to keep them."""
    rows = found.labelings.reshape(len(found), -1)
    if rows.shape[1] > _MOST_SHOWN:
        return f"the labelings have {rows.shape[1]} variables: keep them with --out list.npz, or print them with --json"
    return "\n".join(f"{t + 1:3}  {' '.join(map(str, row))}" for t, row in enumerate(rows.tolist()))


def _tell_the_end(out: Output, limit: TimeLimit, found: int, m: int) -> None:
    """Say why there are fewer labelings; running out of time is no failure."""
    kept = f"{found} of {m} labelings are kept"
    if limit.over:
        out.note(f"the time limit of {limit.seconds:g} s was reached; {kept}.")
        return
    out.fail(f"interrupted; {kept}.")
    raise typer.Exit(1)


@dataclass
class TimeLimit:
    """Interrupts what runs ``with`` it once its seconds are over, as Ctrl-C would; None never ends.

    A patient one waits for a first result, however long it takes.
    """

    seconds: float | None
    patient: bool = True
    over: bool = False

    def __enter__(self) -> TimeLimit:
        if self.seconds is not None:
            self._timer = Timer(self.seconds, self._end)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.seconds is not None:
            self._timer.cancel()

    def after_step(self, _result: Any) -> None:
        """Take a first result; it ends a run that has no time left."""
        if self.over and self.patient:
            raise KeyboardInterrupt
        self.patient = False

    def _end(self) -> None:
        self.over = True
        if not self.patient:
            interrupt_main()
