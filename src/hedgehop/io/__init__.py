# SPDX-License-Identifier: BSD-3-Clause
"""Files of models, lists, label maps, images, strokes and scores."""

from hedgehop.io.formats.uai import read_labeling, write_labeling
from hedgehop.io.images import read_scores, read_strokes
from hedgehop.io.labels import read_labels, write_labels
from hedgehop.io.models import read, write
from hedgehop.io.run_lengths import decode_runs, encode_runs

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
