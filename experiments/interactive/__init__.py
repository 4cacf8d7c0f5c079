# SPDX-License-Identifier: BSD-3-Clause
"""The paper's interactive segmentation (its Table 2), on other images: see README.md beside this file."""

from experiments.interactive.run import reproduce

__all__ = ["reproduce"]
