# SPDX-License-Identifier: BSD-3-Clause
"""Relevance learned from examples, then diverse lists: see README.md beside this file."""

from experiments.learning.run import reproduce

__all__ = ["reproduce"]
