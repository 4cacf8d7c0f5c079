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
`RegionCoverage` end sooner: there, measuring was stopped.

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

`hh.best` on networks of competitions and of toulbar2's examples: value and CPU seconds without pytoulbar2, and with it.
*Known* is the value that comes with the file (UAI 2014) or that toulbar2 proves. Settings of annealing and
moves were chosen on these very files, so expect less elsewhere. Bounds stay wide where nothing is proven.

| network | known | value | CPU | with toulbar2 | CPU |
|---|---|---|---|---|---|
| `celar6sub0` | -159 | -159 | 0.1 s | -159, proven | 1.1 s |
| `505` (cliques) | | -21253 | 2.4 s | -21254 | 1.1 s |
| `wcsp_11` (cliques) | -7.712 | -7.684 | 2.9 s | -7.684 | 1.8 s |
| `pedigree1` (cliques) | -76911689 | -76911689, proven | 0.4 s | -76911689, proven | 0.4 s |
| `Promedas_11` (cliques) | -48.344 | -48.344, proven | 0.4 s | | |
| `Grids_18` | 12966.65 | 13060.31 | 1.6 s | | |
| `Grids_19` | 2715.28 | 2715.18 | 0.9 s | | |
| `Grids_21` | 19343.41 | 19485.96 | 1.6 s | | |
| `Grids_22` | 6504.94 | 6504.94 | 1.6 s | | |
| `Grids_25` | 2689.00 | 2688.44 | 1.2 s | | |
| `ProteinFolding_11` | 4513.14 | 4515.63 | 0.4 s | | |
"""

PROFILE = """## Where the time goes

Shares of CPU time of the public calls, as profiled for the version of this page.

- One cut of 1024 x 1024 pixels: the flow takes 73 %, its capacities included, what is at stake, which rounding is
  measured against, 11 %, the copy and the checks of the scores 7 %, terminals and labels 5 %, the score of the answer
  3 %.
- A list of ten binary labelings, 256 x 256: cuts take 57 %, scores and gains 11 %, potentials and their scaling 10 %,
  range checks of labelings 6 %, the certificate by the steps alone 6 %, the growing array of labelings 3 %.
- A list of ten with 21 labels, 256 x 256, hard scores: expansion and fusion moves take 68 %, half of it in cuts;
  message passing takes 25 %.
- Before this version a list on superpixels could anneal for seconds although all pairs prefer to agree: 4.4 s instead
  of 0.1 s, for a total that is 0.01 % better. Messages read their scores twice, along the diagonals of the image.
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
