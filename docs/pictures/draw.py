# SPDX-License-Identifier: BSD-3-Clause
"""Draw the pictures of README.md and docs/segmentation.md: smaller, in 256 colours.

Run it from the root of the repository: ``python docs/pictures/draw.py`` (after ``make demo``).
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from shrinking import shrink

HERE = Path(__file__).parent
WIDTH = 1500

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, "-m", "hedgehop", "demo", "--out", f"{folder}/demo.png"], check=True)
    shrink(f"{folder}/demo.png", HERE / "demo.png", WIDTH)
    first = re.search(r"```python\n(.*?)```", (HERE.parent / "segmentation.md").read_text(encoding="utf-8"), re.DOTALL)
    subprocess.run([sys.executable, "-c", first[1]], cwd=folder, check=True)
    shrink(f"{folder}/candidates.png", HERE / "segmentation.png", WIDTH)
