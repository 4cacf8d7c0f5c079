"""Draw docs/pictures/demo.png, the picture of the README: the demo's, smaller and in 256 colours.

Run it from the root of the repository: ``python docs/pictures/draw.py`` (after ``make demo``).
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
WIDTH = 1500

with tempfile.TemporaryDirectory() as folder:
    large = Path(folder) / "demo.png"
    subprocess.run([sys.executable, HERE.parent.parent / "examples" / "demo.py", "--output", large], check=True)
    with Image.open(large) as picture:
        size = (WIDTH, round(picture.height * WIDTH / picture.width))
        small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
small.quantize(256).save(HERE / "demo.png", optimize=True)
print(f"wrote {HERE / 'demo.png'}, {(HERE / 'demo.png').stat().st_size // 1000} kB")
