# SPDX-License-Identifier: BSD-3-Clause
"""Lists as tables for other programs: one row per labeling."""

from __future__ import annotations

import csv
from io import StringIO

from hedgehop.io.file_access import FilePath, write_text
from hedgehop.io.formats.names import Names, plain_words
from hedgehop.lists.result import DiverseList


def write_table(found: DiverseList, path: FilePath, names: Names | None = None) -> None:
    """Write all labelings to a .csv file: number, score, and the label of each variable, in words if it has names."""
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    variables = names.variables if names else [f"v{i}" for i in range(found.labelings[0].size)]
    rows.writerow(["labeling", "score", *variables])
    for t, (labeling, score) in enumerate(zip(found.labelings, found.relevance.tolist(), strict=True)):
        rows.writerow([t + 1, repr(score), *plain_words(labeling, names)])
    write_text(path, text.getvalue())
