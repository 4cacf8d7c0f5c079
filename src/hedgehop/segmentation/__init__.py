# SPDX-License-Identifier: BSD-3-Clause
"""Segmentation: from an image and a few strokes, or a network's scores, to candidates worth choosing from."""

from hedgehop.palette import VOC_NAMES, voc_palette
from hedgehop.segmentation.overlap import ExpectedOverlap
from hedgehop.segmentation.regressor import PooledRegressor
from hedgehop.segmentation.scored import ScoredImage, from_scores
from hedgehop.segmentation.scribbles import from_colors, robot_scribbles
from hedgehop.segmentation.segmenter import Segmenter
from hedgehop.segmentation.suggestions import Suggestions

__all__ = [
    "VOC_NAMES",
    "ExpectedOverlap",
    "PooledRegressor",
    "ScoredImage",
    "Segmenter",
    "Suggestions",
    "from_colors",
    "from_scores",
    "robot_scribbles",
    "voc_palette",
]
