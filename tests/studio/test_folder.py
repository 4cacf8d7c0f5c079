# SPDX-License-Identifier: BSD-3-Clause
"""A folder as work: what is kept beside images, archives, classes from a file, borders at full size."""

from __future__ import annotations

import io
import json
import os
import zipfile

import numpy as np
import pytest
from PIL import Image

import hedgehop as hh
from hedgehop.studio.exports import export
from hedgehop.studio.fine_borders import at_full_size
from hedgehop.studio.folder.classes import read_classes
from hedgehop.studio.folder.images import images_in
from hedgehop.studio.folder.sidecars import ImageWork, read_work
from hedgehop.studio.pictures import read_picture
from hedgehop.studio.requests import default_labels
from tests.studio.serving import Settings, opened, photo, serving, solve, studio  # noqa: F401

SQUARE = np.zeros((64, 96), int)
SQUARE[16:48, 32:64] = 1


def runs_of(labels):
    return {"runs": np.stack([labels.ravel(), np.ones(labels.size, int)], axis=1).ravel().tolist()}


@pytest.fixture
def folder(tmp_path):
    for name in ("a.png", "a.jpg", "b.png"):
        (tmp_path / name).write_bytes(photo(kind="JPEG" if name.endswith("jpg") else "PNG"))
    return tmp_path


def test_work_is_kept_beside_the_image_and_comes_back(folder):
    with serving(Settings(images=images_in(folder))) as client:
        assert client.post("/api/images/1").json()["work"] is None
        labels = [{"name": "back", "color": "#000000"}, {"name": "cat", "color": "#ff0000"}]
        document = {"wish": {"strokes": [{"label": 2, "radius": 3, "points": [[44, 28]]}]}, "labels": labels}
        work = {"time": 5, "mark": "done", "document": document, "answer": runs_of(SQUARE)}
        assert client.put("/api/images/1/work", json=work).status_code == 204
        kept = client.post("/api/images/1").json()["work"]
        assert (kept["time"], kept["mark"], kept["answer"]) == (5, "done", runs_of(SQUARE))
        assert kept["document"]["labels"] == labels
        states = client.get("/api/images").json()
        assert [(s["name"], s["mark"], s["answered"]) for s in states] == [
            ("a.jpg", "open", False), ("a.png", "done", True), ("b.png", "open", False),
        ]  # fmt: skip
    assert sorted(path.name for path in folder.iterdir()) == ["a.jpg", "a.png", "a.png.hedgehop.json", "b.png"]


def test_hostile_sidecars_are_not_read(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret"
    outside.write_text(ImageWork(mark="done").model_dump_json(by_alias=True))
    image = folder / "a.png"
    beside = folder / "a.png.hedgehop.json"
    beside.symlink_to(outside)
    assert read_work(image) is None
    with serving(Settings(images=(image,))) as client:
        assert client.put("/api/images/0/work", json={"mark": "skipped"}).status_code == 204
    assert "done" in outside.read_text()  # the link was replaced, not followed
    assert read_work(image).mark == "skipped"
    for hostile in (b"[" * 100_000, b"{}x", b'{"mark": "maybe"}', b'{"answer": {"runs": [1e999]}}'):
        beside.write_bytes(hostile)
        assert read_work(image) is None
    with beside.open("wb") as file:
        file.truncate(2**33)
    assert read_work(image) is None
    if hasattr(os, "mkfifo"):
        beside.unlink()
        os.mkfifo(beside)
        assert read_work(image) is None


def test_a_studio_that_may_not_save_writes_nothing(folder):
    with serving(Settings(images=images_in(folder), may_save=False)) as client:
        assert client.put("/api/images/0/work", json={}).status_code == 403
    assert not list(folder.glob("*.json"))


def test_the_folder_in_one_archive(folder):
    both = SQUARE.copy()
    both[:8, :8] = 2
    labels = [{"name": n, "color": "#102030"} for n in ("Background", "cat", "cat")]
    with serving(Settings(images=images_in(folder))) as client:
        assert client.get("/api/images/export/coco").status_code == 409
        for number, mark in ((0, "done"), (1, "open"), (2, "skipped")):
            work = {"mark": mark, "document": {"wish": {}, "labels": labels}, "answer": runs_of(both)}
            assert client.put(f"/api/images/{number}/work", json=work).status_code == 204
        (folder / "a.png").write_bytes(b"broken")
        archives = {kind: client.get(f"/api/images/export/{kind}").content for kind in ("coco", "voc", "masks")}
    files = {kind: zipfile.ZipFile(io.BytesIO(data)) for kind, data in archives.items()}
    document = json.loads(files["coco"].read("annotations.json"))
    assert [image["file_name"] for image in document["images"]] == ["a.jpg"]
    assert document["categories"] == [{"id": 1, "name": "cat"}]
    assert len(document["annotations"]) == 2  # two objects of one class
    assert (hh.io.decode_runs(document["annotations"][1]["segmentation"]) == (both == 2)).all()
    assert "a.png" in files["coco"].read("left_out.txt").decode()
    assert files["voc"].read("labels.txt").decode().split() == ["background", "cat"]
    for name, expected in (("SegmentationClass", both > 0), ("SegmentationObject", both)):
        with Image.open(io.BytesIO(files["voc"].read(f"{name}/a.jpg.png"))) as mask:
            assert (np.asarray(mask) == expected).all()
    with Image.open(io.BytesIO(files["masks"].read("masks/a.jpg.png"))) as mask:
        assert (np.asarray(mask) == both).all()


def test_thumbnails_are_small(folder):
    with serving(Settings(images=images_in(folder))) as client:
        answer = client.get("/api/images/0/thumbnail")
        with Image.open(io.BytesIO(answer.content)) as image:
            assert max(image.size) <= 240
        assert client.get("/api/images/9/thumbnail").status_code == 404


def test_classes_from_a_file(tmp_path):
    path = tmp_path / "classes.txt"
    path.write_text("cat #ff8800\n\nguinea pig\n")
    found = read_classes(path)
    assert [label.name for label in found] == ["Background", "cat", "guinea pig"]
    assert found[1].color == "#ff8800"
    path.write_text('[{"name": "background", "color": "#000000"}, {"name": "dog", "color": "#00ff00"}]')
    assert [label.name for label in read_classes(path)] == ["background", "dog"]
    for bad in ("", "x" * 100, "\n".join(map(str, range(40))), '[{"name": 1}]', "a" * 70_000):
        path.write_text(bad)
        with pytest.raises(ValueError, match="must"):
            read_classes(path)
    with serving(Settings(labels=found)) as client:
        assert [label["name"] for label in client.get("/api/about").json()["labels"]][1] == "cat"


def test_a_box_marks_an_object_and_everything_outside(studio):  # noqa: F811
    session = opened(studio)
    events = solve(studio, session, strokes=[], box=[30, 14, 66, 50])
    assert events[-1][0] == "done"
    runs = events[0][1]["runs"]
    labels = np.repeat(runs[::2], runs[1::2]).reshape(64, 96)
    assert (labels[20:44, 36:60] == 1).mean() > 0.9
    assert labels[:12].sum() == 0
    last = solve(studio, session, strokes=[], box=[200, 200, 300, 300])[-1]
    assert last[0] == "failed"
    assert "box must hold a part of the image" in last[1]["message"]


def test_a_map_that_does_not_fit_is_refused(studio):  # noqa: F811
    session = opened(studio)
    for runs in ([0, 5], [0, 64 * 96, 1], [99, 64 * 96], [0, -1], [2**70, 64 * 96], [0, 2**70]):
        body = {"what": "mask", "candidate": {"runs": runs}}
        assert studio.post(f"/api/sessions/{session['id']}/export", json=body).status_code == 422


def test_what_was_on_show_counts_less_than_what_was_chosen(studio):  # noqa: F811
    session = opened(studio)
    odd = SQUARE.copy()
    odd[:30, 70:] = 1  # a stroke says nothing about this corner, its colours do
    stroke = [
        {"label": 2, "radius": 3, "points": [[44, 28], [52, 34]]},
        {"label": 1, "radius": 3, "points": [[6, 6], [6, 50]]},
    ]
    shares = {}
    for chosen in (True, False):
        events = solve(studio, session, strokes=stroke, base=runs_of(odd), chosen=chosen)
        runs = next(data for name, data in events if name == "candidate")["runs"]
        shares[chosen] = (np.repeat(runs[::2], runs[1::2]).reshape(64, 96)[:28, 74:] == 1).mean()
    assert shares[True] > 0.9 > 0.2 > shares[False]


def test_borders_follow_the_pixels_of_a_large_image():
    """A disc with a sharp edge, solved at a quarter of its size: no stairs of four pixels are left."""
    rows, columns = np.ogrid[:1800, :2400]
    truth = (rows - 900) ** 2 + (columns - 1200) ** 2 < 600**2
    out = io.BytesIO()
    Image.fromarray(np.where(truth[..., None], [220, 180, 60], [30, 60, 90]).astype(np.uint8)).save(
        out, "PNG", compress_level=1
    )
    picture = read_picture("disc.png", out.getvalue(), 10**7)
    width, height = picture.solved_size
    small = np.asarray(Image.fromarray(truth).resize((width, height), Image.Resampling.NEAREST)).astype(np.uint8)
    stairs = np.asarray(Image.fromarray(small).resize(picture.size, Image.Resampling.NEAREST)) == 1
    fine = at_full_size(small, picture) == 1
    assert (fine != truth).sum() < 0.25 * (stairs != truth).sum()
    with Image.open(io.BytesIO(export("cutout", picture, small, default_labels()))) as cut:
        alpha = np.asarray(cut)[..., 3]
        assert ((alpha > 127) == fine).all()
        assert np.asarray(cut)[0, 0].tolist() == [0, 0, 0, 0]  # nothing of the image is left outside
