# SPDX-License-Identifier: BSD-3-Clause
"""Segmentation: from an image and a few strokes, or a network's scores, to candidates worth choosing from."""

from hedgehop.palette import VOC_NAMES as VOC_NAMES
from hedgehop.palette import voc_palette as voc_palette
from hedgehop.segmentation.overlap import ExpectedOverlap as ExpectedOverlap
from hedgehop.segmentation.regressor import PooledRegressor as PooledRegressor
from hedgehop.segmentation.scored import ScoredImage as ScoredImage
from hedgehop.segmentation.scored import from_scores as from_scores
from hedgehop.segmentation.scribbles import robot_scribbles as robot_scribbles
from hedgehop.segmentation.segmenter import Segmenter as Segmenter
from hedgehop.segmentation.segmenter import suggest as suggest
from hedgehop.segmentation.stroke_colors import from_colors as from_colors
from hedgehop.segmentation.strokes.dialogue import Dialogue as Dialogue
from hedgehop.segmentation.suggestions import Suggestions as Suggestions
