# SPDX-License-Identifier: BSD-3-Clause
"""Files and clients that mean no good, or know no better: a right answer or a sentence, and nobody else waits."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
from contextlib import ExitStack
from itertools import pairwise
from urllib.parse import urlsplit

import numpy as np
import pytest

from hedgehop.segmentation.images import shrunk_shape
from hedgehop.studio import files, tasks
from hedgehop.studio.folder import archives
from hedgehop.studio.folder.images import ImageFolder, images_in
from hedgehop.studio.pictures import read_picture
from hedgehop.studio.requests import Stroke
from hedgehop.studio.turns import Turns
from hedgehop.studio.web import guard, header_timeout, slow_imports
from tests.studio.serving import STROKES, Settings, candidates_of, opened, photo, serving, solve, studio  # noqa: F401


def test_a_sparse_file_is_not_read(tmp_path):
    image, scores = tmp_path / "a.png", tmp_path / "b.npy"
    image.write_bytes(photo())
    for path, name in ((tmp_path / "large.png", "large.png"), (scores, "b.npy")):
        with path.open("wb") as file:
            file.truncate(3 * 2**30)
        (tmp_path / "b.png").write_bytes(photo())
        names = ("large.png",) if name == "large.png" else ("b.png",)
        with serving(Settings(images=tuple(tmp_path / n for n in names))) as client:
            answer = client.post("/api/images/0")
        assert answer.status_code == 413
        assert f"the file {name} is too large" in answer.json()["detail"]


def test_a_session_file_of_many_numbers_is_refused_before_it_is_parsed(studio, monkeypatch):  # noqa: F811
    monkeypatch.setattr(files, "_MOST_SESSION_VALUES", 1000)
    monkeypatch.setattr(files.SessionFile, "model_validate_json", lambda data: pytest.fail("parsed"))
    data = json.dumps({"base": [1] * 2000})
    answer = studio.post("/api/sessions", content=data, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert "holds more than 1000 values" in answer.json()["detail"]


@pytest.mark.parametrize("shape", [(25_000_000, 1), (1, 25_000_000), (5000, 5000), (3, 2_000_000), (7, 9)])
def test_images_of_any_shape_are_solved_at_the_intended_size(shape):
    rows, columns = shrunk_shape(shape, 500_000)
    assert 1 <= rows <= shape[0]
    assert 1 <= columns <= shape[1]
    assert rows * columns <= max(500_000 * 1.01, 1)
    if (rows, columns) != shape:
        assert rows * columns > 400_000


def test_painting_with_a_huge_brush_ends_when_all_is_painted(monkeypatch):
    picture = read_picture("a.png", photo(200, 300), 10**6)
    random, calls = np.random.default_rng(0), []
    monkeypatch.setattr(tasks, "_draw", lambda *args, draw=tasks._draw: (calls.append(1), draw(*args)))
    far = Stroke(label=2, radius=5000, points=(random.random((5000, 2)) * 300).tolist())
    assert (tasks.rasterise([far], picture) == 2).all()
    assert len(calls) == 1


def test_painting_can_be_stopped():
    picture = read_picture("a.png", photo(200, 300), 10**6)
    stop = tasks._core.Stop()
    stop.set()
    with stop, pytest.raises(KeyboardInterrupt):
        tasks.rasterise([Stroke.model_validate(STROKES[0])], picture)


def test_strokes_in_pieces_are_painted_as_one():
    random = np.random.default_rng(1)
    points = np.cumsum(random.normal(size=(300, 2)) * 6, axis=0) + 100
    picture = read_picture("a.png", photo(200, 300), 10**6)
    stroke = Stroke(label=2, radius=3, points=points.tolist())
    painted = tasks.rasterise([stroke], picture) == 2
    near = np.zeros((200, 300), bool)
    y, x = np.mgrid[:200, :300]
    for (a, b), (c, d) in pairwise(points):
        t = np.clip(((x - a) * (c - a) + (y - b) * (d - b)) / ((c - a) ** 2 + (d - b) ** 2), 0, 1)
        near |= (x - a - t * (c - a)) ** 2 + (y - b - t * (d - b)) ** 2 <= 9
    assert (painted != near).mean() < 0.03
    assert (painted & near).sum() > 0.9 * near.sum()


def _connection(client):
    url = urlsplit(str(client.base_url))
    return socket.create_connection((url.hostname, url.port), timeout=90)


def test_headers_that_never_end_are_not_waited_for(monkeypatch):
    monkeypatch.setattr(header_timeout, "_LONGEST_HEADERS", 0.3)
    with serving(Settings()) as client, ExitStack() as stack:
        half = [stack.enter_context(_connection(client)) for _ in range(20)]
        for connection in half:
            connection.sendall(b"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        assert [connection.recv(1) for connection in half] == [b""] * 20  # closed by the server
        kept = stack.enter_context(_connection(client))  # after an answer, half of another request
        kept.sendall(b"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /api")
        while kept.recv(4096):
            pass
        assert client.get("/api/about").status_code == 200


def test_uploads_that_stop_make_room_for_others(monkeypatch):
    monkeypatch.setattr(guard, "_LONGEST_SILENCE", 0.5)
    with serving(Settings()) as client, ExitStack() as stack:
        stalled = [stack.enter_context(_connection(client)) for _ in range(8)]
        for connection in stalled:
            head = f"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(photo())}\r\n\r\n"
            connection.sendall(head.encode() + photo()[:100])
        assert opened(client)["width"] == 96
        assert b" 408 " in stalled[0].recv(100)


def test_who_leaves_in_the_middle_of_an_upload_leaves_no_traceback(studio, caplog):  # noqa: F811
    with caplog.at_level(logging.ERROR):
        connection = _connection(studio)
        connection.sendall(b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999\r\n\r\nabc")
        time.sleep(0.2)
        connection.close()
        time.sleep(0.3)
        assert studio.get("/api/about").status_code == 200
    assert not caplog.records


def test_an_archive_that_nobody_waits_for_is_not_finished(tmp_path, monkeypatch):
    (tmp_path / "a.png").write_bytes(photo())
    seen, count = [], 3000
    monkeypatch.setattr(archives, "_answer", lambda path, settings: seen.append(path) or time.sleep(0.01))
    with serving(Settings(images=(tmp_path / "a.png",) * count)) as client, _connection(client) as connection:
        connection.sendall(b"GET /api/images/export/coco HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        while not seen:
            time.sleep(0.01)
        connection.close()
        before = -1
        while before < len(seen):
            before = len(seen)
            time.sleep(1)
        assert len(seen) < count
        assert client.get("/api/images/export/coco", timeout=90).status_code == 409  # who waits gets the answer


def test_what_is_not_http_is_refused(studio):  # noqa: F811
    random = np.random.default_rng(3)
    for k in range(60):
        with _connection(studio) as connection:
            start = [b"", b"GET / HTTP/1.1\r\n", b"POST /api/sample HTTP/1.1\r\nContent-Length: 4, 5\r\n"][k % 3]
            connection.sendall(start + random.bytes(300).replace(b"\r", b"").replace(b"\n", b"") + b"\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(4096)[:10]
            assert answer in (b"", b"HTTP/1.1 4")
    assert studio.get("/api/about").status_code == 200


def test_too_many_labels_in_an_export_are_refused(studio):  # noqa: F811
    session = opened(studio)
    found = candidates_of(solve(studio, session))
    labels = [{"name": f"n{k}", "color": "#123456"} for k in range(257)]
    request = {"what": "mask", "candidate": {"list": found[0]["list"], "index": 0}, "labels": labels}
    answer = studio.post(f"/api/sessions/{session['id']}/export", json=request)
    assert answer.status_code == 422
    assert "labels" in answer.json()["detail"]


def test_another_loopback_address_is_answered():
    with serving(Settings(host="127.0.0.2")) as client:
        assert client.get("/api/about", headers={"Host": "127.0.0.2:8377"}).status_code == 200
        assert client.get("/api/about", headers={"Host": "127.0.0.3:8377"}).status_code == 400


def test_hidden_files_are_left_out_and_equal_stems_are_told_apart(tmp_path):
    for name in ("a.png", "a.jpg", "b.png", ".a.png", "._b.png"):
        (tmp_path / name).write_bytes(photo(kind="JPEG" if name.endswith("jpg") else "PNG"))
    folder = ImageFolder(images_in(tmp_path), None, True)
    assert folder.names == ["a.jpg", "a.png", "b.png"]
    saved = [folder.save(k, ".mask.png", b"x", replace=False) for k in range(3)]
    assert saved == ["a.jpg.mask.png", "a.png.mask.png", "b.mask.png"]
    assert images_in(tmp_path) == tuple(tmp_path / name for name in folder.names)


def test_a_link_on_the_command_line_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "photo.png").write_bytes(photo())
    os.symlink(tmp_path / "there" / "photo.png", tmp_path / "link.png")
    with serving(Settings(images=((tmp_path / "link.png").resolve(),))) as client:
        assert client.post("/api/images/0").status_code == 201


def test_first_answers_come_before_the_rest_of_lists():
    turns, order, began = Turns(1), [], threading.Event()

    def person(name):
        with turns.taken(lambda ahead: order.append(f"{name} waits behind {ahead}") or began.set()):
            order.append(f"{name} first")
            if name == "a":
                began.wait(90)
            turns.give_way()
            order.append(f"{name} rest")

    threads = [threading.Thread(target=person, args=("a",))]
    threads[0].start()
    while order != ["a first"]:
        time.sleep(0.01)
    threads.append(threading.Thread(target=person, args=("b",)))
    threads[1].start()
    for thread in threads:
        thread.join(90)
    assert order == ["a first", "b waits behind 0", "b first", "b rest", "a rest"]


def test_who_fails_while_waiting_is_in_nobodys_way():
    turns, done = Turns(1), []

    def fail(ahead):
        raise RuntimeError(f"behind {ahead}")

    def wait_and_fail():
        with pytest.raises(RuntimeError, match="behind 0"), turns.taken(fail):
            pass
        done.append(True)

    with turns.taken():
        other = threading.Thread(target=wait_and_fail)
        other.start()
        other.join(90)
    with turns.taken():
        assert done == [True]


def test_slow_modules_are_never_imported_by_two_threads_at_once(monkeypatch):
    inside, most = [], []

    def import_slowly(name):
        inside.append(name)
        most.append(len(inside))
        time.sleep(0.01)
        inside.remove(name)

    monkeypatch.setattr(slow_imports, "import_module", import_slowly)
    with serving(Settings()) as client:  # begins to import
        sessions = [opened(client) for _ in range(4)]  # each waits for that
        assert all(candidates_of(solve(client, session)) for session in sessions)
    assert len(most) == 5 * len(slow_imports._SLOW_TO_IMPORT)
    assert set(most) == {1}
