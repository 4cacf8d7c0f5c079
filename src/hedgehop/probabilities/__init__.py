# SPDX-License-Identifier: BSD-3-Clause
"""How sure is it? Marginals, samples and probabilities under ``p(y) ~ exp(score(y) / temperature)``."""

from hedgehop.probabilities.calibrating import Calibration, calibrate
from hedgehop.probabilities.consensus import consensus
from hedgehop.probabilities.marginals import Marginals, log_partition, marginals
from hedgehop.probabilities.samples import samples
from hedgehop.probabilities.weighing import weigh

__all__ = ["Calibration", "Marginals", "calibrate", "consensus", "log_partition", "marginals", "samples", "weigh"]
