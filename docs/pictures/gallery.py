# SPDX-License-Identifier: BSD-3-Clause
"""Run the examples that docs/gallery.md shows, and keep small copies of their pictures: ``make gallery``.

``python docs/pictures/gallery.py stereo parses`` runs some of them.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from shrinking import shrink

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
WIDTH, BYTES = 1000, 145_000


def shown():
    """Names of the examples on the page, in order."""
    return re.findall(r"\} \.\./examples/(\w+)\.py", (HERE.parent / "gallery.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or shown():
            large = Path(folder) / f"{name}.png"
            command = [sys.executable, EXAMPLES / f"{name}.py", large]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
            shrink(large, HERE / "gallery" / f"{name}.png", WIDTH, BYTES)
