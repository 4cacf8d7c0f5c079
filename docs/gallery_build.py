# SPDX-License-Identifier: BSD-3-Clause
"""How sphinx-gallery runs the examples: in which order, and where their pictures are."""

from pathlib import Path
from shutil import move

from sphinx_gallery.scrapers import figure_rst

ORDER = [
    *("cutouts", "diversities", "stereo", "denoising", "taggings", "parses", "spanning_trees", "routes", "matchings"),
    *("plans", "proteins", "own_diversity", "certificates", "how_good"),
]


def place(name):
    """Return the place of an example on the page; new ones come last."""
    stem = Path(name).stem
    return (ORDER.index(stem) if stem in ORDER else len(ORDER), stem)


def written_pictures(block, block_vars, gallery_conf):
    """Take the pictures that an example has written beside itself."""
    taken = []
    for picture in sorted(Path(block_vars["src_file"]).parent.glob("*.png")):
        taken.append(next(block_vars["image_path_iterator"]))
        move(picture, taken[-1])
    return figure_rst(taken, gallery_conf["src_dir"])
