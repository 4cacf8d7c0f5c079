# SPDX-License-Identifier: BSD-3-Clause
"""From steps to lists: the objective, greedy and its kin, what is proven, and the result."""
