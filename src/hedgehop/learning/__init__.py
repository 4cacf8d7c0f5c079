# SPDX-License-Identifier: BSD-3-Clause
"""Learning from examples, in the shape of scikit-learn."""

from hedgehop.learning.structured_svm import StructuredSVM
from hedgehop.learning.transductive_svm import TransductiveSVM

__all__ = ["StructuredSVM", "TransductiveSVM"]
