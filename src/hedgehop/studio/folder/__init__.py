# SPDX-License-Identifier: BSD-3-Clause
"""A folder of images as work: its files, what was made of each image, and all of it in one archive."""
