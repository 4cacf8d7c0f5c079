# SPDX-License-Identifier: BSD-3-Clause
"""Manifests: models, scores, images and strokes listed in files, with truths to measure against."""

import csv
import json
import sys
import tracemalloc
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.batch import Item, Manifest, Recipe, run
from hedgehop.batch.items import file_items, is_item
from hedgehop.batch.scheduling import Chunks
from tests.batch.folders import lines, lists

RECIPE = Recipe(diversity="variables", tradeoff="0.5", m=3)


@pytest.fixture
def pictures(tmp_path):
    """Write three images with scores and truths, the first with strokes, too."""
    image = pytest.importorskip("PIL.Image")
    for k in range(3):
        rng = np.random.default_rng(k)
        truth = np.zeros((12, 16), int)
        truth[3:9, 4 + k : 12] = 1
        noisy = truth[..., None] * 2.0 - 1.0 + rng.normal(0, 1.0, (12, 16, 1))
        np.save(tmp_path / f"scores{k}.npy", np.concatenate([-noisy, noisy], axis=-1))
        image.fromarray((truth[..., None] * 200 + rng.integers(0, 40, (12, 16, 3))).astype(np.uint8)).save(
            tmp_path / f"image{k}.png"
        )
        hh.io.write_labels(truth, tmp_path / f"truth{k}.png")
        strokes = np.zeros((12, 16), int)
        strokes[5:7, 6:10], strokes[0], strokes[-1] = 2, 1, 1
        hh.io.write_labels(strokes, tmp_path / f"strokes{k}.png")
    return tmp_path


def write_rows(path, rows):
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, sorted({key for row in rows for key in row}))
        table.writeheader()
        table.writerows(rows)


def run_in_threads(source, folder, recipe=RECIPE, **options):
    with ThreadPoolExecutor(2) as executor:
        return run(source, recipe, folder, executor=executor, **options)


@pytest.mark.parametrize("name", ["items.csv", "items.jsonl"])
def test_scores_become_grids_and_truths_become_metrics(name, pictures):
    rows = [{"image": f"image{k}.png", "scores": f"scores{k}.npy", "truth": f"truth{k}.png"} for k in range(2)]
    write_rows(pictures / name, [*rows, {"scores": "scores2.npy", "name": "alone"}])
    done = run_in_threads(Manifest(pictures / name), pictures / "out")
    assert (done.solved, done.failed) == (3, 0)
    found = lists(pictures / "out")
    assert sorted(found) == ["lists/alone.npz", "lists/image0.png.npz", "lists/image1.png.npz"]
    pixels = np.asarray(__import__("PIL.Image").Image.open(pictures / "image0.png"))
    grid = hh.Grid(np.load(pictures / "scores0.npy"), hh.contrast(pixels, 1.0))
    assert found["lists/image0.png.npz"] == RECIPE.solve(grid).labelings.tolist()
    with done.table.open() as file:
        table = {row["item"]: row for row in csv.DictReader(file)}
    truth = hh.io.read_labels(pictures / "truth0.png")
    labelings = np.array(found["lists/image0.png.npz"])
    assert float(table["image0.png"]["oracle_accuracy"]) == hh.metrics.oracle_accuracy(labelings, truth)
    assert float(table["image0.png"]["accuracy"]) == hh.metrics.accuracy(labelings[0], truth)
    assert float(table["image0.png"]["oracle_iou"]) == hh.metrics.oracle_iou(labelings, truth)
    assert table["alone"]["iou"] == ""
    each = [float(table[f"image{k}.png"]["oracle_iou"]) for k in range(2)]
    assert done.metrics["oracle_iou"] == pytest.approx(np.mean(each))
    assert run_in_threads(Manifest(pictures / name), pictures / "out").metrics == done.metrics


def test_strokes_are_suggestions_of_the_segmenter(pictures):
    write_rows(pictures / "items.csv", [{"image": "image0.png", "scribbles": "strokes0.png", "truth": "truth0.png"}])
    recipe = Recipe(m=3, segments=60)
    done = run_in_threads(Manifest(pictures / "items.csv"), pictures / "out", recipe)
    assert done.failed == 0, lines(pictures / "out")
    pixels = np.asarray(__import__("PIL.Image").Image.open(pictures / "image0.png"))
    strokes = hh.io.read_strokes(pictures / "strokes0.png")
    expected = hh.Segmenter(pixels, 60).suggest(strokes, m=3)
    assert lists(pictures / "out")["lists/image0.png.npz"] == expected.labelings.tolist()
    assert done.metrics["oracle_accuracy"] > 0.9
    other = Recipe(m=2, segments=60, diversity="variables", tradeoff="1", method="distorted")
    assert run_in_threads(Manifest(pictures / "items.csv"), pictures / "other", other).failed == 0


def test_images_of_a_folder_find_what_belongs_to_them_by_patterns(pictures):
    for k in range(3):
        (pictures / f"strokes{k}.png").rename(pictures / f"image{k}_strokes.png")
    recipe = pictures / "recipe.toml"
    recipe.write_text('scribbles = "{stem}_strokes.png"\ntruth = "truths/{stem}.png"\nm = 2\nsegments = 0\n')
    settings = Recipe.read(recipe)
    meant = [file for file in sorted(pictures.iterdir()) if is_item(file, settings.beside)]
    assert [file.name for file in meant] == ["image0.png", "image1.png", "image2.png"]
    (pictures / "truths").mkdir()
    (pictures / "truth0.png").rename(pictures / "truths" / "image0.png")
    items = file_items(meant, settings.beside)
    assert [bool(item.truth) for item in items] == [True, False, False]
    done = run_in_threads(meant, pictures / "out", settings)
    assert (done.solved, done.failed) == (3, 0)
    assert done.metrics["oracle_accuracy"] > 0.9
    with pytest.raises(ValueError, match="scribbles or for scores, not both"):
        Recipe(scribbles="a", scores="b")
    with pytest.raises(ValueError, match="at least one model file"):
        run([], settings, pictures / "none")


def test_lists_of_models_differ_unless_the_recipe_decides():
    model = hh.Grid(np.random.default_rng(0).normal(size=(5, 6, 3)), smoothness=2.0)
    assert Recipe(m=4).solve(model).distinct == 4
    assert Recipe(m=4, tradeoff="0").solve(model).distinct == 1


def test_models_and_solutions(models, tmp_path):
    best = hh.best(hh.read(models[0])).labeling
    hh.io.write_labels(best.ravel(), tmp_path / "best.MAP")
    write_rows(tmp_path / "items.jsonl", [{"model": str(models[0]), "truth": "best.MAP", "name": "deep/one"}])
    done = run_in_threads(Manifest(tmp_path / "items.jsonl"), tmp_path / "out")
    assert done.metrics["accuracy"] == 1.0
    assert list(lists(tmp_path / "out")) == ["lists/deep/one.npz"]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("x.csv", "image\na.png\n", r"x.csv, line 2: an item must have a model, .*; got image\."),
        ("x.csv", "model,colour\na,b\n", r"line 2: unknown column 'colour'; known columns are name, model, image"),
        ("x.csv", "model\na.uai\n./a.uai\n", r"line 3: the name 'a.uai' occurs twice\. Add a column"),
        ("x.csv", "model\n", "must list at least one item"),
        ("x.csv", "model\na,b\n", "line 2: unknown column 'more columns"),
        ("x.csv", "name,model\n..,a\n", r"line 2: an item's name must be .*; got '\.\.'\.$"),
        ("x.jsonl", "{}\n", r"line 1: an item must have .*; got none of them"),
        ("x.jsonl", '\n{"model": 3}\n', "line 2: names and paths must be text"),
        ("x.jsonl", "[1]\n", "line 1: expected an object"),
        ("x.jsonl", "nonsense\n", "line 1: this is not JSON"),
        ("x.txt", "", r"\.csv or \.jsonl file; got 'x.txt'"),
    ],
)
def test_wrong_manifests(name, text, sentence, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=sentence):
        Manifest(tmp_path / name)


def test_names_stay_below_the_folder(tmp_path):
    write_rows(tmp_path / "x.csv", [{"model": "../../up/a.uai"}])
    assert [item.name for item in Manifest(tmp_path / "x.csv")] == ["up/a.uai"]
    with pytest.raises(ValueError, match="without"):
        Item("../x", model="a.uai")


def test_a_failure_names_the_file(tmp_path):
    write_rows(tmp_path / "x.csv", [{"model": "missing.uai"}])
    done = run_in_threads(Manifest(tmp_path / "x.csv"), tmp_path / "out")
    assert done.failed == 1
    assert "missing.uai" in lines(tmp_path / "out")[0]["error"]


def test_chunks_grow_until_they_take_a_second():
    chunks = Chunks(iter([Item(str(k), model="m") for k in range(1000)]))
    sizes = []
    while items := chunks.take()[0]:
        sizes.append(len(items))
        chunks.learn(len(items), 0.1 * len(items))
    assert sizes[:6] == [1, 2, 4, 8, 10, 10]
    assert sum(sizes) == 1000


class Instant(Executor):
    """Says that everything is done and remembers how much was in flight at once."""

    def __init__(self):
        self.flying = self.most = 0

    def submit(self, work, items):
        from hedgehop.batch import Outcome

        self.flying += 1
        self.most = max(self.most, self.flying)
        future = Future()
        future.set_result(([Outcome(item.name, item.source) for item in items], 1e-3))
        return future


@pytest.mark.slow
def test_memory_stays_bounded_with_many_items(tmp_path, monkeypatch):
    """What is kept of an item is its name and a number."""
    count = 8_000
    with (tmp_path / "items.csv").open("w") as file:
        file.write("model,name\n")
        file.writelines(f"models/file_{k:07}.uai,item_{k:07}\n" for k in range(count))
    monkeypatch.setattr("os.fsync", lambda _: None)
    executor = Instant()

    def landed(_outcome):
        executor.flying = 0

    table = [
        sys.intern(f"name {k}") for k in range(16 * count)
    ]  # the interpreter's table of names doubles now and then
    del table
    tracemalloc.start()
    done = run(
        Manifest(tmp_path / "items.csv"), RECIPE, tmp_path / "out", executor=executor, workers=2, callback=landed
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert done.solved == count
    assert executor.most <= 8
    assert peak < 400 * count
