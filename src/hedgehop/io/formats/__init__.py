# SPDX-License-Identifier: BSD-3-Clause
"""Formats of models: one module per format, with `read` and `write`, and what they share."""
