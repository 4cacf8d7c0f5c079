# SPDX-License-Identifier: BSD-3-Clause
"""Prepare README.md for PyPI, where relative links are dead: ``python release/links.py https://HOST/PATH``.

With the address of the documentation, every link and picture of README.md leads there, and pyproject.toml has it as
[project.urls]. To move the documentation, run it again with the new address. Links are relative until then, which
works in a clone. ``make wheels ADDRESS=...`` does this in a copy, for what is published. Without an address,
``none`` makes links plain text and leaves pictures out.
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


def checked(address: str) -> str:
    """Return an address as it can be published, or "none"; refuse anything else."""
    if address != "none" and not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)*", address):
        raise SystemExit(
            f"links: the address must be https://HOST/PATH without a slash at its end, or none; got {address!r}."
        )
    return address


def lead_to(address: str, root: Path = ROOT) -> None:
    """Let README.md and pyproject.toml of a copy of the project lead to an address, or nowhere."""
    readme, settings = root / "README.md", root / "pyproject.toml"
    page, before = readme.read_text(encoding="utf-8"), settings.read_text(encoding="utf-8")
    if checked(address) == "none":
        readme.write_text(without_links(page), encoding="utf-8")
        return
    readme.write_text(absolute(page, address, known_address(before)), encoding="utf-8")
    settings.write_text(with_urls(before, address), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    lead_to(sys.argv[1])
    print(
        f"links: README.md leads to {sys.argv[1]}"
        if sys.argv[1] != "none"
        else "links: README.md has no relative links"
    )
