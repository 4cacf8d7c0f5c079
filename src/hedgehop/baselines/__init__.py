# SPDX-License-Identifier: BSD-3-Clause
"""What diverse lists are compared with: the best labelings in order, answers to perturbed models, random labelings."""

from hedgehop.baselines.best_in_order import m_best
from hedgehop.baselines.perturbed import perturb_and_map
from hedgehop.baselines.uniform import random_labelings

__all__ = ["m_best", "perturb_and_map", "random_labelings"]
