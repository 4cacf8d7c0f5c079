# SPDX-License-Identifier: BSD-3-Clause
"""How the page looks: nothing overlaps or is cut off, text can be read, pictures fill the strip."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PIL import Image

from hedgehop.studio.folder.images import images_in
from hedgehop.studio.tasks import CutOuts
from tests.studio.browsing import answer, draw, expect, needs_browser, solved, studio
from tests.studio.serving import Settings, opened, photo, serving, solve

pytestmark = [needs_browser, pytest.mark.slow]
__all__ = ["studio"]

SMALL_AND_LARGE = [(1280, 800, "light"), (1024, 768, "dark"), (768, 1024, "light"), (390, 844, "dark")]
INSIDE = """e => {
  const place = e.getBoundingClientRect();
  return !e.checkVisibility() || (place.right <= innerWidth + 1 && place.left >= -1);
}"""
OVERLAPS = """() => {
  const shown = (e) => e.checkVisibility() && e.closest(".brushes") === null; // which scroll
  const places = [...document.querySelectorAll("header button, aside button, aside input")].filter(shown);
  return places.flatMap((a, k) => places.slice(k + 1).filter((b) => {
    const [one, two] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
    const across = Math.min(one.right, two.right) - Math.max(one.left, two.left);
    return across > 1 && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 1;
  }).map((b) => `${a.outerHTML.slice(0, 80)} and ${b.outerHTML.slice(0, 80)}`));
}"""

# Width and height of a picture, and its shares of yellow and of the green of signs.
TILE = """e => {
  const { data } = e.getContext("2d").getImageData(0, 0, e.width, e.height);
  let [yellow, green] = [0, 0];
  for (let k = 0; k < data.length; k += 4) {
    if (data[k] > 200 && data[k + 2] < 90) yellow++;
    if (data[k] < 90 && data[k + 1] > 190) green++;
  }
  return [e.clientWidth, e.clientHeight, yellow / (e.width * e.height), green / (e.width * e.height)];
}"""
FAINT = r"""() => {
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const linear = (value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const color = numbers(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] > 0.7) return color;
    }
    return [255, 255, 255];
  };
  const contrast = (e) => {
    const both = [light(numbers(getComputedStyle(e).color)), light(ground(e))].sort((a, b) => b - a);
    return (both[0] + 0.05) / (both[1] + 0.05);
  };
  const left = ":disabled, .off, option, .sprite, script";
  const disabled = (e) => e.closest(left) || e.parentElement.querySelector(":disabled");
  const says = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  return [...document.body.querySelectorAll("*")]
    .filter((e) => e.checkVisibility() && !disabled(e) && says(e) && contrast(e) < 4.5)
    .map((e) => `${contrast(e).toFixed(2)} ${e.outerHTML.slice(0, 90)}`);
}"""


@pytest.fixture(scope="module")
def folder_studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("folder")
    for name in ("a.png", "b" * 120 + ".png"):
        (folder / name).write_bytes(photo(240, 240))
    with serving(Settings(images=images_in(folder), may_save=False)) as client:
        yield client


@pytest.mark.parametrize(("width", "height", "scheme"), SMALL_AND_LARGE)
def test_nothing_is_cut_off_and_the_image_stays_in_place(browser, folder_studio, width, height, scheme):
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(str(folder_studio.base_url))
    expect(page.locator("#name")).to_contain_text("a.png, 240")
    assert not page.evaluate(OVERLAPS)
    place = page.locator("#board").bounding_box()
    draw(page, (0.45, 0.45), (0.55, 0.55))
    solved(page, 2)
    assert page.locator("#board").bounding_box() == place
    page.keyboard.press("s")
    solved(page, 2)
    page.keyboard.press("2")
    expect(page.locator("#base")).to_be_visible()
    assert page.locator("#board").bounding_box() == place
    assert not page.evaluate(OVERLAPS)
    for place in ("header button", "aside button", "aside input", ".controls *", "#strip [aria-selected=true]"):
        for control in page.locator(place).all():
            assert control.evaluate(INSIDE), control.evaluate("e => e.outerHTML")
    assert page.locator("aside").evaluate("e => e.scrollWidth <= e.clientWidth")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_its_ground(browser, studio, scheme):
    """Contrast of at least 4.5 (WCAG 2, AA) wherever there is text; opacity marks what is disabled."""
    page = browser.new_page(color_scheme=scheme)
    page.goto(str(studio.base_url))
    page.get_by_role("button", name="Show me").click()
    solved(page, 2)
    page.keyboard.press("2")
    page.locator("#proof").click()
    faint = page.evaluate(FAINT)
    assert not faint
    page.close()


def test_who_waits_sees_the_place_in_the_queue(browser, monkeypatch):
    """Whether the image is prepared or not; one visitor holds the only turn until both waited."""
    go_on, begun, solve_now = threading.Event(), threading.Event(), CutOuts.solve

    def solve_later(self, *args):
        begun.set()
        assert go_on.wait(90)
        return solve_now(self, *args)

    monkeypatch.setattr(CutOuts, "solve", solve_later)
    with serving(Settings(solvers=1)) as client:
        other = threading.Thread(target=solve, args=(client, opened(client)))
        other.start()
        begun.wait(90)
        page = browser.new_page()
        page.goto(str(client.base_url))
        expect(page.locator("#name")).to_contain_text("astronaut")
        draw(page, (0.42, 0.15), (0.42, 0.42))
        expect(page.locator("#status")).to_contain_text("Waiting for a turn: you are next")
        go_on.set()
        solved(page, 2)
        other.join(90)
        page.close()


def test_small_objects_are_large_in_the_thumbnails_and_all_fill_the_strip(browser, tmp_path):
    """An upright image with a small object: pictures are wide, and show its surroundings only."""
    image = np.full((600, 400, 3), 60, np.uint8)
    image[300:360, 180:230] = [220, 180, 60]
    Image.fromarray(image).save(tmp_path / "small.png")
    maps = [np.zeros((600, 400), int) for _ in range(6)]
    for k, labels in enumerate(maps):
        labels[300 : 360 + 8 * k, 180:230] = 1
    with serving(Settings(images=images_in(tmp_path))) as studio:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(str(studio.base_url))
        expect(page.locator("#name")).to_contain_text("small.png")
        page.route("**/solve", lambda route: answer(route, maps))
        draw(page, (0.45, 0.5), (0.5, 0.5))
        solved(page, 6)
        tiles = [tile.evaluate(TILE) for tile in page.locator("#strip canvas").all()]
        assert all(width > 1.4 * height for width, height, _, _ in tiles)
        assert sum(width for width, *_ in tiles) > 0.8 * 1280
        assert min(yellow for _, _, yellow, _ in tiles) > 0.05  # of the picture; it is 0.0125 of the image
        added = [green for *_, green in tiles]
        assert added[0] == 0
        assert all(green > 0 for green in added[1:])
        page.close()
