# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on every list, and how to check them again (docs/list_dual.md)."""
