# SPDX-License-Identifier: BSD-3-Clause
"""Malformed, oversized and hostile requests get a sentence, never a 5xx, and the studio goes on."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib

import numpy as np
import pytest
from fastapi import HTTPException
from hypothesis import HealthCheck, given, settings

from hedgehop.studio.label_maps import from_runs, to_runs
from hedgehop.studio.pictures import read_picture
from hedgehop.studio.studio import Studio
from tests.studio.serving import STROKES, Settings, candidates_of, opened, photo, serving, solve

EXAMPLES = 12 if os.environ.get("HEDGEHOP_THOROUGH") else 5  # per operation of the API


@pytest.fixture(scope="module")
def studio():
    with serving(Settings(most_upload=200_000, most_scores=300_000)) as client:
        yield client
        assert opened(client)  # it went on


@pytest.fixture(scope="module")
def session(studio):
    return opened(studio)


def refused(answer, status):
    assert answer.status_code == status, answer.text
    detail = answer.json()["detail"]
    assert isinstance(detail, str)
    assert "/" not in detail.replace("http://", "").replace("and/or", ""), "a path leaks"
    assert "Traceback" not in detail
    return detail


def header_of(width, height):
    """A PNG that says it is large and holds next to nothing."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 100)), (b"IEND", b"")]
    packed = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def test_other_hosts_and_other_sites_are_refused(studio):
    refused(studio.get("/api/about", headers={"host": "evil.example"}), 400)
    refused(studio.get("/", headers={"host": "evil.example:80"}), 400)
    refused(studio.get("/api/about", headers={"host": "127.0.0.1:x"}), 400)
    refused(studio.get("/api/about", headers={"host": "a@127.0.0.1"}), 400)
    assert studio.get("/api/about", headers={"host": "localhost:1"}).status_code == 200
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        refused(studio.post("/api/sample", headers={"origin": origin}), 403)
    refused(studio.get("/api/about", headers={"sec-fetch-site": "cross-site"}), 403)
    own = str(studio.base_url).rstrip("/")
    assert studio.get("/api/about", headers={"origin": own, "sec-fetch-site": "same-origin"}).status_code == 200


def test_a_token_opens_the_door_and_nothing_else_does():
    with serving(Settings(token="secret-token")) as studio:
        refused(studio.get("/"), 401)
        refused(studio.get("/?token=wrong"), 401)
        refused(studio.post("/api/sample", headers={"authorization": "Bearer nope"}), 401)
        refused(studio.get("/static/js/main.js", headers={"cookie": "hedgehop_studio=; ;=,"}), 401)
        assert studio.get("/api/about", headers={"authorization": "Bearer secret-token"}).status_code == 200
        entered = studio.get("/?token=secret-token")
        assert entered.status_code == 303
        assert "HttpOnly; SameSite=Strict" in entered.headers["set-cookie"]
        assert studio.get("/").status_code == 200  # by the cookie, under any name
        assert studio.get("/api/about", headers={"host": "studio.example"}).status_code == 200


def test_every_answer_has_safe_headers(studio, session):
    for path in ("/", "/api/about", "/nowhere", "/static/nothing.js", f"/api/sessions/{session['id']}/image"):
        headers = studio.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "content-security-policy" in studio.get("/", headers={"host": "evil.example"}).headers


def test_what_fails_unexpectedly_tells_nothing_and_has_safe_headers(studio, monkeypatch, caplog):
    def fail(self):
        raise RuntimeError("at /secret/place")

    monkeypatch.setattr(Studio, "open_sample", fail)
    answer = studio.post("/api/sample")
    assert "terminal" in refused(answer, 500)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "/secret/place" in caplog.text


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/..%2f..%2fetc"]
)
def test_no_way_out_of_the_static_folder(studio, path):
    assert studio.get(path).status_code == 404


def test_hostile_uploads(studio):
    def upload(data, **options):
        return studio.post("/api/sessions", content=data, **options)

    assert "megapixels" in refused(upload(header_of(30_000, 30_000)), 413)
    assert "25 megapixels" in refused(upload(header_of(6000, 5000)), 413)
    refused(upload(header_of(500, 400)), 422)
    refused(upload(photo()[:2000]), 422)
    refused(upload(photo(kind="JPEG")[:300]), 415)
    for data in (b"", b"hello", b"GIF89a" + bytes(50), b"\x89PNG\r\n\x1a\n", b"%PDF-1.4", b"<svg xmlns='x'/>"):
        refused(upload(data), 415)
    assert "megabytes" in refused(upload(bytes(300_000)), 413)
    assert "megabytes" in refused(upload(bytes(1000) for _ in range(500)), 413)  # says no length
    for text in (b"{", b"[]", b"{}", b'{"image": "?"}', b"\xff"):
        refused(upload(text, headers={"content-type": "application/json"}), 422)
    for name in ("../../../etc/passwd", "C:\\Windows\\x.png", "\0\n", "a" * 300, "/"):
        told = opened(studio, params={"name": name})["name"]
        assert not set(told) & set("/\\\0\n")
        assert 0 < len(told) <= 120
    refused(studio.post("/api/sessions", params={"name": "a" * 301}, content=photo()), 422)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF"])
def test_damaged_images_are_images_or_refused(kind):
    """Any byte may be wrong: the answer is a picture or a sentence."""
    data, random, statuses = photo(24, 32, kind), np.random.default_rng(0), set()
    for _ in range(120):
        broken = bytearray(data)
        for place in random.integers(0, len(data), random.integers(1, 8)):
            broken[place] = random.integers(256)
        try:
            read_picture("x", bytes(broken[: random.integers(1, len(data) + 1)]), 10_000)
        except HTTPException as error:
            statuses.add(error.status_code)
    assert statuses <= {413, 415, 422}


def test_hostile_scores(studio, session):
    def give(data):
        return studio.post(f"/api/sessions/{session['id']}/scores", content=data)

    plain, bomb, objects = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(plain, np.zeros((64, 96, 3), np.float32))
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as files:
        files.writestr("scores.npy", bytes(50_000_000))
    np.save(objects, np.array([{}], object), allow_pickle=True)
    for data in (
        b"",
        b"PK",
        plain.getvalue()[:200],
        bomb.getvalue(),
        objects.getvalue(),
        b"\x93NUMPY\x01\x00\xff\xff{",
    ):
        refused(give(data), 422)
    nan = np.zeros((64, 96, 2), np.float32)
    nan[3, 4, 1] = np.nan
    out = io.BytesIO()
    np.save(out, nan)
    refused(give(out.getvalue()), 422)
    refused(give(bytes(400_000)), 413)
    assert candidates_of(solve(studio, session))


@pytest.mark.parametrize(
    "body",
    [
        '{"m": NaN}',
        '{"distance": NaN}',
        '{"smoothness": Infinity}',
        '{"smoothness": -1}',
        '{"m": 1000000}',
        '{"m": "six"}',
        '{"kind": "best"}',
        '{"strokes": [{"label": 2, "radius": 1e400, "points": [[1, 2]]}]}',
        '{"strokes": [{"label": 2, "radius": 3, "points": [[NaN, 2]]}]}',
        '{"strokes": [{"label": 2, "radius": 3, "points": []}]}',
        '{"strokes": [{"label": 99, "radius": 3, "points": [[1, 2]]}]}',
        '{"strokes": {}}',
        '{"unknown": 1}',
        '{"base": {"list": -1, "index": 0}}',
        "null",
        "[",
        "\x00",
    ],
)
def test_malformed_requests(studio, session, body):
    headers = {"content-type": "application/json"}
    refused(studio.post(f"/api/sessions/{session['id']}/solve", content=body, headers=headers), 422)


def test_huge_requests(studio, session):
    path = f"/api/sessions/{session['id']}/solve"
    points = [[k % 90, k % 60] for k in range(15_000)]
    strokes = [{"label": 2, "radius": 3, "points": points}] * 10
    assert "100000 points" in refused(studio.post(path, json={"strokes": strokes}), 422)
    refused(studio.post(path, content=b" " * 5_000_000), 413)
    deep = "[" * 100_000
    refused(studio.post(path, content=deep, headers={"content-type": "application/json"}), 400)


def test_sessions_that_are_not_there(studio):
    for key in ("nothing", "..", "%2e%2e", "a" * 65, "a;b", "é"):
        answer = studio.post(f"/api/sessions/{key}/solve", json={})
        assert answer.status_code in (404, 405, 422)
        assert isinstance(answer.json()["detail"], str)
    session = opened(studio)
    assert studio.delete(f"/api/sessions/{session['id']}").status_code == 204
    assert "closed" in refused(studio.get(f"/api/sessions/{session['id']}/image"), 404)


def test_label_maps_as_runs():
    labels = np.random.default_rng(1).integers(0, 3, (5, 7))
    assert (from_runs(to_runs(labels), (5, 7), 3) == labels).all()
    for runs in ([0, 34], [0, 36], [3, 35], [-1, 35], [0, 0, 0, 35], [0], [0, 10**12, 0, -(10**12) + 35]):
        with pytest.raises(ValueError, match=r"runs|reshape"):
            from_runs(runs, (5, 7), 3)


def test_the_schema_holds_for_whatever_is_asked(studio, session):
    """Schemathesis asks what the OpenAPI schema allows and what it does not."""
    schemathesis = pytest.importorskip("schemathesis")
    schema = schemathesis.openapi.from_dict(studio.get("/openapi.json").json())
    named = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")
    checks = [getattr(schemathesis.checks, name) for name in named]
    base = str(studio.base_url).rstrip("/")

    def fuzz(operation):
        @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def ask(case):
            if "id" in (case.path_parameters or {}) and case.method != "DELETE":
                case.path_parameters["id"] = session["id"]
            answer = case.call(base_url=base)
            assert answer.status_code < 500, answer.text
            case.validate_response(answer, checks=checks)

        ask()

    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) >= 12
    for operation in operations:
        fuzz(operation)
    assert candidates_of(solve(studio, session, strokes=STROKES))
