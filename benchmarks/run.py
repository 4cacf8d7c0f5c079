# SPDX-License-Identifier: BSD-3-Clause
"""One table of everything measured, against peers and goals: ``make bench``; ``--quick`` to see that it works."""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path

import cuts
import diverse
import growth
import multilabel
import numpy as np
import page
import small
import table
import toulbar2

import hedgehop as hh

ALL = {"cuts": cuts, "multilabel": multilabel, "diverse": diverse, "toulbar2": toulbar2, "growth": growth}
GROUPS = {**ALL, "small": small}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "groups", nargs="*", default=[], help=f"some of {', '.join(GROUPS)}; all but small unless given"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, one run: only to see that it works")
    parser.add_argument("--only", action="append", default=[], help="problems whose name contains this")
    parser.add_argument("--rows", metavar="PATH", help="keep rows here, and write pages from all groups that are there")
    parser.add_argument("--markdown", metavar="PATH", help="also write a page for the documentation")
    parser.add_argument("--readme", metavar="PATH", help="also write some rows between the marks of this document")
    options = parser.parse_args()
    table.ONLY[:] = options.only
    unknown = set(options.groups) - set(GROUPS)
    if unknown:
        parser.error(f"unknown group {sorted(unknown)[0]!r}; there are {', '.join(GROUPS)}")
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    print(f"hedgehop {hh.__version__}, Python {platform.python_version()}, numpy {np.__version__}, {machine}")
    for name in table.missing():
        print(f"{name} is not installed: its columns are empty (pip install -r benchmarks/requirements.txt)")
    table.header()
    found = {name: rows_of(name, options.quick) for name in options.groups or ALL}
    if options.rows:
        found = kept(Path(options.rows), found)
    groups = [(GROUPS[name].__doc__, found[name]) for name in GROUPS if name in found]
    if options.markdown:
        page.write(options.markdown, groups, options.quick)
        print(f"wrote {options.markdown}")
    if options.readme:
        page.write_headlines(options.readme, groups)
        print(f"wrote {options.readme}")


def kept(path, found):
    """Return the rows of earlier runs, those of the same problem replaced by this run's, and keep all."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name, rows in found.items():
        named = {row[0]: row for row in (*known.get(name, ()), *rows)}
        known[name] = list(named.values())
    path.write_text(json.dumps(known, indent=1), encoding="utf-8")
    return known


def rows_of(name, quick):
    """Run a group, which prints its rows, and return them."""
    before = len(table.ROWS)
    GROUPS[name].run(quick)
    return table.ROWS[before:]


if __name__ == "__main__":
    main()
