# SPDX-License-Identifier: BSD-3-Clause
"""The page in a real browser: from strokes to files."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
from PIL import Image

from tests.studio.browsing import draw, expect, exported, map_of, needs_browser, options, page, pixels, solved, studio
from tests.studio.serving import Settings, photo, serving

pytestmark = [needs_browser, pytest.mark.slow]
__all__ = ["page", "studio"]


def test_from_strokes_to_a_mask(page, studio):
    expect(page.locator("#hint")).to_be_visible()
    draw(page, (0.42, 0.15), (0.44, 0.3), (0.42, 0.42))
    expect(page.locator("#hint")).to_be_hidden()
    solved(page)
    page.get_by_role("button", name="Background").click()
    draw(page, (0.06, 0.1), (0.2, 0.2), (0.12, 0.45))
    draw(page, (0.66, 0.06), (0.7, 0.3), (0.94, 0.65))
    solved(page, 6)
    expect(options(page).first).to_have_attribute("aria-selected", "true")

    page.keyboard.press("3")  # choose
    expect(options(page).nth(2)).to_have_attribute("aria-selected", "true")
    expect(page.locator("#base")).to_contain_text("Refining candidate 3")
    page.keyboard.press("ArrowRight")
    expect(options(page).nth(3)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    chosen = exported(page, "Label mask")
    assert chosen.suggested_filename == "astronaut.mask.png"
    mask = pixels(chosen)
    assert mask.shape == (512, 512)
    assert set(np.unique(mask)) == {0, 1}

    with page.expect_request("**/solve") as asked:  # refine
        draw(page, (0.05, 0.9), (0.02, 0.7))
    request = json.loads(asked.value.post_data)
    assert request["chosen"] is True
    assert (map_of(request) == mask.ravel()).all()
    assert [stroke["label"] for stroke in request["strokes"]] == [2, 1, 1, 1]
    expect(options(page).first).to_contain_text("your choice, refined")
    solved(page)
    refined = pixels(exported(page, "Label mask"))
    assert (refined == mask).mean() > 0.85
    session = asked.value.url.rpartition("/")[0]
    body = {"what": "mask", "candidate": request["base"]}
    with Image.open(io.BytesIO(studio.post(f"{session}/export", json=body).content)) as told:
        assert (np.asarray(told) == mask).all()

    page.keyboard.press("Control+z")  # undo the stroke, then the choice
    expect(options(page).nth(2)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Control+z")
    expect(page.locator("#base")).to_be_hidden()
    page.keyboard.press("Control+Shift+z")
    expect(page.locator("#base")).to_be_visible()
    assert ((pixels(exported(page, "Cut-out"))[..., 3] > 127) == (mask > 0)).all()


def test_with_the_keyboard_alone(page):
    page.keyboard.press("Tab")
    page.keyboard.press("k")
    expect(page.locator("#status")).to_contain_text("Drawing with keys")
    page.keyboard.press("Space")
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    with page.expect_request("**/solve") as asked:
        page.keyboard.press("Space")
    stroke = json.loads(asked.value.post_data)["strokes"][0]
    assert stroke["label"] == 2
    assert len(stroke["points"]) == 13
    page.keyboard.press("k")
    solved(page)
    page.keyboard.press("ArrowRight")
    expect(options(page).nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.locator("#base")).to_contain_text("Refining candidate 2")
    page.get_by_role("button", name="Export").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    document = json.loads(waiting.value.path().read_text())
    assert document["annotations"][0]["area"] > 0
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_a_solve_is_cancelled_and_manual_solving(page):
    page.locator("#auto").uncheck()
    page.locator("#kind").select_option("regions")
    draw(page, (0.42, 0.15), (0.42, 0.42))
    expect(options(page)).to_have_count(0)
    page.get_by_role("button", name="Solve", exact=True).click()
    page.keyboard.press("Escape")
    expect(page.locator("#status")).to_have_text("Cancelled.")
    expect(page.locator("#stop")).to_be_hidden()
    expect(page.locator("#proof")).to_be_hidden()
    page.locator("#kind").select_option("default")
    page.keyboard.press("s")
    solved(page)


def test_a_session_file_is_opened_again(page):
    draw(page, (0.42, 0.15), (0.42, 0.42))
    solved(page)
    page.get_by_role("button", name="Another label").click()
    kept = exported(page, "This session")
    page.locator("#file").set_input_files({"name": "x.png", "mimeType": "image/png", "buffer": photo()})
    expect(page.locator("#name")).to_have_text(re.compile("x.png, 96"))
    expect(options(page)).to_have_count(0)
    file = {"name": kept.suggested_filename, "mimeType": "application/json", "buffer": kept.path().read_bytes()}
    page.locator("#file").set_input_files(file)
    expect(page.locator("#name")).to_have_text(re.compile("astronaut"))
    solved(page)
    expect(page.locator(".brush")).to_have_count(3)


def test_classes_from_scores(page):
    scores = np.zeros((64, 96, 3), np.float32)
    scores[16:48, 32:64, 1], scores[16:48, 32:64, 2] = 3.0, 2.6
    scores[..., 0] += 1.0
    out = io.BytesIO()
    np.save(out, scores)
    image = {"name": "x.png", "mimeType": "image/png", "buffer": photo()}
    page.locator("#file").set_input_files([image, {"name": "x.npy", "mimeType": "", "buffer": out.getvalue()}])
    expect(page.locator(".brush")).to_have_count(3)
    expect(page.locator(".brush").nth(1)).to_contain_text("class 1")
    expect(options(page).nth(1)).to_be_visible()
    expect(page.locator("#proof")).to_be_visible()
    page.locator("#m").select_option("2")
    expect(page.locator("#proof")).to_be_visible()
    for kind in ("labels", "neighbours"):
        page.locator("#kind").select_option(kind)
        expect(page.locator("#proof")).to_be_hidden()
        expect(page.locator("#proof")).to_be_visible()
    assert set(np.unique(pixels(exported(page, "Label mask")))) >= {0, 1}


def test_messages_for_files_that_will_not_do(page):
    page.locator("#file").set_input_files({"name": "x.png", "mimeType": "image/png", "buffer": b"nothing"})
    expect(page.locator("#status")).to_contain_text("studio cannot read this image")
    page.locator("#file").set_input_files({"name": "x.npy", "mimeType": "", "buffer": b"nothing"})
    expect(page.locator("#status")).to_contain_text("not an .npy file")


def test_every_control_has_a_name(page):
    for control in page.locator("button, input, select").all():
        told = "e => (e.ariaLabel ?? e.innerText + (e.labels?.[0]?.innerText ?? '')).trim()"
        named = control.evaluate("e => e.hidden || e.type === 'file'") or control.evaluate(told)
        assert named, control.evaluate("e => e.outerHTML")


def test_a_folder_is_walked_through(browser, tmp_path):
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(photo(200, 240))
    from hedgehop.studio.folder.images import images_in

    with serving(Settings(images=images_in(tmp_path))) as studio:
        page = browser.new_page(viewport={"width": 1024, "height": 768}, has_touch=True)
        page.goto(str(studio.base_url))
        expect(page.locator("#place")).to_have_text("1 of 2")
        page.keyboard.press("PageDown")
        expect(page.locator("#place")).to_have_text("2 of 2")
        draw(page, (0.45, 0.45), (0.55, 0.55))
        expect(options(page).first).to_be_visible()
        expect(page.locator("#proof")).to_be_visible()
        page.get_by_role("button", name="Export").click()
        page.get_by_role("menuitem", name="Save mask").click()
        expect(page.locator("#status")).to_contain_text("Saved b.mask.png")
        assert (tmp_path / "b.mask.png").exists()
        page.close()
