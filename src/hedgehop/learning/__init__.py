# SPDX-License-Identifier: BSD-3-Clause
"""Learning from examples, with estimators like those of scikit-learn."""

from hedgehop._errors import need

need("sklearn", "learning", "hedgehop.learning")

from hedgehop.learning.dependency_parser import DependencyParser as DependencyParser  # noqa: E402
from hedgehop.learning.reranker import Reranker as Reranker  # noqa: E402
from hedgehop.learning.structured_svm import StructuredSVM as StructuredSVM  # noqa: E402
from hedgehop.learning.transductive_svm import TransductiveSVM as TransductiveSVM  # noqa: E402
