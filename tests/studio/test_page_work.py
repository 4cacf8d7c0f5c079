# SPDX-License-Identifier: BSD-3-Clause
"""The page in a real browser: work is kept whatever happens, fingers and pens, and small screens."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from hedgehop.studio.folder.images import images_in
from tests.studio.browsing import board, draw, expect, exported, needs_browser, options, page, solved, studio
from tests.studio.serving import Settings, photo, serving

pytestmark = [needs_browser, pytest.mark.slow]
__all__ = ["page", "studio"]

HEAD = ((0.42, 0.15), (0.42, 0.42))
WALL = ((0.66, 0.06), (0.7, 0.3))


@pytest.fixture
def requests(page):
    """What the page asks for, one after the other."""
    asked = []
    page.on("request", lambda request: asked.append(request) if request.url.endswith("/solve") else None)
    return asked


def last(requests):
    return json.loads(requests[-1].post_data)


def forget(studio, requests):
    """Close the session as the server does when others need room."""
    session = requests[-1].url.rpartition("/")[0]
    assert studio.delete(session).status_code == 204


def test_undo_of_a_quick_stroke_solves_what_was_never_solved(page, requests):
    draw(page, *HEAD)
    solved(page)
    draw(page, (0.3, 0.65), (0.5, 0.9))
    draw(page, *WALL)
    solved(page)
    page.keyboard.press("Control+z")
    expect(page.locator("#proof")).to_be_hidden()
    solved(page)
    assert len(last(requests)["strokes"]) == 2
    count = len(requests)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+z")
    expect(page.locator("#proof")).to_be_visible()
    assert len(requests) == count  # whole lists are remembered


def test_a_closed_session_is_opened_again_with_the_strokes(page, studio, requests):
    draw(page, *HEAD)
    solved(page)
    forget(studio, requests)
    assert exported(page, "Label mask").path().stat().st_size > 100  # the page holds the answer
    page.keyboard.press("s")
    expect(page.locator("#status")).to_contain_text("No background stroke yet")
    assert len(last(requests)["strokes"]) == 1


def test_classes_survive_a_closed_session(page, studio, requests, tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).random((64, 96, 3)).astype(np.float32))
    (tmp_path / "x.png").write_bytes(photo())
    page.locator("#file").set_input_files([tmp_path / "x.png", tmp_path / "x.npy"])
    expect(page.locator(".brush")).to_have_count(3)
    solved(page)
    forget(studio, requests)
    page.keyboard.press("s")
    expect(page.locator("#status")).to_contain_text("candidates in")
    expect(page.locator(".brush")).to_have_count(3)


def test_strokes_on_other_images_are_here_again(page, tmp_path):
    draw(page, *HEAD)
    (tmp_path / "x.png").write_bytes(photo())
    page.locator("#file").set_input_files(tmp_path / "x.png")
    expect(page.locator("#name")).to_contain_text("x.png, 96")
    expect(page.get_by_role("button", name="Clear all strokes")).to_be_disabled()
    page.get_by_role("button", name="Sample").click()
    expect(page.locator("#name")).to_contain_text("astronaut")
    expect(page.get_by_role("button", name="Clear all strokes")).to_be_enabled()


def test_a_browser_that_keeps_nothing_asks_before_strokes_are_lost(browser, studio):
    context = browser.new_context()
    context.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined })")
    page = context.new_page()
    page.goto(str(studio.base_url))
    expect(page.locator("#name")).to_have_text(re.compile("astronaut"))
    draw(page, *HEAD)
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.get_by_role("button", name="Sample").click()
    assert "Discard the strokes" in asked[0]
    expect(page.get_by_role("button", name="Clear all strokes")).to_be_enabled()
    context.close()


def test_a_folder_keeps_what_was_drawn_and_goes_past_broken_files(browser, tmp_path):
    for name in ("a.png", "c.png"):
        (tmp_path / name).write_bytes(photo(200, 240))
    (tmp_path / "b.png").write_bytes(b"broken")
    with serving(Settings(images=images_in(tmp_path))) as studio:
        page = browser.new_page()
        page.goto(str(studio.base_url))
        expect(page.locator("#name")).to_contain_text("a.png, 240")
        draw(page, (0.45, 0.45), (0.55, 0.55))
        solved(page, 1)
        page.keyboard.press("1")
        page.keyboard.press("PageDown")
        expect(page.locator("#status")).to_contain_text("The studio cannot read this image")
        expect(page.locator("#place")).to_have_text("2 of 3")
        page.keyboard.press("PageDown")
        expect(page.locator("#name")).to_contain_text("c.png, 240")
        expect(options(page)).to_have_count(0)
        page.keyboard.press("PageUp")
        page.keyboard.press("PageUp")
        expect(page.locator("#name")).to_contain_text("a.png, 240")
        expect(page.locator("#base")).to_contain_text("Refining candidate 1")
        expect(options(page).first).to_have_attribute("aria-selected", "true")
        page.close()


def test_labels_get_names_and_colours(page, requests):
    page.get_by_role("button", name="Another label").click()
    page.get_by_role("button", name="Name and colour of Object 2").click()
    page.get_by_label("Colour of the label").fill("#00ff00")
    page.get_by_label("Name of the label").fill("Helmet")
    page.keyboard.press("Enter")
    expect(page.locator(".brush-pick").nth(2)).to_be_focused()
    expect(page.locator(".brush").nth(2)).to_have_text("Helmet")
    draw(page, *HEAD)
    solved(page)
    told = json.loads(exported(page, "COCO").path().read_text())
    assert [category["name"] for category in told["categories"]] == ["Helmet"]
    palette = json.loads(exported(page, "This session").path().read_text())["document"]["labels"]
    assert palette[2] == {"name": "Helmet", "color": "#00ff00"}


def test_menus_close_by_keyboard(page):
    menu = page.locator("#export-menu")
    page.locator("#export").focus()
    page.keyboard.press("ArrowDown")
    expect(menu).to_be_visible()
    page.keyboard.press("Tab")
    expect(menu).to_be_hidden()
    draw(page, *HEAD)
    solved(page)
    page.locator("#proof").click()
    expect(page.locator("#proof-text")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#proof-text")).to_be_hidden()
    page.locator("#help").click()
    expect(page.locator("#keys-close")).to_be_focused()


@pytest.fixture
def tablet(browser, studio):
    context = browser.new_context(viewport={"width": 1024, "height": 768}, has_touch=True)
    page = context.new_page()
    page.goto(str(studio.base_url))
    expect(page.locator("#name")).to_have_text(re.compile("astronaut"))
    page.get_by_role("button", name="I'll draw").tap()
    yield page
    context.close()


def fingers(page, *steps):
    """Put fingers down, move and lift them; steps are lists of places, shares of the image."""
    left, top, side = board(page)
    touch = page.context.new_cdp_session(page)
    for k, places in enumerate([*steps, []]):
        points = [{"x": left + x * side, "y": top + y * side, "id": n} for n, (x, y) in enumerate(places)]
        kind = "touchEnd" if not places else "touchMove" if k and len(places) == len(steps[k - 1]) else "touchStart"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def stroke_of(page, move):
    """The next stroke the page asks to solve for."""
    with page.expect_request("**/solve") as asked:
        move()
    return json.loads(asked.value.post_data)["strokes"][-1]


def test_one_finger_draws_and_two_zoom_and_move(tablet):
    first = stroke_of(tablet, lambda: fingers(tablet, [(0.4, 0.2)], [(0.4, 0.3)], [(0.4, 0.4)]))
    assert first["points"][0] == pytest.approx([0.4 * 512, 0.2 * 512], abs=2)
    # Two fingers come while the list is found: it goes on, and nothing is drawn.
    two = [[(0.4, 0.5)], [(0.4, 0.5), (0.6, 0.5)], [(0.35, 0.5), (0.65, 0.5)], [(0.3, 0.5), (0.7, 0.5)]]
    fingers(tablet, *two)
    solved(tablet)
    second = stroke_of(tablet, lambda: fingers(tablet, [(0.5, 0.5)], [(0.7, 0.5)]))
    assert second["radius"] == pytest.approx(first["radius"] / 2, rel=0.05)  # twice as large, around the middle
    assert second["points"] == pytest.approx(np.array([[256, 256], [307, 256]]), abs=3)
    solved(tablet)
    fingers(tablet, [(0.4, 0.5), (0.6, 0.5)], [(0.5, 0.5), (0.7, 0.5)])  # to the right by a tenth
    third = stroke_of(tablet, lambda: fingers(tablet, [(0.6, 0.5)], [(0.6, 0.7)]))
    assert third["points"][0] == pytest.approx([256, 256], abs=3)
    assert third["radius"] == pytest.approx(second["radius"], rel=0.02)


@pytest.mark.parametrize("palm_first", [True, False])
def test_a_pen_draws_under_its_palm(tablet, palm_first):
    send = """([x, y, palmFirst]) => {
      const board = document.getElementById("board");
      board.setPointerCapture = () => {};
      const send = (name, pointerType, pointerId, dx) =>
        board.dispatchEvent(new PointerEvent(name, { pointerType, pointerId, clientX: x + dx, clientY: y }));
      if (palmFirst) send("pointerdown", "touch", 7, 90);
      send("pointerdown", "pen", 8, 0);
      if (!palmFirst) send("pointerdown", "touch", 7, 90);
      for (const dx of [10, 20]) { send("pointermove", "touch", 7, 91); send("pointermove", "pen", 8, dx); }
      send("pointerup", "pen", 8, 20);
      send("pointerup", "touch", 7, 91);
    }"""
    left, top, side = board(tablet)
    drawn = stroke_of(tablet, lambda: tablet.evaluate(send, [left + 0.4 * side, top + 0.3 * side, palm_first]))
    assert len(drawn["points"]) == 3
    assert drawn["points"][0] == pytest.approx([0.4 * 512, 0.3 * 512], abs=2)
