# SPDX-License-Identifier: BSD-3-Clause
"""Integer programs: every built-in model and potential as rows."""
