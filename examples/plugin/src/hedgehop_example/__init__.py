# SPDX-License-Identifier: BSD-3-Clause
"""One of each kind that a package can add to hedgehop; one file each."""
