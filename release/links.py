# SPDX-License-Identifier: BSD-3-Clause
"""Make the links of README.md absolute, for PyPI: ``python release/links.py https://HOST/PATH``.

Run it once the documentation has an address. It points every link and picture of README.md there, and writes the
address into pyproject.toml as [project.urls]. Until then links are relative, which works in a clone. To move the
documentation, run it again with the new address.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_TABLE = re.compile(r"\[project\.urls\]\n(?:.+\n)*\n")


def absolute(text: str, base: str, old: str | None = None) -> str:
    """Return a page whose links lead to the built documentation at an address."""
    text = text.replace(f"]({old}/", f"]({base}/") if old else text
    text = re.sub(r"\]\(docs/pictures/([\w.]+)\)", rf"]({base}/_images/\1)", text)
    return re.sub(r"\]\(docs/(\w+)\.md(#[\w-]+)?\)", rf"]({base}/\1.html\2)", text)


def with_urls(settings: str, base: str) -> str:
    """Return pyproject.toml with the address in it."""
    table = f'[project.urls]\nHomepage = "{base}"\nDocumentation = "{base}"\n\n'
    return _TABLE.sub("", settings).replace("[project.scripts]", f"{table}[project.scripts]", 1)


def known_address(settings: str) -> str | None:
    found = re.search(r'^Documentation = "(.+)"$', settings, re.MULTILINE)
    return found and found[1]


def main(base: str) -> None:
    readme, settings = ROOT / "README.md", ROOT / "pyproject.toml"
    before = settings.read_text(encoding="utf-8")
    readme.write_text(absolute(readme.read_text(encoding="utf-8"), base, known_address(before)), encoding="utf-8")
    settings.write_text(with_urls(before, base), encoding="utf-8")
    print(f"links: README.md and pyproject.toml lead to {base}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)*", sys.argv[1]):
        raise SystemExit(__doc__)
    main(sys.argv[1])
