# SPDX-License-Identifier: BSD-3-Clause
"""Cut a cat out with four strokes, in six ways: ``python examples/cutouts.py``."""

import sys

import numpy as np
from skimage import data

import hedgehop as hh

image = data.chelsea()  # by Stefan van der Walt, CC0
scribbles = np.zeros(image.shape[:2], int)  # 0 unknown, 1 background, 2 the object
scribbles[130:140, 150:260] = scribbles[200:210, 190:260] = 2
scribbles[20:100, 5:13] = scribbles[110:200, 430:440] = 1

segmenter = hh.Segmenter(image)  # superpixels, features, graph: once for an image
found = segmenter.suggest(scribbles, m=6)  # again after every stroke
print(found.report())
figure = found.plot(image, names=["background", "cat"], columns=4)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "cutouts.png")
