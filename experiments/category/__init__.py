# SPDX-License-Identifier: BSD-3-Clause
"""The paper's category segmentation (its Table 1), on other scores: see README.md beside this file."""

from experiments.category.run import reproduce

__all__ = ["reproduce"]
