# SPDX-License-Identifier: BSD-3-Clause
"""``make release-check``: build sdist and wheel, look into them, and try the wheel where there is no compiler."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADER = "SPDX-License-Identifier: BSD-3-Clause"
SOURCES = {".py": "#", ".hpp": "//", ".cpp": "//", ".js": "//"}
LARGEST = 300_000  # bytes of one file in the sdist: there is no data in it
STRANGE = {".npz", ".npy", ".mat", ".jpg", ".jpeg", ".uai", ".gz", ".xz", ".h5", ".zip"}
MADE_BY_US = {"tests/data/list_v1.npz", "src/hedgehop/segmentation/strokes/combiner.npz"}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        complaints = [*versions(), *headers()]
        sdist, wheel = build(Path(folder))
        complaints += [*look_into_sdist(sdist), *look_into_wheel(wheel)]
        try_wheel(wheel, Path(folder) / "clean")
    print("".join(f"note: {note}\n" for note in notes()), end="")
    print("\n".join(complaints) or f"release-check: {sdist.name} and {wheel.name} are fit to be published")
    return 1 if complaints else 0


def versions() -> Iterator[str]:
    """The version is the same wherever it is written, and the changelog knows it."""
    version = found_in("pyproject.toml", r'^version = "(.+)"$')
    for name, pattern in (
        ("CITATION.cff", r"^version: (.+)$"),
        ("src/hedgehop/__init__.py", r'^__version__ = "(.+)"$'),
    ):
        written = found_in(name, pattern)
        if written != version:
            yield f"{name} must have version {version}; got {written}."
    if f"## {version}" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield f"CHANGELOG.md must have a heading for {version}."


def found_in(name: str, pattern: str) -> str | None:
    found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return found and found.group(1)


def notes() -> Iterator[str]:
    """What a person should know before publishing, but may decide."""
    if "[project.urls]" not in (ROOT / "pyproject.toml").read_text(encoding="utf-8"):
        yield "README.md has relative links, dead on PyPI. Publish what make wheels ADDRESS=... builds."


def headers() -> Iterator[str]:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in tracked:
        mark = SOURCES.get(Path(name).suffix)
        first = (ROOT / name).read_text(encoding="utf-8").split("\n", 1)[0] if mark else ""
        if mark and first and first != f"{mark} {HEADER}":
            yield f"{name} must begin with '{mark} {HEADER}'."


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel is built from the sdist's sources, in the build folder of the editable install, to save time."""
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--outdir",
        str(folder),
        "--sdist",
        "--wheel",
        str(ROOT),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


def look_into_sdist(path: Path) -> Iterator[str]:
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            name = member.name.split("/", 1)[-1]
            if member.size > LARGEST:
                yield f"the sdist must hold sources only; got {name} of {member.size} bytes."
            if Path(name).suffix in STRANGE and name not in MADE_BY_US:
                yield f"the sdist must hold no data; got {name}."


def look_into_wheel(path: Path) -> Iterator[str]:
    names = zipfile.ZipFile(path).namelist()
    for wanted in ("licenses/LICENSE", "licenses/NOTICE", "hedgehop/_core/__init__.pyi", "hedgehop/py.typed"):
        if not any(name.endswith(wanted) for name in names):
            yield f"the wheel must hold {wanted}."


def try_wheel(wheel: Path, folder: Path, base: str = sys.executable) -> None:
    """Install the wheel in a new environment and run the smoke test, with no compiler to be found."""
    subprocess.run([base, "-m", "venv", "--without-pip", folder], check=True)  # our pip serves, and is there
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    bare = {**os.environ, "PATH": str(python.parent), "CC": "no-compiler", "CXX": "no-compiler"}
    pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--only-binary", ":all:", wheel], check=True, env=bare)
    subprocess.run([python, ROOT / "release" / "smoke.py"], check=True, env=bare, cwd=folder)


if __name__ == "__main__":
    sys.exit(main())
