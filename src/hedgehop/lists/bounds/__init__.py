# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on every list of m labelings, beside those of a run's own steps: one file per kind."""
