# SPDX-License-Identifier: BSD-3-Clause
"""The page in a real browser: what differs, combining, clicks and boxes, editing, and that nothing is lost."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from PIL import Image

from hedgehop.studio.folder.images import images_in
from tests.studio.browsing import (
    Unanswered,
    answer,
    board,
    draw,
    expect,
    exported,
    map_of,
    needs_browser,
    options,
    page,
    pixels,
    solved,
    studio,
)
from tests.studio.serving import Settings, photo, serving

pytestmark = [needs_browser, pytest.mark.slow]
__all__ = ["page", "studio"]

HEAD = ((0.42, 0.15), (0.42, 0.42))
WALL = ((0.66, 0.06), (0.7, 0.3))


def asked(page, act):
    """What the page asks to solve when something is done."""
    with page.expect_request("**/solve") as waiting:
        act()
    return json.loads(waiting.value.post_data)


def mask_of(page):
    return pixels(exported(page, "Label mask"))


def test_a_stroke_starts_from_what_is_on_show_and_the_page_says_what_differs(page):
    draw(page, *HEAD)
    solved(page, 6)
    captions = options(page).all_inner_texts()
    assert re.search(r"\d+ %, suggested", captions[0])
    assert all(re.search(r"\d+ %", text) for text in captions)
    assert sum(bool(re.search(r"[+−] ", text)) for text in captions[1:]) >= 3
    shown = mask_of(page)
    request = asked(page, lambda: draw(page, *WALL))
    assert request["chosen"] is False
    assert request["after"] == 1
    assert (map_of(request) == shown.ravel()).all()
    solved(page, 2)
    expect(options(page).first).to_contain_text("with your stroke")
    page.locator("#proof").click()
    expect(page.locator("#proof-text")).to_contain_text("probability")
    expect(page.locator("#proof-text")).to_contain_text("proven")


def test_a_stroke_that_changes_more_than_it_touches_shows_both(page):
    """The server's answer is replaced by two squares, of which the stroke touches one."""
    draw(page, *HEAD)
    solved(page)
    before = mask_of(page)
    after = before.copy()
    after[300:340, 20:60], after[20:60, 20:60] = 1, 1

    page.route("**/solve", lambda route: answer(route, [after]))
    draw(page, (35 / 512, 315 / 512), (45 / 512, 325 / 512))
    expect(options(page)).to_have_count(3)
    expect(options(page).nth(1)).to_contain_text("only where you drew")
    expect(options(page).nth(2)).to_contain_text("before")
    page.keyboard.press("2")
    only = mask_of(page)
    assert (only[300:340, 20:60] == 1).all()
    assert (only[20:60, 20:60] == before[20:60, 20:60]).all()
    page.keyboard.press("Control+z")
    options(page).nth(2).click()
    assert (mask_of(page) == before).all()


def test_regions_of_another_candidate_are_taken(page):
    draw(page, *HEAD)
    solved(page, 2)
    first = mask_of(page)
    page.keyboard.press("ArrowRight")
    second = mask_of(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("c")
    page.keyboard.press("2")
    expect(page.locator("#combine-text")).to_contain_text("Candidate 2")
    row, column = np.argwhere(largest_difference(first, second))[0]
    left, top, side = board(page)
    page.mouse.click(left + (column + 0.5) / 512 * side, top + (row + 0.5) / 512 * side)
    expect(page.locator("#status")).to_contain_text("Taken from Candidate 2")
    taken = mask_of(page)
    assert taken[row, column] == second[row, column]
    changed = taken != first
    assert changed.any()
    assert (taken[changed] == second[changed]).all()
    page.keyboard.press("Control+z")
    page.keyboard.press("c")
    page.keyboard.press("2")
    page.get_by_role("button", name="Both").click()
    assert (mask_of(page) == (first | second)).all()


def largest_difference(one, other):
    from scipy.ndimage import binary_erosion, label

    parts, count = label(binary_erosion(one != other))
    return parts == 1 + np.argmax(np.bincount(parts.ravel(), minlength=count + 1)[1:])


def test_a_click_and_a_box_need_no_stroke(page):
    page.keyboard.press("q")
    left, top, side = board(page)
    request = asked(page, lambda: page.mouse.click(left + 0.42 * side, top + 0.3 * side))
    assert len(request["strokes"][0]["points"]) == 1
    solved(page, 6)
    page.get_by_role("button", name="Clear all strokes").click()
    page.keyboard.press("r")
    request = asked(page, lambda: draw(page, (0.2, 0.05), (0.7, 0.6)))
    assert request["box"] == pytest.approx([0.2 * 512, 0.05 * 512, 0.7 * 512, 0.6 * 512], abs=3)
    assert request["strokes"] == []
    solved(page, 6)
    inside = mask_of(page)
    assert inside[:20].sum() == inside[330:].sum() == 0
    assert inside.sum() > 2000


def test_pixels_are_edited_and_everything_is_undone(page):
    draw(page, *HEAD)
    solved(page)
    masks = [mask_of(page)]
    page.keyboard.press("p")
    draw(page, (0.1, 0.8), (0.2, 0.8))
    masks.append(mask_of(page))
    assert masks[1][410, 75] == 1
    page.keyboard.press("u")
    draw(page, (0.15, 0.75), (0.15, 0.85))
    masks.append(mask_of(page))
    assert masks[2][410, 77] == 0
    page.keyboard.press("g")
    left, top, side = board(page)
    for x, y in ((0.7, 0.7), (0.9, 0.7), (0.9, 0.9), (0.7, 0.9)):
        page.mouse.click(left + x * side, top + y * side)
    page.keyboard.press("Enter")
    masks.append(mask_of(page))
    assert masks[3][380:440, 380:440].all()
    page.keyboard.press("f")
    page.get_by_role("button", name="Background").click()
    page.mouse.click(left + 0.8 * side, top + 0.8 * side)
    masks.append(mask_of(page))
    assert not masks[4][360:460, 360:460].any()
    page.keyboard.press("Control+z")
    page.get_by_role("button", name="Make each part an object").click()
    masks.append(mask_of(page))
    assert len(np.unique(masks[5])) > 2
    page.get_by_role("button", name="Object", exact=True).first.click()
    page.keyboard.press("f")
    page.mouse.click(left + 0.8 * side, top + 0.8 * side)  # filled with the first label: merged with that object
    assert (mask_of(page)[380:440, 380:440] == 1).all()
    page.keyboard.press("Control+z")
    page.keyboard.press("b")
    request = asked(page, lambda: draw(page, *WALL))  # edits are kept by what follows
    assert request["chosen"] is True
    solved(page)
    refined = mask_of(page)
    assert refined[400, 400] == masks[5][400, 400]
    for expected in (masks[5], masks[3], masks[2], masks[1], masks[0]):
        page.locator("#m").focus()  # wherever the focus is
        page.keyboard.press("Control+z")
        assert (mask_of(page) == expected).all()
    page.locator("#smoothness").focus()
    page.keyboard.press("2")
    expect(options(page).nth(1)).to_have_attribute("aria-selected", "true")


def test_a_reload_loses_nothing(page):
    draw(page, *HEAD)
    solved(page, 2)
    page.keyboard.press("2")
    page.keyboard.press("p")
    draw(page, (0.1, 0.8), (0.2, 0.8))
    before = mask_of(page)
    count = options(page).count()
    page.wait_for_timeout(700)
    page.reload()
    expect(page.locator("#status")).to_contain_text("is here again")
    expect(page.locator("#base")).to_contain_text("Refining your edit")
    expect(options(page)).to_have_count(count)
    assert (mask_of(page) == before).all()
    page.keyboard.press("Control+z")
    expect(page.locator("#base")).to_contain_text("Refining candidate 2")


def started(folder, port=0):
    command = [sys.executable, "-m", "hedgehop", "studio", "--no-open", "--port", str(port), "--json", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with process.stdout:
        return process, json.loads(process.stdout.readline())["url"]


@pytest.mark.skipif(os.name == "nt", reason="no kill -9 there")
def test_killing_the_server_loses_nothing(browser, tmp_path):
    (tmp_path / "a.png").write_bytes(photo(200, 240))
    server, url = started(tmp_path)
    contexts = [browser.new_context(), browser.new_context()]  # the second has only what is beside the image
    page = contexts[0].new_page()
    page.goto(url)
    expect(page.locator("#name")).to_contain_text("a.png, 240")
    draw(page, (0.45, 0.45), (0.55, 0.55))
    solved(page, 1)
    page.keyboard.press("1")
    expect(page.locator("#base")).to_be_visible()
    mask = mask_of(page)
    page.wait_for_timeout(1500)
    server.send_signal(signal.SIGKILL)
    server.wait()
    server, url = started(tmp_path, url.rpartition(":")[2].strip("/"))
    try:
        kept = mask_of(page)
    except Unanswered:  # the browser may first find that its old connection is gone; a person asks again
        kept = mask_of(page)
    assert (kept == mask).all()
    other = contexts[1].new_page()
    other.goto(url)
    expect(other.locator("#status")).to_contain_text("is here again")
    assert (mask_of(other) == mask).all()
    server.kill()
    server.wait()
    for context in contexts:
        context.close()


def test_a_folder_is_work(browser, tmp_path):
    for name in ("a.png", "b.png", "c.png", "d" * 120 + ".png"):
        (tmp_path / name).write_bytes(photo(200, 240))
    with serving(Settings(images=images_in(tmp_path))) as studio:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(str(studio.base_url))
        expect(page.locator("#name")).to_contain_text("a.png, 240")
        draw(page, (0.45, 0.45), (0.55, 0.55))
        solved(page, 1)
        page.keyboard.press("1")
        page.keyboard.press("d")
        expect(page.locator("#name")).to_contain_text("b.png, 240")
        page.keyboard.press("Shift+D")
        expect(page.locator("#name")).to_contain_text("c.png, 240")
        page.keyboard.press("PageUp")
        expect(page.locator("#name")).to_contain_text("b.png, 240")
        page.keyboard.press("n")
        expect(page.locator("#name")).to_contain_text("c.png, 240")
        assert page.locator("#progress").evaluate("e => [e.value, e.max]") == [2, 4]
        page.keyboard.press("o")
        expect(page.locator("#overview-text")).to_have_text("1 of 4 done, 1 skipped")
        expect(page.locator(".tile")).to_have_count(4)
        assert page.locator(".tile img").first.evaluate("e => e.decode().then(() => e.naturalWidth)") > 100
        page.locator("#overview-which").select_option("open")
        expect(page.locator(".tile")).to_have_count(2)
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Export COCO").click()
        with zipfile.ZipFile(waiting.value.path()) as files:
            document = json.loads(files.read("annotations.json"))
        assert [image["file_name"] for image in document["images"]] == ["a.png"]
        page.keyboard.press("PageDown")
        expect(page.locator("#name")).to_contain_text("ddd")
        assert page.locator("header").evaluate("e => e.scrollWidth <= e.clientWidth")
        page.close()


def test_many_brushes_scroll_and_the_tools_stay(page):
    for _ in range(19):
        page.get_by_role("button", name="Another label").click()
    expect(page.locator(".brush")).to_have_count(21)
    brushes = page.locator("#brushes")
    assert brushes.evaluate("e => e.scrollHeight > e.clientHeight")
    expect(page.locator("#tool-brush")).to_be_in_viewport()
    draw(page, *HEAD)
    solved(page, 6)
    strip, tile = (page.locator(place).first.bounding_box() for place in ("#strip", "#strip canvas"))
    assert tile["height"] > 0.5 * strip["height"]
    with Image.open(exported(page, "Cut-out").path()) as cut:
        assert cut.mode == "RGBA"
