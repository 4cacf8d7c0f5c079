# SPDX-License-Identifier: BSD-3-Clause
"""Films the studio for README.md: ``python docs/pictures/studio_film.py`` (needs Chromium)."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Page
from studio import opened_page

TARGET = Path(__file__).parent / "studio.gif"
WINDOW, WIDTH, COLORS = (1080, 800), 820, 160
SIDE, MARGIN = 512, 24  # of the sample image, and around it
# Strokes of the sample image: points (x, y), as a person would draw them.
OBJECT = [[(220, 65), (222, 110), (220, 200)], [(125, 335), (220, 332), (325, 336)], [(185, 445), (184, 495)]]
BACKGROUND = [[(335, 25), (400, 24), (475, 26)], [(25, 125), (24, 200), (26, 295)]]
TABLE = [(420, 280), (450, 276), (490, 282)]


class Film:
    """Pictures of a page, each with how long it is shown."""

    def __init__(self, page: Page) -> None:
        self.page, self.frames, self.colorful = page, [], []

    def take(self, milliseconds: int) -> None:
        with Image.open(io.BytesIO(self.page.screenshot())) as shot:
            size = (WIDTH, round(WIDTH * shot.height / shot.width))
            self.frames.append((shot.convert("RGB").resize(size, Image.Resampling.LANCZOS), milliseconds))

    def show(self, file: Path, name: str, milliseconds: int) -> None:
        """Show a picture with transparent parts over what was shown last."""
        frame = self.frames[-1][0].point(lambda value: value // 3)
        with Image.open(file) as opened:
            cut = opened.convert("RGBA").resize(
                (400, round(400 * opened.height / opened.width)), Image.Resampling.LANCZOS
            )
        card = Image.new("RGBA", (cut.width + 24, cut.height + 52), "white")
        for x in range(0, cut.width, 16):
            for y in range(0, cut.height, 16):
                card.paste(
                    (236, 236, 236, 255) if (x + y) // 16 % 2 else (250, 250, 250, 255),
                    (12 + x, 12 + y, 28 + x, 28 + y),
                )
        card.alpha_composite(cut, (12, 12))
        ImageDraw.Draw(card).text((14, cut.height + 20), name, fill=(40, 40, 40), font=ImageFont.load_default(18))
        frame.paste(card.convert("RGB"), ((frame.width - card.width) // 2, (frame.height - card.height) // 2))
        self.frames.append((frame, milliseconds))

    def draw(self, points: list[tuple[float, float]]) -> None:
        """Draw a stroke, with a picture at each point."""
        self.page.mouse.move(*self.place(points[0]))
        self.page.mouse.down()
        for point in points[1:]:
            self.page.mouse.move(*self.place(point), steps=6)
            self.take(200)
        self.page.mouse.up()

    def place(self, point: tuple[float, float]) -> tuple[float, float]:
        """Where a point of the image is on the page: the image fills the board as far as it fits, in the middle."""
        board = self.page.locator("#board").bounding_box()
        scale = (min(board["width"], board["height"]) - 2 * MARGIN) / SIDE
        x, y = (start + side / 2 + (at - SIDE / 2) * scale for start, side, at in zip(
            (board["x"], board["y"]), (board["width"], board["height"]), point, strict=True))  # fmt: skip
        return x, y

    def save(self) -> None:
        """Write the film, in the colours of its first picture, of one with differences, and of the last ones."""
        chosen = [self.frames[k][0] for k in (0, len(self.frames) // 2, *self.colorful, -1)]
        together = Image.new("RGB", (chosen[0].width, sum(picture.height for picture in chosen)))
        for k, picture in enumerate(chosen):
            together.paste(picture, (0, k * picture.height))
        palette = together.quantize(COLORS, dither=Image.Dither.NONE)
        pictures = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame, _ in self.frames]
        times = [milliseconds for _, milliseconds in self.frames]
        pictures[0].save(TARGET, save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True)
        print(f"wrote {TARGET.name}, {len(pictures)} pictures, {TARGET.stat().st_size // 1000} kB")


def wait_for_the_list(page: Page) -> None:
    page.locator("#proof").wait_for()
    page.wait_for_timeout(400)


def main() -> None:
    with opened_page(WINDOW, "dark") as page:
        film = Film(page)
        page.get_by_role("button", name="I'll draw").click()
        film.take(900)
        for brush, strokes in (("Object", OBJECT), ("Background", BACKGROUND)):
            page.get_by_role("button", name=brush).first.click()
            for points in strokes:
                film.draw(points)
        wait_for_the_list(page)
        page.mouse.move(5, 300)
        film.take(1200)
        for candidate in range(1, 5):
            page.locator("#strip [role=option]").nth(candidate).hover()
            page.wait_for_timeout(250)
            film.colorful.append(len(film.frames))
            film.take(900)
        page.keyboard.press("2")
        page.mouse.move(5, 300)
        page.wait_for_timeout(300)
        film.take(1100)
        film.draw(TABLE)
        page.get_by_text("your choice, refined").wait_for()
        wait_for_the_list(page)
        page.mouse.move(5, 300)
        film.take(1500)
        page.locator("#export").click()
        page.get_by_role("menuitem", name="Cut-out").hover()
        film.take(1200)
        with page.expect_download() as waiting:
            page.get_by_role("menuitem", name="Cut-out").click()
        film.show(Path(waiting.value.path()), waiting.value.suggested_filename, 3500)
        film.save()


if __name__ == "__main__":
    main()
