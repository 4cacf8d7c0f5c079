# SPDX-License-Identifier: BSD-3-Clause
"""A studio that really listens, on a port of its own, for the tests of the API and of the page."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager

import numpy as np
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("skimage")
pytest.importorskip("sklearn")
import httpx
from PIL import Image

from hedgehop.studio.settings import Settings
from hedgehop.studio.web.server import in_background


@contextmanager
def serving(settings):
    """Run a studio in a thread; yields a client that knows its address."""
    with in_background(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def studio():
    with serving(Settings()) as client:
        yield client


def photo(height=64, width=96, kind="PNG"):
    """A bright square with some noise on a dark ground, as a file."""
    random = np.random.default_rng(0)
    pixels = 40 + 10 * random.random((height, width, 3))
    pixels[height // 4 : 3 * height // 4, width // 3 : 2 * width // 3] += 150
    out = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(out, kind)
    return out.getvalue()


STROKES = [
    {"label": 2, "radius": 3, "points": [[44, 28], [52, 34]]},
    {"label": 1, "radius": 3, "points": [[6, 6], [88, 6]]},
]


def opened(client, data=None, **options):
    answer = client.post("/api/sessions", content=photo() if data is None else data, **options)
    assert answer.status_code == 201, answer.text
    return answer.json()


def solve(client, session, **request):
    """Return the events of a solve, as (name, data)."""
    answer = client.post(f"/api/sessions/{session['id']}/solve", json={"strokes": STROKES, "m": 3} | request)
    assert answer.status_code == 200, answer.text
    return events_of(answer.text)


def events_of(text):
    events = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


def candidates_of(events):
    return [data for name, data in events if name == "candidate"]


def labels_of(candidate, session):
    """Unpack the runs of a candidate."""
    pairs = np.array(candidate["runs"]).reshape(-1, 2)
    return np.repeat(pairs[:, 0], pairs[:, 1]).reshape(session["solved_height"], session["solved_width"])
