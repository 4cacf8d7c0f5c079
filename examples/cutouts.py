# SPDX-License-Identifier: BSD-3-Clause
"""
Cut-outs from a few strokes
===========================

Four strokes leave much open. Does the chest belong to the cat? Where does the far cheek end? Is the other ear hers? The
candidates give different answers. Differences from the first one are outlined.
"""

import numpy as np
from skimage import data

import hedgehop as hh

image = data.chelsea()  # by Stefan van der Walt, CC0
scribbles = np.zeros(image.shape[:2], int)  # 0 unknown, 1 background, 2 the object
scribbles[130:140, 150:260] = scribbles[200:210, 190:260] = 2
scribbles[20:100, 5:13] = scribbles[110:200, 430:440] = 1

segmenter = hh.Segmenter(image)  # superpixels, features, graph: once per image
found = segmenter.suggest(scribbles, m=6)  # again after every stroke
print(found.report())
blue_and_red = np.array([[0, 0, 0], [30, 80, 255], [255, 30, 30]], np.uint8)
drawn = np.where(scribbles[..., None] > 0, blue_and_red[scribbles], image)
figure = found.plot(drawn, names=["background", "cat"], columns=4)
figure.savefig("cutouts.png")
figure  # a notebook shows it
