# SPDX-License-Identifier: BSD-3-Clause
"""Solvers that are exact on one structure, or on anything small."""
