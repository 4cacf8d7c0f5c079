# SPDX-License-Identifier: BSD-3-Clause
"""Files: one module a format."""

from hedgehop.io.files import read, write
from hedgehop.io.labels import read_labels, write_labels
from hedgehop.io.pictures import read_scores
from hedgehop.io.runs import decode_runs, encode_runs
from hedgehop.io.strokes import read_strokes
from hedgehop.io.uai import read_labeling, write_labeling

__all__ = [
    "decode_runs",
    "encode_runs",
    "read",
    "read_labeling",
    "read_labels",
    "read_scores",
    "read_strokes",
    "write",
    "write_labeling",
    "write_labels",
]
