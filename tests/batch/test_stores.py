# SPDX-License-Identifier: BSD-3-Clause
"""Inputs and results anywhere fsspec reaches, and results that other programs read without us."""

import functools
import http.server
import json
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.batch import Manifest, Recipe, read_status, run
from hedgehop.batch.results import _numbers
from hedgehop.batch.stores import LocalStore, RemoteStore, find_addresses
from tests.batch.folders import lists

RECIPE = Recipe(diversity="variables", tradeoff="0.5", m=3)


def run_in_threads(models, folder, recipe=RECIPE, **options):
    with ThreadPoolExecutor(2) as executor:
        return run(models, recipe, folder, executor=executor, **options)


@pytest.fixture
def expected(models, tmp_path):
    run_in_threads(models, tmp_path / "expected")
    return lists(tmp_path / "expected")


@pytest.fixture
def memory():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


@pytest.mark.parametrize("make", [LocalStore, lambda folder: RemoteStore(f"file://{folder}")])
def test_stores_keep_whole_files(make, tmp_path):
    pytest.importorskip("fsspec")
    store = make(tmp_path / "new" / "folder")
    assert store.read("a/b") is None
    store.write("a/b", b"one")
    store.write("a/b", b"two")
    store.write("a/c/d", b"three")
    assert store.read("a/b") == b"two"
    assert store.names("a") == ["a/b", "a/c/d"]
    assert store.exists("a/b")
    store.remove("a/c")
    assert not store.exists("a/c/d")
    store.remove("nothing")


def test_everything_in_memory(models, expected, memory, tmp_path):
    """Inputs, ledger and lists at addresses; a second run knows the first."""
    for path in models:
        memory.pipe_file(f"/models/{path.relative_to(tmp_path / 'models').as_posix()}", path.read_bytes())
    sources = find_addresses("memory://models")
    done = run_in_threads(sources, "memory://results")
    assert (done.solved, done.failed) == (8, 0)
    for name, labelings in expected.items():
        data = memory.cat_file(f"/results/{name}")
        (tmp_path / "one.npz").write_bytes(data)
        assert hh.load(tmp_path / "one.npz").labelings.tolist() == labelings
    assert run_in_threads(sources, "memory://results").done_before == 8
    [status] = read_status("memory://results")
    assert (status.state, status.done) == ("finished", 8)
    memory.pipe_file("/models/grid1.npz", models[1].read_bytes())
    assert run_in_threads(sources, "memory://results").solved == 1
    with pytest.raises(ValueError, match="contains results of a different recipe"):
        run_in_threads(sources, "memory://results", Recipe(m=2))
    run_in_threads(sources[:2], "memory://results", Recipe(m=2), force=True)
    assert len(memory.find("/results/lists")) == 2


def test_manifests_of_addresses(models, expected, memory, tmp_path):
    memory.pipe_file("/deep/inputs/one.npz", models[0].read_bytes())
    memory.pipe_file("/deep/two.npz", models[0].read_bytes())
    memory.pipe_file("/deep/items.csv", b"model,name\ninputs/one.npz,first\nmemory://deep/two.npz,second\n")
    done = run_in_threads(Manifest("memory://deep/items.csv"), tmp_path / "out")
    assert (done.solved, done.failed) == (2, 0)
    assert set(lists(tmp_path / "out")) == {"lists/first.npz", "lists/second.npz"}
    memory.rm("/deep/inputs/one.npz")
    again = run_in_threads(Manifest("memory://deep/items.csv"), tmp_path / "other")
    assert (again.solved, again.failed) == (1, 1)
    assert "memory://deep/inputs/one.npz" in (tmp_path / "other" / "summary.csv").read_text()


def test_evidence_comes_along(memory, tmp_path):
    hh.write(hh.FactorGraph([[0.0, 1.0]] * 2), tmp_path / "m.uai")
    memory.pipe_file("/in/m.uai", (tmp_path / "m.uai").read_bytes())
    memory.pipe_file("/in/m.uai.evid", b"1 0 0")
    run_in_threads(["memory://in/m.uai"], tmp_path / "out", Recipe(m=1, diversity="variables", tradeoff="0"))
    assert lists(tmp_path / "out") == {"lists/m.uai.npz": [[0, 1]]}


def test_archives_and_servers_are_sources(models, expected, tmp_path):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in models:
            archive.write(path, path.relative_to(tmp_path / "models"))
    sources = find_addresses(f"zip://**::{tmp_path / 'all.zip'}")
    files = [source for source in sources if ".npz::" in source]
    assert run_in_threads(files, tmp_path / "zipped").solved == 8
    assert lists(tmp_path / "zipped") == expected
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "models")
    handler.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        served = [f"{address}/{path.relative_to(tmp_path / 'models').as_posix()}" for path in models]
        assert find_addresses(f"{address}/grid*.npz") == sorted(
            each for each in served if "/inner/" not in each and "/grid" in each
        )
        done = run_in_threads([*served, f"{address}/missing.npz"], tmp_path / "served")
        server.shutdown()
    assert (done.solved, done.failed) == (8, 1)
    assert lists(tmp_path / "served") == expected


def test_an_address_nobody_knows_is_a_sentence(models, tmp_path):
    pytest.importorskip("fsspec")
    with pytest.raises(ValueError, match="nonsense://x cannot be opened"):
        run_in_threads(models, "nonsense://x")


def test_an_item_at_an_address_nobody_knows_stops_no_other(models, tmp_path):
    pytest.importorskip("fsspec")
    sources = [*models, "nonsense://x.npz"]
    done = run(sources, RECIPE, tmp_path / "out", workers=1)
    assert (done.solved, done.failed) == (8, 1)
    assert len(list((tmp_path / "out" / "lists").rglob("*.npz"))) == 8
    again = run(sources, RECIPE, tmp_path / "out", workers=1)
    assert (again.solved, again.done_before, again.failed) == (0, 8, 1)
    assert "nonsense://x.npz cannot be opened" in (tmp_path / "out" / "summary.csv").read_text()


def test_files_of_addresses_are_found_where_they_are(models, tmp_path):
    pytest.importorskip("fsspec")
    place = (tmp_path / "models").as_posix()
    for url in (f"file://{place}", f"file://{place}/**/*.npz"):
        sources = [source for source in find_addresses(url) if source.endswith(".npz")]
        assert sources == sorted(f"file://{path.as_posix()}" for path in models)
    assert run_in_threads(sources, tmp_path / "out").solved == 8


def test_files_of_two_archives_do_not_share_a_result(models, tmp_path):
    pytest.importorskip("fsspec")
    for name in ("a", "b"):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.write(models[0], "one.npz")
    sources = [f"zip://one.npz::{tmp_path}/{name}.zip" for name in ("a", "b")]
    with pytest.raises(ValueError, match="have the same name, 'one"):
        run_in_threads(sources, tmp_path / "out")


def test_a_damaged_archive_is_a_sentence(tmp_path):
    pytest.importorskip("fsspec")
    (tmp_path / "damaged.zip").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="cannot be opened: File is not a zip file"):
        find_addresses(f"zip://*.npz::{tmp_path}/damaged.zip")


def test_parquet_is_read_by_others(models, expected, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    done = run_in_threads(models, tmp_path / "out", results="parquet", chunk=3)
    assert (done.solved, done.failed) == (8, 0)
    rows = parquet.read_table(tmp_path / "out" / "labelings.parquet").to_pylist()
    assert len(rows) == 24
    for row in rows:
        labels = np.frombuffer(row["labels"], row["dtype"]).reshape(row["shape"])
        assert labels.tolist() == expected[f"lists/{row['item']}.npz"][row["rank"]]
    assert len(list((tmp_path / "out" / "labelings.parquet").iterdir())) == 3
    assert not (tmp_path / "out" / "lists").exists()


def test_rows_of_killed_runs_and_changed_items_do_not_stay(models, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out"

    def table():
        return parquet.read_table(out / "labelings.parquet").to_pylist()

    run_in_threads(models, out, results="parquet", chunk=4)
    ledger = (out / "outcomes.jsonl").read_bytes().splitlines(keepends=True)
    (out / "outcomes.jsonl").write_bytes(b"".join(ledger[:-3]))  # killed: rows are there, their outcomes are not
    assert run_in_threads(models, out, results="parquet").solved == 3
    assert sorted((row["item"], row["rank"]) for row in table()) == sorted(
        (json.loads(line)["item"], rank) for line in ledger for rank in range(3)
    )
    hh.write(hh.FactorGraph([[0.0, 5.0], [0.0, 1.0]]), models[0])
    assert run_in_threads(models, out, results="parquet").solved == 1
    assert [row["shape"] for row in table() if row["item"] == "grid1.npz"] == [[2]] * 3
    assert len(table()) == 24


def test_zarr_is_read_by_others(models, expected, tmp_path):
    zarr = pytest.importorskip("zarr")
    run_in_threads(models, tmp_path / "out", results="zarr")
    for name, labelings in expected.items():
        group = zarr.open_group(tmp_path / "out" / name.replace(".npz.npz", ".npz.zarr"), mode="r")
        assert group["labelings"][:].tolist() == labelings
        assert group["labelings"].attrs["_ARRAY_DIMENSIONS"] == ["rank", "y", "x"]
        assert group["relevance"].shape == (3,)
        assert group.attrs["item"] == name.removeprefix("lists/").removesuffix(".npz")
    assert run_in_threads(models, tmp_path / "out", results="zarr").done_before == 8


def test_probabilities_are_kept_where_they_are_known(tmp_path):
    """Asking for them costs time, so that nobody does it on the way."""
    found = hh.diverse(hh.FactorGraph([[0.0, 1.0]] * 3), hh.VariableCoverage(), m=2, tradeoff=1.0)
    assert not found.is_weighed
    assert np.isnan(_numbers(found)["probability"]).all()
    assert not found.is_weighed
    weights = found.probabilities
    assert _numbers(found)["probability"].tolist() == weights.tolist()


@pytest.mark.parametrize("words", [{"probabilities": True}, {"temperature": 0.1}])
def test_a_recipe_asks_for_probabilities(words, models, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    recipe = replace(RECIPE, **words)
    run_in_threads(models[:1], tmp_path / "out", recipe, results="parquet")
    rows = parquet.read_table(tmp_path / "out" / "labelings.parquet").to_pylist()
    found = hh.weigh(RECIPE.solve(hh.read(models[0])), temperature=words.get("temperature", 1.0))
    assert [row["probability"] for row in rows] == pytest.approx(found.probabilities.tolist())
    assert recipe.fingerprint != RECIPE.fingerprint
