# SPDX-License-Identifier: BSD-3-Clause
"""Labelings of scores that contradict each other, and a bound for cliques: what integer programs take too long for."""
