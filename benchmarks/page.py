# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks as a page of the documentation: ``python benchmarks/run.py --markdown docs/benchmarks.md``.

Some rows also go into the README, if that is asked for (``--readme README.md``): between two marks, so that no figure
there is typed by hand.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import re
from pathlib import Path

import table

HEADLINES = (
    "cut, noisy1024",
    "cut, sp200000L2",
    "best, grid256L21h",
    "M = 10, noisy256, certified",
    "M = 10, grid256L21",
)
FIGURES = Path(__file__).parent.parent / "docs" / "pictures" / "growth.json"
MARKS = re.compile(r"(<!-- speed[^>]*-->\n).*?(<!-- end of speed -->)", re.DOTALL)
COLUMNS = ("problem", "ours", "peer", "ratio", "kernel", "goal", "met", "energies")
INTRODUCTION = """# Benchmarks

This page is written by
`{command}`;
`make bench` prints the same figures (first install the peers: `pip install -r benchmarks/requirements.txt`).
Times are CPU times, the best of several runs. The solvers take turns, so compare *ratios* (ours over the peer's)
rather than milliseconds. *Ours* is the public function, starting from float64 arrays, with the time to build the model;
*kernel* is the ratio of the compiled solver alone. *Goal* is the ratio, or the figure, that we aimed at; *met* also
requires energies that are no worse. Peers are measured, never used.
"""

GROWTH = """## How lists grow

CPU seconds of `hh.diverse` with its default certificate, for every diversity, on noisy images with Potts smoothness.
`python docs/pictures/growth.py n L m` measures and draws them. Sizes double (pixels: the sides). A curve ends where the
next list would take more than {limit:g} s if times went on to grow as they did last, or at 2048 x 2048 pixels, 320
labels or 160 labelings. On the right, the curves of `HammingBall`, `LabelCoverage`, `TransitionCoverage` and
`RegionCoverage` end sooner: there, measuring was stopped. Lists of `RegionCoverage` and `ExpectedBest` repeat labelings
at these tradeoffs; others hold different ones.

![CPU seconds per list against pixels, labels and labelings](pictures/growth.svg)
"""

MEMORY = """## Memory

Peaks of `python benchmarks/memory.py` on Linux: how far a call raises the memory of a process, the scores included, in
units of the scores. 512 x 512 pixels, 21 labels, float32, weak scores; lists of five. The messages alone take 2.3 of
these units, the scores in fixed point 1.1, edges and labelings 0.9. `best` takes 5.9 on 1024 x 1024 pixels.

| call | before | now | left once it is done |
|---|---|---|---|
| `hh.best` | 6.5 | 5.8 | 2.4 |
| `hh.best` with `LabelWeights` | 24.2 | 14.3 | 3.5 |
| `hh.diverse` without a search for bounds | 15.9 | 9.6 | 5.2 |
| the same, certified | 29.9 | 15.8 | 8.6 |
| the same with `LinearHamming`, not certified | 11.7 | 9.2 | 2.2 |

Twice the scores plus the messages, 4.3, was the goal; it is missed. Of a certified list, the slopes of the bound, a
number for about five labels of each pixel, and the search that improves them take about 6 more (counted by memray).
"""

HARD = """## Hard networks

`hh.best` on networks of competitions and of toulbar2's examples: value, gap between bound and value, and CPU seconds,
without pytoulbar2 and with it. *Known* is the value that comes with the file (UAI 2014) or that toulbar2 proves.
Settings of annealing and moves were chosen on these very files, so expect less elsewhere. Messages of short cycles
bound the grids to less than 1 %; before, their gaps were 16 to 26 %. Other bounds stay wide where nothing is proven.

| network | known | value | gap | CPU | with toulbar2 | CPU |
|---|---|---|---|---|---|---|
| `celar6sub0` | -159 | -159 | 100 % | 0.3 s | -159, proven | 0.4 s |
| `505` (cliques) | | -21253 | 17 % | 2.6 s | -21254 | 1.2 s |
| `wcsp_11` (cliques) | -7.712 | -7.684 | 48 % | 2.5 s | -7.684 | 1.6 s |
| `pedigree1` (cliques) | -76911689 | -76911689, proven | | 0.4 s | -76911689, proven | 0.2 s |
| `Promedas_11` (cliques) | -48.344 | -48.344, proven | | 0.4 s | | |
| `Grids_18` | 12966.65 | 13060.31 | 0.38 % | 2.0 s | | |
| `Grids_19` | 2715.28 | 2715.31 | 0.04 % | 1.7 s | | |
| `Grids_21` | 19343.41 | 19485.96 | 0.79 % | 2.0 s | | |
| `Grids_22` | 6504.94 | 6504.94 | 0.24 % | 2.1 s | | |
| `Grids_23` | 6401.55 | 6404.11 | 0.17 % | 1.9 s | | |
| `Grids_25` | 2689.00 | 2689.00 | 0.03 % | 1.7 s | | |
| `Grids_26` | 3051.01 | 3051.01 | 0.17 % | 0.7 s | | |
| `Grids_28` | 4563.17 | 4563.17 | 0.15 % | 0.8 s | | |
| `Grids_29` | 1542.66 | 1542.66 | 0.09 % | 0.7 s | | |
| `ProteinFolding_11` | 4513.14 | 4515.63 | 0.58 % | 0.8 s | | |
| `ObjectDetection_11` | 10063 | 10160.7 | 133 % | 0.6 s | | |
| `ProteinFolding_17` | 37922.9 | 38094.4 | 123 % | 0.8 s | | |
"""

PROFILE = """## Where the time goes

Shares of CPU time of the public calls, as profiled for the version of this page.

- One cut of 1024 x 1024 pixels: the flow takes 82 %, its capacities included, what is at stake, which rounding is
  measured against, 5 %, the copy and the checks of the scores 5 %, terminals and labels 4 %, the score of the answer
  2 %.
- A list of ten binary labelings, 256 x 256: cuts take 66 %, scores and gains 9 %, potentials and terminals 6 %, the
  certificate by the steps alone 5 %, the growing array of labelings 3 %, range checks of labelings 2 %. The certificate
  by ten more cuts adds a fifth to a third of that, nearly all of it in cuts. Within a cut, paths and what they cut
  off take three quarters; the new forests of a step take a seventh.
- A list of ten with 21 labels, 256 x 256, hard scores: expansion and fusion moves take 70 %, less than half of it in
  cuts, the rest in choosing who takes part and in building graphs; message passing takes 24 %. With easy scores,
  message passing takes 60 % and building its arrays 9 %, potentials 11 %, labels that scores decide alone and what they
  leave 17 %, moves 7 %.
- One cut of 2000 superpixels takes 0.2 ms when it is asked for again and again. Two thirds of that are Python and
  checks: building the model, choosing the oracle, measuring what is at stake.
"""


def write(path, groups, quick):
    """Write the rows of all groups, one table per group, below a description of the machine."""
    command = "python benchmarks/run.py --markdown docs/benchmarks.md --readme README.md"
    parts = [INTRODUCTION.format(command=command), machine(), versions()]
    if quick:
        parts.append("**These are the smallest sizes, run once. They only show that everything runs.**\n")
    parts += [section(about, rows) for about, rows in groups]
    parts.append(HARD)
    parts.append(PROFILE)
    parts.append(MEMORY)
    if FIGURES.exists():
        parts.append(GROWTH.format(limit=json.loads(FIGURES.read_text(encoding="utf-8"))["limit"]))
    Path(path).write_text("\n".join(parts), encoding="utf-8")


def write_headlines(path, groups):
    """Put the rows that matter most between the marks of a document."""
    rows = [row for _, rows in groups for row in rows if row[0] in HEADLINES and row[2]]
    lines = ["| problem | hedgehop | peer | ratio | energies |", "|---|---|---|---|---|"]
    lines += [f"| {row[0]} | {row[1]} | {row[2]} | {row[3]} | {row[7].split(';')[0]} |" for row in rows]
    text = Path(path).read_text(encoding="utf-8")
    filled = MARKS.sub(lambda found: found[1] + "\n".join([*lines, found[2]]), text)
    Path(path).write_text(filled, encoding="utf-8")


def machine():
    today = datetime.date.today().isoformat()
    return f"Measured on {today}: {processor()}, {os.cpu_count()} cores, {platform.system()} on {platform.machine()}.\n"


def processor():
    """Name of the processor; Linux alone tells it in full."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def versions():
    names = ["hedgehop", "numpy", "scipy", *(name for name in table.PEERS.values() if name not in table.missing())]
    told = [f"{name} {importlib.metadata.version(name)}" for name in names]
    absent = [f"{name} was not installed." for name in table.missing()]
    return " ".join([f"Python {platform.python_version()}, {', '.join(told)}.", *absent]) + "\n"


def section(about, rows):
    title, *details = about.strip().split("\n\n")
    lines = [f"## {title.rstrip('.')}\n", *(f"{detail}\n" for detail in details)]
    lines += ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
