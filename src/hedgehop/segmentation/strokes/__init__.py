# SPDX-License-Identifier: BSD-3-Clause
"""From strokes to scores of labels: classifiers, what is known around each superpixel, and the nets that combine it."""
