# SPDX-License-Identifier: BSD-3-Clause
"""Strokes: what combines the opinions, a robot that corrects answers, and figures: see README.md."""

from experiments.strokes.run import reproduce

__all__ = ["reproduce"]
