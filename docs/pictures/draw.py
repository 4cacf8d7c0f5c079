"""Draw docs/pictures/demo.png, the picture of the README, and that of docs/segmentation.md: smaller, in 256 colours.

Run it from the root of the repository: ``python docs/pictures/draw.py`` (after ``make demo``).
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
WIDTH = 1500


def shrink(large, name):
    """Write a smaller copy of a picture beside this file."""
    with Image.open(large) as picture:
        size = (WIDTH, round(picture.height * WIDTH / picture.width))
        small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    small.quantize(256).save(HERE / name, optimize=True)
    print(f"wrote {HERE / name}, {(HERE / name).stat().st_size // 1000} kB")


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, "-m", "hedgehop", "demo", "--out", f"{folder}/demo.png"], check=True)
    shrink(f"{folder}/demo.png", "demo.png")
    first = re.search(r"```python\n(.*?)```", (HERE.parent / "segmentation.md").read_text(encoding="utf-8"), re.DOTALL)
    subprocess.run([sys.executable, "-c", first[1]], cwd=folder, check=True)
    shrink(f"{folder}/candidates.png", "segmentation.png")
