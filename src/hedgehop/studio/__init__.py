# SPDX-License-Identifier: BSD-3-Clause
"""The studio: a page where a person draws a few strokes and picks among diverse cut-outs (extra ``studio``)."""
