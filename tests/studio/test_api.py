# SPDX-License-Identifier: BSD-3-Clause
"""What the page asks of the studio, and what it gets."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import hedgehop as hh
from hedgehop.studio.jobs import Job
from tests.studio.serving import STROKES, Settings, candidates_of, events_of, labels_of, opened, photo, serving, solve


@pytest.fixture(scope="module")
def studio():
    with serving(Settings()) as client:
        yield client


@pytest.fixture(scope="module")
def session(studio):
    return opened(studio, params={"name": "../../photos/square.png"})


def export(studio, session, what, number, index=0):
    request = {"what": what, "candidate": {"list": number, "index": index}}
    answer = studio.post(f"/api/sessions/{session['id']}/export", json=request)
    assert answer.status_code == 200, answer.text
    return answer.content


def test_candidates_come_one_by_one_and_the_proof_at_the_end(studio, session):
    assert session["name"] == "square.png"
    assert (session["width"], session["height"], session["mode"]) == (96, 64, "strokes")
    events = solve(studio, session)
    found = candidates_of(events)
    assert [c["index"] for c in found] == list(range(len(found)))
    assert found[0]["differs"] == 0.0
    assert all(c["differs"] > 0 for c in found[1:])
    first = labels_of(found[0], session)
    assert (first[20:44, 36:60] == 1).mean() > 0.95
    assert (first[:, :20] == 0).all()
    name, last = events[-1]
    assert name == "done"
    assert 0 <= last["proof"]["share"] <= 100
    share, meaning = last["proof"]["share"], last["proof"]["meaning"]
    assert f"at least {share} %" in meaning if share else "nothing could be proven" in meaning
    assert len(last["chances"]) == last["count"] == len(found)
    assert sum(last["chances"]) == pytest.approx(1.0, abs=1e-3)


def test_the_probability_of_a_repeat_goes_to_what_looks_the_same():
    job = Job(1, lambda show, note: None, None, None)
    job._tell = lambda name, data: True
    job._turns = SimpleNamespace(give_way=lambda: None)
    one, other = np.zeros((4, 4), np.uint8), np.ones((4, 4), np.uint8)
    for labels in (one, other, one):
        job._show(labels)
    found = hh.weigh(hh.diverse(hh.FactorGraph([[0.5, 0.0], [0.3, 0.0]]), m=3))
    first, second, third = found.probabilities
    assert job._chances(found) == pytest.approx([first + third, second], abs=1e-4)
    assert job._chances(hh.diverse(hh.FactorGraph([[0.5, 0.0], [0.3, 0.0]]), m=3)) is None


@pytest.mark.parametrize("kind", ["anywhere", "regions", "labels", "neighbours"])
def test_other_kinds_of_difference_fill_the_list(studio, session, kind):
    third = {"label": 3, "radius": 3, "points": [[5, 58], [90, 58]]}
    events = solve(studio, session, strokes=[*STROKES, third], kind=kind, distance=0.1, m=5)
    assert events[-1][0] == "done"
    found = [labels_of(c, session) for c in candidates_of(events)]
    assert len(found) >= 4  # borders are redrawn at pixels, which may undo a small difference
    assert min((a != b).mean() for k, a in enumerate(found) for b in found[:k]) > 0.002


def test_several_objects_and_the_kinds_that_need_them(studio):
    session = opened(studio)
    two = [*STROKES, {"label": 5, "radius": 3, "points": [[5, 58], [90, 58]]}]
    for kind in ("default", "labels"):
        events = solve(studio, session, strokes=two, kind=kind)
        assert events[-1][0] == "done", events[-1]
        assert set(np.unique(labels_of(candidates_of(events)[0], session))) == {0, 1, 4}
    name, data = solve(studio, session, kind="labels")[-1]
    assert name == "failed"
    assert "Add another label" in data["message"]


def test_messages_about_strokes(studio, session):
    assert "Draw over what you want" in solve(studio, session, strokes=[])[-1][1]["message"]
    assert "Draw over what you want" in solve(studio, session, strokes=STROKES[1:])[-1][1]["message"]
    notes = [data["message"] for name, data in solve(studio, session, strokes=STROKES[:1]) if name == "note"]
    assert any("No background stroke yet" in text for text in notes)
    erased = [*STROKES, {"label": 0, "radius": 200, "points": [[40, 40]]}]
    assert solve(studio, session, strokes=erased)[-1][0] == "failed"


def test_the_mask_that_is_exported_is_the_candidate_that_was_shown(studio):
    session = opened(studio, photo(900, 1200, "JPEG"))
    assert session["solved_width"] * session["solved_height"] <= 505_000
    strokes = [{**s, "radius": 30, "points": [[12 * x, 14 * y] for x, y in s["points"]]} for s in STROKES]
    found = candidates_of(solve(studio, session, strokes=strokes))
    number, index = found[-1]["list"], found[-1]["index"]
    shown = labels_of(found[-1], session)
    with Image.open(io.BytesIO(export(studio, session, "mask", number, index))) as mask:
        assert mask.size == (1200, 900)
        assert mask.mode == "P"
        small = np.asarray(mask.resize((session["solved_width"], session["solved_height"]), Image.Resampling.NEAREST))
        assert (small == shown).mean() > 0.999
        full = np.asarray(mask)
    with Image.open(io.BytesIO(export(studio, session, "cutout", number, index))) as cut:
        assert ((np.asarray(cut)[..., 3] > 127) == (full == 1)).all()  # edges are soft
    coco = json.loads(export(studio, session, "coco", number, index))
    assert (hh.io.decode_runs(coco["annotations"][0]["segmentation"]) == (full == 1)).all()
    assert coco["annotations"][0]["area"] == int((full == 1).sum())


def test_all_candidates_in_one_archive(studio, session):
    found = candidates_of(solve(studio, session, kind="anywhere", distance=0.2))
    request = {"candidates": [{"list": found[0]["list"], "index": 0}, *({"runs": c["runs"]} for c in found[1:])]}
    answer = studio.post(f"/api/sessions/{session['id']}/export/all", json=request)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as files:
        assert len(files.namelist()) == 2 * len(found)
        with Image.open(io.BytesIO(files.read("candidate_2.mask.png"))) as mask:
            assert (np.asarray(mask) == labels_of(found[1], session)).all()


def test_a_chosen_candidate_is_refined(studio, session):
    found = candidates_of(solve(studio, session, kind="anywhere", distance=0.1))
    base = {"list": found[1]["list"], "index": 1}
    chosen = labels_of(found[1], session)
    first = labels_of(candidates_of(solve(studio, session, base=base))[0], session)
    assert (first == chosen).mean() > (labels_of(found[0], session) == chosen).mean()
    gone = studio.post(f"/api/sessions/{session['id']}/solve", json={"base": {"list": 999, "index": 0}})
    assert gone.status_code == 410
    assert "this list no longer exists" in gone.json()["detail"]


def test_a_session_file_brings_everything_back(studio, session):
    found = candidates_of(solve(studio, session))
    request = {"strokes": STROKES, "m": 4, "kind": "likely", "base": {"list": found[0]["list"], "index": 0}}
    labels = [{"name": "back", "color": "#000000"}, {"name": "cat", "color": "#ff0000"}]
    kept = studio.post(f"/api/sessions/{session['id']}/document", json={"wish": request, "labels": labels})
    again = opened(studio, kept.content, headers={"content-type": "application/json"})
    assert again["document"]["labels"] == labels
    assert again["document"]["wish"]["m"] == 4
    assert again["document"]["wish"]["kind"] == "default"  # "likely" in older files
    assert again["document"]["wish"]["strokes"][0]["points"] == [[44, 28], [52, 34]]
    base = again["document"]["wish"]["base"]
    assert base == {"runs": found[0]["runs"]}
    assert candidates_of(solve(studio, again, base=base))


def test_a_new_stroke_cancels_the_running_solve_at_once(studio):
    session = opened(studio, photo(700, 900))
    strokes = [{**s, "points": [[9 * x, 10 * y] for x, y in s["points"]]} for s in STROKES]
    solve(studio, session, strokes=strokes, m=1)  # the image is prepared
    heard, begun = [], threading.Event()

    def listen():
        request = {"strokes": strokes, "kind": "regions", "m": 9, "distance": 0.3}
        with studio.stream("POST", f"/api/sessions/{session['id']}/solve", json=request) as answer:
            begun.set()
            heard.extend(events_of("".join(answer.iter_text())))

    listener = threading.Thread(target=listen)
    listener.start()
    begun.wait(90)
    events = solve(studio, session, strokes=strokes, m=2)
    listener.join(90)
    assert heard[-1][0] == "cancelled"
    assert events[-1][0] == "done"
    assert studio.post(f"/api/sessions/{session['id']}/cancel").json() == {"cancelled": False}


def test_a_folder_is_read_by_number_and_written_only_when_asked(tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "b.png").write_bytes(photo())
    (folder / "a.jpg").write_bytes(photo(kind="JPEG"))
    (tmp_path / "secret.png").write_bytes(photo())
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    from hedgehop.studio.folder.images import images_in

    assert [path.name for path in images_in(folder)] == ["a.jpg", "b.png"]
    with serving(Settings(images=images_in(folder))) as studio:
        assert studio.get("/api/about").json()["images"] == ["a.jpg", "b.png"]
        assert studio.post("/api/images/2").status_code == 404
        session = studio.post("/api/images/1").json()
        assert (session["name"], session["number"]) == ("b.png", 1)
        found = candidates_of(solve(studio, session))
        request = {"candidate": {"list": found[0]["list"], "index": 0}}
        assert sorted(p.name for p in folder.iterdir()) == ["a.jpg", "b.png", "link.png"]
        save = f"/api/sessions/{session['id']}/save"
        assert studio.post(save, json=request).json() == {"name": "b.mask.png"}
        assert studio.post(save, json=request).status_code == 409
        assert studio.post(save, json=request | {"replace": True}).status_code == 200
        with Image.open(folder / "b.mask.png") as mask:
            assert (np.asarray(mask) == labels_of(found[0], session)).all()
        assert studio.post(f"/api/sessions/{opened(studio)['id']}/save", json=request).status_code == 409
        assert [path.name for path in images_in(folder)] == ["a.jpg", "b.png"]


def scored():
    scores = np.zeros((64, 96, 3), np.float32)
    scores[16:48, 32:64, 1] = 3.0
    scores[16:48, 32:64, 2] = 2.0
    scores[..., 0] += 1.0
    return scores


def test_scores_turn_to_classes(studio):
    session, out = opened(studio), io.BytesIO()
    np.savez_compressed(out, scores=scored())
    answer = studio.post(f"/api/sessions/{session['id']}/scores", content=out.getvalue())
    assert answer.status_code == 200, answer.text
    given = answer.json()
    assert given["mode"] == "classes"
    assert [label["name"] for label in given["labels"]] == ["class 0", "class 1", "class 2"]
    for kind in ("default", "labels", "neighbours", "anywhere"):
        events = solve(studio, session, strokes=[], kind=kind, m=2)
        assert events[-1][0] == "done", events[-1]
        assert set(np.unique(labels_of(candidates_of(events)[0], session))) == {0, 1}
    held = [{"label": 3, "radius": 3, "points": [[48, 32]]}]
    assert labels_of(candidates_of(solve(studio, session, strokes=held))[0], session)[32, 48] == 2
    kept = studio.post(f"/api/sessions/{session['id']}/document", json={})
    assert opened(studio, kept.content, headers={"content-type": "application/json"})["mode"] == "classes"
    for wrong, sentence in ((scored()[:5], "do not fit"), (scored()[..., 0], "shape"), (scored()[..., :1], "classes")):
        out = io.BytesIO()
        np.save(out, wrong)
        answer = studio.post(f"/api/sessions/{session['id']}/scores", content=out.getvalue())
        assert answer.status_code == 422
        assert sentence in answer.json()["detail"]


def test_pages_are_there_and_need_nothing_from_elsewhere(studio):
    for path in ("/", "/api", "/openapi.json", "/static/js/main.js", "/static/css/theme.css"):
        answer = studio.get(path)
        assert answer.status_code == 200
        assert "https://" not in answer.text
    image = studio.get(f"/api/sessions/{opened(studio)['id']}/image")
    assert image.headers["content-type"] == "image/jpeg"
