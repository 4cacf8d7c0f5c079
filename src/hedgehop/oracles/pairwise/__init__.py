# SPDX-License-Identifier: BSD-3-Clause
"""Pairwise models: cuts, message passing, moves."""
