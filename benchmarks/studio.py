# SPDX-License-Identifier: BSD-3-Clause
"""How long people wait in the studio: ``python benchmarks/studio.py`` (needs httpx and the studio extra).

Starts a studio, opens the sample photograph at two sizes and draws five strokes on each. Prints the seconds from the
end of a stroke to the first and to the sixth candidate, as the page hears them: medians and the worst, which is that of
the first stroke, for which the image is prepared. On a busy machine look at the processor's seconds per list. Exports
come next. ``--people 25`` lets so many new visitors open the photograph and draw at once, and prints how long they wait
and how much memory the studio takes, in a process of its own.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import subprocess
import sys
import threading
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
        for size in SIZES:
            exports(client, size)


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


def exports(client: httpx.Client, size: tuple[int, int]) -> None:
    """Print how long each kind of file takes."""
    session = client.post("/api/sessions", content=photograph(size)).raise_for_status().json()["id"]
    waited(client, session, solve_request(size, len(STROKES)))
    told = []
    for what in ("mask", "cutout", "coco"):
        start, before = time.perf_counter(), time.process_time()
        body = {"what": what, "candidate": {"list": 1, "index": 0}}
        client.post(f"/api/sessions/{session}/export", json=body).raise_for_status()
        told.append(f"{what} {time.perf_counter() - start:.2f} s ({time.process_time() - before:.2f} of the processor)")
    print(f"{size[0]:>5} x {size[1]} export: {', '.join(told)}")


def crowd(people: int, size: tuple[int, int]) -> None:
    """Let new visitors draw at once; a visitor opens the photograph, then draws one stroke."""
    command = [sys.executable, "-m", "hedgehop", "studio", "--no-open", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as studio:
        address = json.loads(studio.stdout.readline())["url"]
        with httpx.Client(base_url=address, timeout=600, transport=httpx.HTTPTransport(retries=20)) as client:
            drawn(client, (320, 240))  # everything is imported
            begun = memory_of(studio.pid)
            waits: list[list[float]] = []
            data, ready = photograph(size), threading.Barrier(people)

            def visit() -> None:
                session = client.post("/api/sessions", content=data).raise_for_status().json()["id"]
                ready.wait()
                waits.append(waited(client, session, solve_request(size, 1)))

            visitors = [threading.Thread(target=visit) for _ in range(people)]
            for visitor in visitors:
                visitor.start()
            for visitor in visitors:
                visitor.join()
            about = client.get("/api/about").json()
        first, last = ([w[k] for w in waits] for k in (0, -1))
        print(
            f"{people} people, {size[0]} x {size[1]}: first candidate after {statistics.median(first):.1f} s (median), "
            f"{max(first):.1f} s (worst); whole list {statistics.median(last):.1f} s, {max(last):.1f} s"
        )
        now, most = memory_of(studio.pid), memory_of(studio.pid, "VmHWM")
        print(
            f"memory: {begun} MB with one session, {now} MB with {about['sessions']}, {most} MB at most; "
            f"the studio counts {about['session_bytes'] / 1e6:.0f} MB"
        )
        studio.terminate()


def memory_of(process: int, field: str = "VmRSS") -> int:
    """Return megabytes of memory of a process (Linux)."""
    with open(f"/proc/{process}/status") as file:
        line = next(line for line in file if line.startswith(field))
    return int(line.split()[1]) // 1000


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
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--people", type=int, default=0, help="so many visitors at once, instead")
    options.add_argument("--size", type=int, nargs=2, default=SIZES[0], help="of their photograph")
    chosen = options.parse_args()
    crowd(chosen.people, tuple(chosen.size)) if chosen.people else main()
