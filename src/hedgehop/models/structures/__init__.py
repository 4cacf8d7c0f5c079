# SPDX-License-Identifier: BSD-3-Clause
"""Structures whose labelings must fit together: trees, matchings, parses, routes, programs; one file each."""
