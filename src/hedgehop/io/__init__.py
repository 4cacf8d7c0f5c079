# SPDX-License-Identifier: BSD-3-Clause
"""Files of models, lists, label maps, images, strokes and scores."""

from hedgehop.io.formats.programs import program_of as program_of
from hedgehop.io.formats.uai import read_labeling as read_labeling
from hedgehop.io.formats.uai import write_labeling as write_labeling
from hedgehop.io.images import read_scores as read_scores
from hedgehop.io.images import read_strokes as read_strokes
from hedgehop.io.labels import read_labels as read_labels
from hedgehop.io.labels import write_labels as write_labels
from hedgehop.io.models import read as read
from hedgehop.io.models import write as write
from hedgehop.io.run_lengths import decode_runs as decode_runs
from hedgehop.io.run_lengths import encode_runs as encode_runs
