# SPDX-License-Identifier: BSD-3-Clause
"""Prepare README.md for PyPI, where relative links are dead: ``python release/links.py https://HOST/PATH``.

With the address of the documentation, every link and picture of README.md leads there, and pyproject.toml has it as
[project.urls]. To move the documentation, run it again with the new address. Links are relative until then, which
works in a clone. To release without an address, run ``python release/links.py none``: links become plain text, and
pictures are left out. Build, publish, and restore README.md.
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


def without_links(text: str) -> str:
    """Return a page without relative links and pictures."""
    text = re.sub(r"!\[[^\]]*\]\((?!https:)[^)]*\)[ \n]*", "", text)
    return re.sub(r"\[([^\]]*)\]\((?!https:)[^)]*\)", r"\1", text)


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


def remove_links() -> None:
    readme = ROOT / "README.md"
    readme.write_text(without_links(readme.read_text(encoding="utf-8")), encoding="utf-8")
    print("links: README.md has no relative links or pictures; restore it after the release")


if __name__ == "__main__":
    if sys.argv[1:] == ["none"]:
        remove_links()
        raise SystemExit
    if len(sys.argv) != 2 or not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)*", sys.argv[1]):
        raise SystemExit(__doc__)
    main(sys.argv[1])
