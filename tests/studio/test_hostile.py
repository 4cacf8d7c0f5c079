# SPDX-License-Identifier: BSD-3-Clause
"""Thousands of hostile requests, all random: each is refused with a sentence, and the studio goes on."""

from __future__ import annotations

import asyncio
import json
import os
import random

import httpx
import pytest

from tests.studio.serving import Settings, photo

pytest.importorskip("fastapi")
from hedgehop.studio.web.app import create_app

COUNT = 10_000 if os.environ.get("HEDGEHOP_THOROUGH") else 1_000
ODD = [
    None,
    True,
    -1,
    1e308,
    2**80,
    "",
    "x" * 5000,
    "\x00",
    [],
    {},
    [[]],
    {"a": 1},
    "../../etc/passwd",
    "<script>",
    [2**70, 1],
]
PATHS = [
    "/api/sessions/{id}/solve",
    "/api/sessions/{id}/export",
    "/api/sessions/{id}/export/all",
    "/api/sessions/{id}/save",
]
FIELDS = {
    PATHS[0]: ["strokes", "m", "kind", "distance", "smoothness", "box", "base", "chosen", "after"],
    PATHS[1]: ["what", "candidate", "labels"],
    PATHS[2]: ["candidates", "labels"],
    PATHS[3]: ["what", "candidate", "labels", "replace"],
}
ALLOWED = {
    "m": [True],
    "smoothness": [True],
    "chosen": [True, None],
    "replace": [True],
    "box": [None],
    "base": [None],
    "after": [None, True],
}
NOT_THERE = [
    "/api/sessions/nobody/image", "/api/sessions/../../secret/image", "/static/../settings.py", "/static/%2e%2e/app.py",
    "/api/images/0/thumbnail", "/api/images/-1/thumbnail", "/api/images/99999999999/work", "/api/images/export/rar",
    "/api/images/%00/thumbnail", "//etc/passwd", "/api/sessions/%2e%2e%2f/image", "/static/js/%00.js",
]  # fmt: skip


def hostile(chance, session):
    """Return method, path, headers and body of a request that nobody should answer."""
    kind = chance.randrange(7)
    if kind == 0:
        host = chance.choice(["evil.example", "127.0.0.1@evil", "[", "localhost.evil.example", "a:b:c", ""])
        return "GET", chance.choice(["/", "/api/about", "/openapi.json"]), {"host": host}, b""
    if kind == 1:
        origin = chance.choice(
            [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
        )
        return "POST", "/api/sample", origin, b""
    if kind == 2:
        return chance.choice(["GET", "PUT", "PATCH"]), chance.choice(NOT_THERE), {}, b""
    if kind == 3:
        size = chance.choice(["-1", "x", str(2**40), "1e9", "٣"]).encode()
        return "POST", "/api/sessions", {"content-length": size}, b"abc"
    if kind == 4:
        data = bytearray(photo(8, 8))
        start = data[:16] if chance.random() < 0.5 else b""
        body = bytes(start) + chance.randbytes(chance.randrange(200))
        return "POST", "/api/sessions", {"content-type": chance.choice(["image/png", "application/json"])}, body
    if kind == 5:
        body = chance.choice(
            [b"{", b"[" * 5000, b"\xff\xfe", b"nan", b'{"m": NaN}', b"", b'{"strokes": [' + b"1," * 99]
        )
        return "POST", chance.choice(PATHS).format(id=session), {"content-type": "application/json"}, body
    path = chance.choice(PATHS)
    field = chance.choice(FIELDS[path])
    value = chance.choice(
        [odd for odd in ODD if odd not in ALLOWED.get(field, []) and not (field == "strokes" and odd == [])]
    )
    body = {"candidate": {"runs": [0, 1]}, "candidates": [{"runs": [0, 1]}]}  # a map that does not fit
    given = {name: body[name] for name in FIELDS[path] if name in body} | {field: value}
    return "POST", path.format(id=session), {"content-type": "application/json"}, json.dumps(given).encode()


@pytest.mark.slow
def test_hostile_requests_get_nothing_but_refusals(caplog):
    app = create_app(Settings())

    async def play():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8377", timeout=60) as client:
            opened = await client.post("/api/sessions", content=photo(), headers={"content-type": "image/png"})
            session, chance = opened.json()["id"], random.Random(7)
            for _ in range(COUNT):
                method, path, headers, body = hostile(chance, session)
                answer = await client.request(method, path, headers=headers, content=body)
                assert 400 <= answer.status_code < 500, (
                    answer.status_code,
                    method,
                    path,
                    headers,
                    body[:300],
                    answer.text,
                )
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert "Traceback" not in answer.text
            assert (await client.get("/api/about")).json()["sessions"] == 1

    asyncio.run(play())
    app.state.studio.sessions.close()
    assert not [record for record in caplog.records if "unexpected" in record.message]
