# SPDX-License-Identifier: BSD-3-Clause
"""Settings of the documentation; ``make docs`` builds it, without a network."""

import hedgehop

project = "hedgehop"
author = "the hedgehop developers"
copyright = author
release = version = hedgehop.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax", "myst_parser", "numpydoc"]
exclude_patterns = ["pictures"]

myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = False  # the names are documented on the reference page itself
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's sections say more
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "alabaster"
html_theme_options = {"description": "M plausible, genuinely different answers", "page_width": "1080px"}
html_show_copyright = False


def setup(app):
    app.connect("autodoc-process-docstring", escape_stars, priority=100)  # before numpydoc


def escape_stars(app, what, name, obj, options, lines):
    """Show shapes such as (m, *shape) as they are, not as the beginning of an emphasis."""
    lines[:] = [line.replace(" *shape", r" \*shape") for line in lines]
