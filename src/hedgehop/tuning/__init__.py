# SPDX-License-Identifier: BSD-3-Clause
"""Settings of diverse lists: what can be tried, and how the lists of each score."""
