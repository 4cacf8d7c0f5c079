# SPDX-License-Identifier: BSD-3-Clause
"""How a list is made: step by step, all at once, by exchange, from a pool, and one list for each diversity."""
