# SPDX-License-Identifier: BSD-3-Clause
"""How good labelings and lists of them are: label maps, routes, taggings and parses."""

from hedgehop.metrics.calibration import Reliability as Reliability
from hedgehop.metrics.calibration import calibration_error as calibration_error
from hedgehop.metrics.calibration import log_loss as log_loss
from hedgehop.metrics.calibration import reliability as reliability
from hedgehop.metrics.labels import accuracy as accuracy
from hedgehop.metrics.labels import best_accuracy as best_accuracy
from hedgehop.metrics.labels import best_iou as best_iou
from hedgehop.metrics.labels import best_so_far as best_so_far
from hedgehop.metrics.labels import confusion as confusion
from hedgehop.metrics.labels import corpus_iou as corpus_iou
from hedgehop.metrics.labels import coverage as coverage
from hedgehop.metrics.labels import distances as distances
from hedgehop.metrics.labels import iou as iou
from hedgehop.metrics.labels import iou_of as iou_of
from hedgehop.metrics.labels import mean_iou as mean_iou
from hedgehop.metrics.labels import near_borders as near_borders
from hedgehop.metrics.labels import oracle_accuracy as oracle_accuracy
from hedgehop.metrics.labels import oracle_iou as oracle_iou
from hedgehop.metrics.labels import refuse_masks as refuse_masks
from hedgehop.metrics.routes import local_optimality as local_optimality
from hedgehop.metrics.routes import shared_length as shared_length
from hedgehop.metrics.routes import stretch as stretch
from hedgehop.metrics.text import chunk_counts as chunk_counts
from hedgehop.metrics.text import chunk_f1 as chunk_f1
from hedgehop.metrics.text import chunks as chunks
from hedgehop.metrics.text import f1_of as f1_of
from hedgehop.metrics.text import las as las
from hedgehop.metrics.text import uas as uas
