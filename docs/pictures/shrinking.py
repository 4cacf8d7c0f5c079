# SPDX-License-Identifier: BSD-3-Clause
"""Smaller copies of pictures for the documentation, in few colours."""

from pathlib import Path

from PIL import Image


def shrink(large, small, width, most=400_000):
    """Write a copy that is at most so wide, in as many colours as so many bytes allow, and tell its size."""
    with Image.open(large) as picture:
        width = min(width, picture.width)
        size = (width, round(picture.height * width / picture.width))
        copy = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    for colors in (256, 128, 64, 32):
        copy.quantize(colors, kmeans=2).save(small, optimize=True)  # otherwise thin strokes lose their colour
        if Path(small).stat().st_size < most:
            break
    print(f"wrote {small}, {Path(small).stat().st_size // 1000} kB", flush=True)
