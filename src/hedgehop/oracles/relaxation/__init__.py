# SPDX-License-Identifier: BSD-3-Clause
"""Functions of counts on any structure: lines above them make every step linear."""
