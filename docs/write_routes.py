# SPDX-License-Identifier: BSD-3-Clause
"""Write the table of routes into docs/solvers.md, between its marks: ``python docs/write_routes.py``."""

from __future__ import annotations

import re
from pathlib import Path

from hedgehop.oracles.routing import as_markdown

PAGE = Path(__file__).with_name("solvers.md")
MARKED = re.compile(r"(<!-- routes:[^\n]*-->\n).*?(<!-- end of routes -->)", re.S)


def with_routes(text: str) -> str:
    """Return the page with the present table."""
    return MARKED.sub(lambda marks: f"{marks[1]}{as_markdown()}\n{marks[2]}", text)


if __name__ == "__main__":
    PAGE.write_text(with_routes(PAGE.read_text()))
