# SPDX-License-Identifier: BSD-3-Clause
"""Settings of the documentation; ``make docs`` builds it, without a network."""

import re
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

import hedgehop

sys.path.insert(0, str(Path(__file__).parent))  # gallery_build

project = "hedgehop"
author = "the hedgehop developers"
copyright = author
release = version = hedgehop.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "myst_parser", "numpydoc", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["pictures", "_static", "_templates", "gallery/*.py", "gallery/*.ipynb"]
templates_path = ["_templates"]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",  # all of them are run
    "ignore_pattern": "taggings_and_parses",  # needs data
    "within_subsection_order": "gallery_build.place",
    "image_scrapers": ("gallery_build.written_pictures",),
    "capture_repr": (),
    "remove_config_comments": True,
    "first_notebook_cell": "%matplotlib inline",
    "download_all_examples": False,
    "show_signature": False,
    "nested_sections": False,
    "min_reported_time": 1e9,  # times depend on the machine
    "write_computation_times": False,
    "abort_on_example_error": True,
}

myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True  # one page per name
autosummary_imported_members = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's sections say more
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "furo"  # light, dark or as the system is set; needs no network
html_title = f"hedgehop {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
html_show_sourcelink = False
pygments_dark_style = "github-dark"
html_show_copyright = False
html_math_renderer = "mathml"


def setup(app):
    app.add_html_math_renderer("mathml", (write_math, None), (write_math, None))
    app.connect("autodoc-process-docstring", escape_stars, priority=100)  # before numpydoc


def escape_stars(app, what, name, obj, options, lines):
    """Show shapes such as (m, *shape) as they are, not as the beginning of an emphasis."""
    lines[:] = [re.sub(r"(?<=[ (])\*shape", r"\\*shape", line) for line in lines]


def write_math(writer, node):
    """Write formulas as MathML: browsers draw it, so that no page asks the network for a script."""
    display = "block" if node.tagname == "math_block" else "inline"
    writer.body.append(convert(node.astext(), display=display))
    raise nodes.SkipNode
