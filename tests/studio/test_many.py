# SPDX-License-Identifier: BSD-3-Clause
"""Many people at once: the studio stays responsive, memory stays bounded, the longest idle session makes room."""

from __future__ import annotations

import os
import resource
import threading
import time

import httpx
import pytest

from tests.studio.serving import STROKES, Settings, candidates_of, events_of, opened, photo, serving, solve

PEOPLE = 50 if os.environ.get("HEDGEHOP_THOROUGH") else 16


@pytest.mark.slow
def test_many_sessions_draw_at_once():
    with serving(Settings()) as studio:
        solve(studio, opened(studio), m=2)  # everything is imported
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        done, finished, answered, over = [], [], [], threading.Event()
        halved = [{**s, "points": [[x / 2, y / 2] for x, y in s["points"]]} for s in STROKES]
        request = {"strokes": halved, "m": 2, "kind": "anywhere"}

        def person():
            with httpx.Client(base_url=studio.base_url, timeout=120) as client:
                session = opened(client, photo(32, 48))
                answer = client.post(f"/api/sessions/{session['id']}/solve", json=request)
                done.append(events_of(answer.text)[-1][0])
                finished.append(time.monotonic())

        def visitor():
            while not over.is_set():
                assert studio.get("/api/about").status_code == 200
                answered.append(time.monotonic())
                time.sleep(0.02)

        people = [threading.Thread(target=person) for _ in range(PEOPLE)]
        watch = threading.Thread(target=visitor)
        watch.start()
        for thread in people:
            thread.start()
        for thread in people:
            thread.join(150)
        over.set()
        watch.join()
        assert done == ["done"] * PEOPLE
        assert any(min(finished) < at < max(finished) for at in answered)  # nobody waits for all the others
        about = studio.get("/api/about").json()
        assert about["sessions"] == PEOPLE + 1
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        assert grown < 300e6 + about["session_bytes"]


def test_the_longest_idle_session_makes_room():
    with serving(Settings(most_sessions=3)) as studio:
        sessions = [opened(studio) for _ in range(3)]
        assert candidates_of(solve(studio, sessions[0]))  # the first is in use
        opened(studio)
        assert studio.get(f"/api/sessions/{sessions[1]['id']}/image").status_code == 404
        assert studio.get(f"/api/sessions/{sessions[0]['id']}/image").status_code == 200
        assert studio.get("/api/about").json()["sessions"] == 3


def test_memory_is_a_limit_too():
    with serving(Settings(most_bytes=3_000_000)) as studio:
        for _ in range(12):
            opened(studio, photo(100, 120))
        about = studio.get("/api/about").json()
        assert 1 <= about["sessions"] < 12
        assert about["session_bytes"] <= 3_000_000
