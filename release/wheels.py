# SPDX-License-Identifier: BSD-3-Clause
"""Build the sdist, and wheels with several Pythons, and try each wheel.

``python release/wheels.py ADDRESS dist python3.10 python3.11 python3.12``: ADDRESS is where the documentation is
published, https://HOST/PATH, or none. Links of the page on PyPI and the project's URLs lead there; they are written in
a copy of the files that git knows, so that nothing has to be restored. A Python that an abi3 wheel in the folder
already serves builds nothing and tries that wheel.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from check import ROOT, try_wheel
from links import checked, lead_to

LATEST_OWN_WHEEL = (3, 11)  # later ones share the abi3 wheel of 3.12


def main(address: str, folder: Path, pythons: list[str]) -> None:
    checked(address)
    versions = {python: version_of(python) for python in pythons}  # before any is built
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as copy:
        source = copied(Path(copy))
        lead_to(address, source)
        command = [sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", folder, source]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for python, version in versions.items():
            wheel = built(folder, version) or build(folder, python, version, source)
            with tempfile.TemporaryDirectory() as clean:
                try_wheel(wheel, Path(clean) / "clean", python)
            print(f"wheels: {wheel.name} works with Python {'.'.join(map(str, version))}", flush=True)


def copied(folder: Path) -> Path:
    """Return a copy of the files that git knows."""
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, known.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


def version_of(python: str) -> tuple[int, int]:
    try:
        said = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        text = f"wheels: {python} must run, and does not. Install it, or name others"
        raise SystemExit(f"{text}: make wheels PYTHONS='python3.11 /path/to/python3.12'.") from None
    words = said.split()[1].split(".")
    return int(words[0]), int(words[1])


def built(folder: Path, version: tuple[int, int]) -> Path | None:
    """Return the wheel of the folder that serves a Python."""
    tag = f"cp3{version[1]}-cp3{version[1]}" if version <= LATEST_OWN_WHEEL else "cp312-abi3"
    return next(folder.glob(f"hedgehop-*-{tag}-*.whl"), None)


def build(folder: Path, python: str, version: tuple[int, int], source: Path) -> Path:
    with tempfile.TemporaryDirectory() as own:
        subprocess.run([python, "-m", "venv", own], check=True)
        pip = [f"{own}/bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, source], check=True)
    wheel = built(folder, version)
    if wheel is None:
        raise SystemExit(f"wheels: {python} must build a wheel for itself; got {[w.name for w in folder.iterdir()]}.")
    return wheel


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
