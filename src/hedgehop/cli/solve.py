# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop solve``: a diverse list from a model in a file."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from hedgehop._errors import Interrupted
from hedgehop.cli.options import (
    STANDARD,
    Force,
    Json,
    Quiet,
    Verbose,
    check_targets,
    complete_diversity,
    complete_oracle,
    must_exist,
    name_of,
    parse_option,
    readable,
    writable,
)
from hedgehop.cli.output import Output, command_output, fields_of, progress_bar
from hedgehop.io.formats.names import Names, plain_words
from hedgehop.io.formats.uai import SOLUTION_SUFFIXES, write_labeling
from hedgehop.io.models import ModelFile, read_file
from hedgehop.io.tables import write_table
from hedgehop.lists.result import DiverseList
from hedgehop.lists.selection import Certify, diverse
from hedgehop.lists.tradeoff import SECOND, VISIBLE
from hedgehop.oracles import get
from hedgehop.probabilities import weigh
from hedgehop.specifications import parse_diversity, parse_tradeoff

_MOST_SHOWN = 40  # variables of labelings that are printed


class MethodName(str, Enum):
    """The methods of ``hh.diverse``, for the help."""

    greedy = "greedy"
    distorted = "distorted"
    joint = "joint"
    auto = "auto"


def solve(
    file: Annotated[
        Path,
        typer.Argument(
            help="The model: .uai .LG .wcsp .cfn .max .npz .h5 .mps .lp, or - for stdin.",
            callback=must_exist,
        ),
    ],
    m: Annotated[int, typer.Option("-m", min=1, help="Number of labelings.")] = 5,
    diversity: Annotated[
        str,
        typer.Option(
            "--diversity",
            "-d",
            autocompletion=complete_diversity,
            help="hamming:GAMMA, ball:RADIUS, labels, transitions, variables, uses (optionally with :log, :sqrt or "
            ":count), regions:MAP (a label map such as map.png or map.npy) or linear; options as in "
            "labels:log:parsimony=0; sums as in 0.5*labels+hamming:0.01.",
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
    method: Annotated[
        MethodName, typer.Option(help="How the list is chosen; auto is joint where that is possible.")
    ] = MethodName.greedy,
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
        float | None,
        typer.Option(min=0, help="Stop after this many seconds and return the list found so far."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            min=0, help="End a step when bound and value agree to this share of what is at stake, such as 1e-3."
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="Also say how likely each labeling is the nearest one to the truth."),
    ] = False,
    temperature: Annotated[
        float | None,
        typer.Option(help="Divide scores by this to get log-probabilities; implies --probabilities.", show_default="1"),
    ] = None,
    evidence: Annotated[
        str,
        typer.Option(
            help="An .evid file of observed labels for .uai and .LG files, or none.", show_default="MODEL.evid"
        ),
    ] = "auto",
    target: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write the list to this .npz file, its labelings to a .csv file, or the best one to a .MAP file; "
            "- for stdout.",
        ),
    ] = None,
    given: Annotated[str | None, typer.Option("--from", help="Format of a model from stdin, such as uai.")] = None,
    wanted: Annotated[str, typer.Option("--to", help="Format of a list for stdout: npz, csv or MAP.")] = "npz",
    force: Force = False,
    verbose: Verbose = False,
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
    solver = parse_option("--oracle", get, oracle)
    with command_output(json, quiet) as out:
        check_targets(out, target, force, [file])
        kind_of_file = _kind_of_file(target, wanted)
        with readable(file, given) as path:
            held = read_file(path, None if evidence == "none" else evidence)
        run = partial(diverse, held.model, kind, m, factor, method.value, solver, refine=refine, certify=calls)
        run = partial(run, distinct="auto" if distinct is None else distinct, min_distance=min_distance)
        with progress_bar(out, "labelings", m) as advance:
            run = partial(run, tolerance=tolerance, time_limit=time_limit, callback=advance)
            found = _whole_or_beginning(run)
        if probabilities or temperature is not None:
            found = weigh(found, temperature=1.0 if temperature is None else temperature)
        _tell(out, found, held, verbose)
        _keep(out, found, held.names, target, kind_of_file)
        if found.method == "interrupted":
            out.fail(f"interrupted; {len(found)} of {m} labelings are kept.")
            raise typer.Exit(1)


def _kind_of_file(target: Path | None, wanted: str) -> str:
    """Return the suffix of what is written."""
    suffix = f".{wanted.removeprefix('.')}" if target == STANDARD else "" if target is None else target.suffix
    if target is not None and suffix.lower() not in (".npz", ".csv", *SOLUTION_SUFFIXES):
        raise ValueError(f"the suffix must be one of .npz, .csv, .MAP, .MPE; got {suffix or target.name!r}.")
    return suffix.lower()


def _certify(words: str) -> Certify:
    """Read how much a certificate may cost."""
    if words in ("auto", "off"):
        return "auto" if words == "auto" else False
    if not words.isdecimal() or int(words) == 0:
        raise ValueError(f"certify must be auto, off or a number of steps; got {words!r}.")
    return int(words)


def _whole_or_beginning(run: Callable[[], DiverseList]) -> DiverseList:
    """Return the list or, interrupted, what there is of it."""
    try:
        return run()
    except Interrupted as stop:
        if stop.found is None:
            raise
        return stop.found


def _tell(out: Output, found: DiverseList, held: ModelFile, verbose: bool) -> None:
    """Print what is known about the list, before its file is written: a full disk must not lose both."""
    apart = found.certificate.apart
    out.say(found.report(verbose), **fields_of(found), min_distance=apart, costs=held.costs)
    if held.costs:
        out.say("the file holds costs; relevance is the negated cost, so that larger is better")
    if apart and len(found) > 1:
        variables = "1 variable" if apart == 1 else f"{apart} variables"
        out.say(f"any two labelings were made to differ in at least {variables} (--min-distance {apart})")


def _keep(out: Output, found: DiverseList, names: Names | None, target: Path | None, kind: str) -> None:
    """Print the labelings of a small model, and write the list."""
    if target is None:
        out.fields |= {"labelings": found.labelings} | _named(found, names)
    if target is None or found.labelings[0].size <= _MOST_SHOWN:
        out.say(_labelings(found, names))
    if target is None:
        return
    what = f"all {len(found)} labelings"
    with writable(target, kind) as path:
        if kind in SOLUTION_SUFFIXES:
            what = "the best labeling; .npz and .csv files hold all of them"
            write_labeling(found.labelings[int(found.relevance.argmax())], path)
        elif kind == ".csv":
            write_table(found, path, names)
        else:
            found.save(path)
    out.say(f"wrote {name_of(target)}: {what}", out=target)


def _named(found: DiverseList, names: Names | None) -> dict[str, object]:
    if names is None:
        return {}
    return {"variables": names.variables, "named_labelings": [names.words(labeling) for labeling in found.labelings]}


def _labelings(found: DiverseList, names: Names | None) -> str:
    """The labelings of a small model, one per line; of others, how to keep them."""
    size = found.labelings[0].size
    if size > _MOST_SHOWN:
        return (
            f"the labelings have {size} variables: keep them with --out list.npz (or .csv), or print them with --json"
        )
    rows = [[f"{t + 1:3} ", *plain_words(row, names)] for t, row in enumerate(found.labelings)]
    rows = rows if names is None else [["    ", *names.variables], *rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(" ".join(map(str.rjust, row, widths)) for row in rows)
