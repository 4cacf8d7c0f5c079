# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of the studio with a real browser: ``python docs/pictures/studio.py`` (needs Chromium)."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from skimage import color, data

from hedgehop.studio.settings import Settings
from hedgehop.studio.web.server import in_background

HERE = Path(__file__).parent
# A class is the colour around one pixel (row, column) of the photograph.
CLASSES = {"wood": (150, 560), "red glaze": (250, 430), "china": (40, 290), "coffee": (185, 300), "shadow": (30, 30)}
SPREAD = 14.0


def main() -> None:
    for name, size, scheme, act in (
        ("hint", (1280, 800), "light", lambda page: None),
        ("candidates", (1280, 800), "dark", candidates),
        ("refined", (1280, 800), "light", refined),
        ("tablet", (820, 1180), "dark", candidates),
        ("classes", (1280, 800), "light", classes),
    ):
        with opened_page(size, scheme) as page:
            act(page)
            page.wait_for_timeout(300)
            page.screenshot(path=HERE / f"studio_{name}.jpg", type="jpeg", quality=82)


@contextmanager
def opened_page(size: tuple[int, int], scheme: str) -> Iterator[Page]:
    """Yield the page of a new studio with its sample image, in the machine's own Chromium."""
    with in_background(Settings()) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        page.set_default_timeout(120_000)
        page.goto(address)
        page.locator("#hint").wait_for()
        page.evaluate("document.getElementById('status').style.visibility = 'hidden'")  # it shows this machine's times
        yield page
        browser.close()


def candidates(page: Page) -> None:
    page.get_by_role("button", name="Show me").click()
    page.locator("#proof").wait_for()
    page.locator("#strip [role=option]").nth(2).hover()


def refined(page: Page) -> None:
    candidates(page)
    page.keyboard.press("3")
    page.get_by_role("button", name="Background").click()
    board = page.locator("#board").bounding_box()
    x, y = board["x"] + board["width"] / 2, board["y"] + board["height"] / 2
    page.mouse.move(x + 100, y + 130)
    page.mouse.down()
    page.mouse.move(x + 190, y + 180, steps=8)
    page.mouse.up()
    page.get_by_text("your choice, refined").wait_for()
    page.locator("#proof").wait_for()
    page.mouse.move(x - 400, y)
    page.locator("#proof").click()


def classes(page: Page) -> None:
    """A cup of coffee, with scores by the colours of five classes."""
    image, scores = io.BytesIO(), io.BytesIO()
    photo = data.coffee()
    Image.fromarray(photo).save(image, "PNG")
    lab = color.rgb2lab(photo)
    centres = [lab[r - 6 : r + 7, c - 6 : c + 7].mean(axis=(0, 1)) for r, c in CLASSES.values()]
    off = np.stack([((lab - centre) ** 2).sum(axis=-1) / (2 * SPREAD**2) for centre in centres], axis=-1)
    np.save(scores, -np.minimum(off, 8.0).astype(np.float32))
    page.get_by_role("button", name="I'll draw").click()
    files = [("coffee.png", "image/png", image), ("coffee.npy", "", scores)]
    page.locator("#file").set_input_files(
        [{"name": name, "mimeType": kind, "buffer": held.getvalue()} for name, kind, held in files]
    )
    page.get_by_text("class 4").wait_for()
    page.locator("#proof").wait_for()


if __name__ == "__main__":
    main()
