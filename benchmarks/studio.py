# SPDX-License-Identifier: BSD-3-Clause
"""How long a person waits in the studio: ``python benchmarks/studio.py`` (needs httpx and the studio extra).

Starts a studio, opens the sample photograph at two sizes and draws five strokes on each. Prints the seconds from the
end of a stroke to the first and to the sixth candidate, as the page hears them: medians and the worst, which is that of
the first stroke, for which the image is prepared. On a busy machine look at the processor's seconds per list.
"""

from __future__ import annotations

import io
import json
import statistics
import time

import httpx
from PIL import Image
from skimage import data

from hedgehop.studio.settings import Settings
from hedgehop.studio.web.server import in_background

SIZES = ((640, 480), (4000, 3000))
# Label, and from where to where, as shares of the image: the head, the suit, the wall, the shuttle, the flag.
STROKES = (
    (2, (0.42, 0.15), (0.43, 0.4)),
    (1, (0.65, 0.05), (0.72, 0.3)),
    (2, (0.3, 0.65), (0.5, 0.9)),
    (1, (0.06, 0.1), (0.2, 0.2)),
    (1, (0.85, 0.2), (0.95, 0.6)),
)


def main() -> None:
    print(f"{'image':>12} {'open':>6} {'first':>14} {'sixth':>14} {'processor':>15}   (seconds: median, worst)")
    with in_background(Settings()) as address, httpx.Client(base_url=address, timeout=300) as client:
        drawn(client, (320, 240))  # everything is imported, as after a minute of use
        for size in SIZES:
            opened, *waits = drawn(client, size)
            times = "  ".join(f"{statistics.median(t):6.2f},{max(t):6.2f}" for t in waits)
            print(f"{size[0]:>5} x {size[1]} {opened:6.2f}  {times}")


def drawn(client: httpx.Client, size: tuple[int, int]) -> tuple[float, list[float], list[float], list[float]]:
    """Open the photograph at a size and draw all strokes, one after the other.

    Returns the seconds to open it and, for each stroke, those to the first and the last candidate and of the processor.
    """
    start = time.perf_counter()
    session = client.post("/api/sessions", content=photograph(size)).raise_for_status().json()["id"]
    client.get(f"/api/sessions/{session}/image").raise_for_status()
    opened = time.perf_counter() - start
    waits, spent = [], []
    for k in range(len(STROKES)):
        before = time.process_time()
        waits.append(waited(client, session, solve_request(size, k + 1)))
        spent.append(time.process_time() - before)
    return opened, [w[0] for w in waits], [w[-1] for w in waits], spent


def photograph(size: tuple[int, int]) -> bytes:
    out = io.BytesIO()
    Image.fromarray(data.astronaut()).resize(size, Image.Resampling.BICUBIC).save(out, "JPEG", quality=92)
    return out.getvalue()


def solve_request(size: tuple[int, int], count: int) -> dict[str, object]:
    def stroke(label: int, *places: tuple[float, float]) -> dict[str, object]:
        return {"label": label, "radius": size[0] / 80, "points": [(x * size[0], y * size[1]) for x, y in places]}

    return {"strokes": [stroke(*each) for each in STROKES[:count]], "m": 6}


def waited(client: httpx.Client, session: str, asked: dict[str, object]) -> list[float]:
    """Seconds until each candidate is there."""
    start, times = time.perf_counter(), []
    with client.stream("POST", f"/api/sessions/{session}/solve", json=asked) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: ") and "runs" in json.loads(line.removeprefix("data: ")):
                times.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    main()
