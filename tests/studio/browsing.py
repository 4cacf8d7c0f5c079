# SPDX-License-Identifier: BSD-3-Clause
"""A real browser for the tests of the page: Debian's Chromium, driven by Playwright, with real pointer events and keys.

Where there is no browser the tests are skipped; with HEDGEHOP_BROWSER=required that is a failure.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time

import numpy as np
import pytest
from PIL import Image

from hedgehop.studio.jobs import Job
from tests.studio.serving import Settings, serving

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    from playwright.sync_api import TimeoutError as Unanswered
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    expect = sync_playwright = None
    Unanswered = TimeoutError

PATIENCE = 90_000  # milliseconds: other tests may keep the machine busy
REASON = "no browser: install Debian's chromium, and playwright" if BROWSER is None or expect is None else ""
needs_browser = pytest.mark.skipif(bool(REASON) and os.environ.get("HEDGEHOP_BROWSER") != "required", reason=REASON)


@pytest.fixture(scope="module")
def studio():
    """A studio that waits a moment before it solves, so that a page that is busy can be seen and interrupted."""
    run = Job.run
    with pytest.MonkeyPatch.context() as patch, serving(Settings()) as client:
        patch.setattr(Job, "run", lambda self: (time.sleep(0.5), run(self)))
        yield client


@pytest.fixture
def page(browser, studio):
    """A fresh visitor, who complains about every error of the page; refusals are expected, exceptions are not."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.set_default_timeout(PATIENCE)
    page.goto(str(studio.base_url))
    expect(page.locator("#name")).to_have_text(re.compile("astronaut"))
    yield page
    context.close()
    assert not [text for text in errors if "Failed to load resource" not in text]


def board(page):
    """Left, top and side of a square image, as it is fitted on the board."""
    place = page.locator("#board").bounding_box()
    side = min(place["width"], place["height"]) - 48
    return place["x"] + (place["width"] - side) / 2, place["y"] + (place["height"] - side) / 2, side


def draw(page, *places):
    """Draw a stroke with the mouse; places are shares of the image, as it is fitted on the board."""
    left, top, side = board(page)
    points = [(left + x * side, top + y * side) for x, y in places]
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=6)
    page.mouse.up()


def options(page):
    return page.locator("#strip [role=option]")


def solved(page, least=2):
    """Wait for a whole list."""
    expect(options(page).nth(least - 1)).to_be_visible()
    expect(page.locator("#proof")).to_be_visible()


def map_of(request):
    """The label map that a request starts from, as one row, or None."""
    base = request["base"]
    return None if base is None else np.repeat(base["runs"][::2], base["runs"][1::2])


def answer(route, maps):
    """Answer with these label maps as the list, in place of the server."""
    events = []
    for k, labels in enumerate(maps):
        runs = np.stack([labels.ravel(), np.ones(labels.size, int)], axis=1).ravel().tolist()
        events.append(("candidate", {"list": 9, "index": k, "differs": 0, "runs": runs}))
    proof = {"share": 0, "text": "", "meaning": "none"}
    events.append(("done", {"count": len(maps), "proof": proof, "chances": None, "seconds": 1}))
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    route.fulfill(content_type="text/event-stream", body=body)


def exported(page, name):
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("menuitem", name=name).click()
    return waiting.value


def pixels(download):
    with Image.open(download.path()) as image:
        return np.asarray(image)
