# SPDX-License-Identifier: BSD-3-Clause
"""What a second run does: changed files again, unchanged ones never, nothing stale, no results taken for inputs."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.batch import Manifest, Recipe, Status, read_status, run
from hedgehop.batch.items import Item, Shard
from tests.batch.folders import lines, lists

RECIPE = Recipe(diversity="variables", tradeoff="0.5", m=3)


def run_in_threads(models, folder, recipe=RECIPE, **options):
    with ThreadPoolExecutor(2) as executor:
        return run(models, recipe, folder, executor=executor, **options)


def command(*words):
    return [sys.executable, "-m", "hedgehop", "batch", *map(str, words)]


def test_a_changed_file_is_done_again_an_unchanged_one_never(models, tmp_path):
    run_in_threads(models, tmp_path / "out")
    os.utime(models[0], (1, 1))  # touched, not changed
    assert run_in_threads(models, tmp_path / "out").solved == 0
    hh.write(hh.FactorGraph([[0.0, 5.0], [0.0, 1.0]]), models[1])
    done = run_in_threads(models, tmp_path / "out")
    assert (done.solved, done.done_before) == (1, 7)
    file = f"lists/{models[1].relative_to(tmp_path / 'models').as_posix()}.npz"
    assert np.shape(lists(tmp_path / "out")[file])[1:] == (2,)


def test_a_failed_item_whose_file_was_mended_is_done_again(models, tmp_path):
    whole = models[0].read_bytes()
    models[0].write_bytes(b"nonsense")
    assert run_in_threads(models, tmp_path / "out").failed == 1
    assert run_in_threads(models, tmp_path / "out").failed == 1
    models[0].write_bytes(whole)
    done = run_in_threads(models, tmp_path / "out")
    assert (done.solved, done.failed) == (1, 0)


def test_a_file_that_became_bad_leaves_no_stale_list(models, tmp_path):
    run_in_threads(models, tmp_path / "out")
    models[0].write_bytes(b"nonsense")
    assert run_in_threads(models, tmp_path / "out").failed == 1
    assert len(lists(tmp_path / "out")) == 7


def test_force_leaves_nothing_of_the_earlier_run(models, tmp_path):
    run_in_threads(models, tmp_path / "out")
    run_in_threads(models[:2], tmp_path / "out", Recipe(m=2), force=True)
    assert len(lists(tmp_path / "out")) == len(lines(tmp_path / "out")) == 2


def test_a_forced_run_leaves_what_is_not_its_own(models, tmp_path):
    (tmp_path / "out" / "lists").mkdir(parents=True)
    (tmp_path / "out" / "lists" / "mine.txt").write_text("precious")
    run_in_threads(models[:1], tmp_path / "out", force=True)
    assert (tmp_path / "out" / "lists" / "mine.txt").read_text() == "precious"


def test_results_are_no_sources(models, tmp_path):
    (tmp_path / "r.toml").write_text('diversity = "variables"\ntradeoff = 0.5\nm = 3\n')
    for target in ("results", "results", "others"):
        words = command(tmp_path / "models", "-r", tmp_path / "r.toml", "-o", tmp_path / "models" / target, "--quiet")
        assert subprocess.run([*words, "--workers", "1"], check=False).returncode == 0
        assert len(lines(tmp_path / "models" / target)) == 8


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and long names differ")
def test_a_bad_item_stops_nobody_whatever_its_name(models, tmp_path):
    folder = tmp_path / "models"
    model = hh.FactorGraph([[0.0, 1.0]] * 2)
    names = ["x.uai", "x.uai.npz/y.uai", f"{'n' * 249}.uai", "späße.uai", "with space.uai", os.fsdecode(b"\xff.uai")]
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        hh.write(model, folder / name)
    os.mkfifo(folder / "pipe.uai")
    paths = [*models, *(folder / name for name in names), folder / "pipe.uai", folder / "inner"]
    for solved in (14, 0):
        done = run_in_threads(paths, tmp_path / "out")
        assert (done.solved, done.failed) == (solved, 2)
    errors = sorted(line["error"] for line in lines(tmp_path / "out") if "error" in line)
    assert all("must be an ordinary file" in error for error in errors)
    assert len(lists(tmp_path / "out")) == 14


def test_names_of_files_differ_for_different_items():
    names = ["a", "a.npz/b", "a.npz_/b", "a.npz__/b", "a/b", "n" * 300, "n" * 301, "n" * 199, "é" * 150]
    files = [Item(name, model="m").file_name for name in names]
    assert len(set(files)) == len(files)
    assert all(len(os.fsencode(part)) <= 200 for file in files for part in file.split("/"))


@pytest.mark.skipif(sys.platform == "win32", reason="links differ")
@pytest.mark.parametrize(("place", "failed"), [("lists/inner", 3), (".unfinished", 0)])
def test_linked_folders_of_results_are_not_followed(models, tmp_path, place, failed):
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "out" / place).parent.mkdir(parents=True)
    os.symlink(outside, tmp_path / "out" / place)
    assert run_in_threads(models, tmp_path / "out").failed == failed
    assert list(outside.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links differ")
@pytest.mark.parametrize("name", ["outcomes.jsonl", ".lock"])
def test_linked_files_of_the_ledger_are_refused(models, tmp_path, name):
    (tmp_path / "out").mkdir()
    os.symlink(tmp_path / "outside", tmp_path / "out" / name)
    with pytest.raises(ValueError, match="is a link and is not followed"):
        run_in_threads(models, tmp_path / "out")
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("count", [2, 3, 8])
def test_shards_of_numbered_files_are_about_equal(count):
    items = [Item(f"g{k}.npz", model="x") for k in range(10 * count)]
    sizes = [sum(item in Shard(number, count) for item in items) for number in range(count)]
    assert sum(sizes) == 10 * count
    assert min(sizes) >= 6


def test_shards_do_everything_once_and_any_later_run_knows(models, tmp_path):
    (tmp_path / "items.csv").write_text("model\n" + "\n".join(map(str, models)) + "\n")
    items = Manifest(tmp_path / "items.csv")
    done = [run_in_threads(items, tmp_path / "out", shard=f"{k}/3") for k in range(3)]
    assert sum(one.solved for one in done) == 8
    assert len(lists(tmp_path / "out")) == 8
    assert len(read_status(tmp_path / "out")) == 3
    again = run_in_threads(items, tmp_path / "out")
    assert (again.solved, again.done_before) == (0, 8)
    assert again.table.read_text().count("\n") == 9
    with pytest.raises(ValueError, match=r"a shard must be i/n with i = 0\.\.n-1, such as 0/8; got '3/3'"):
        Shard.parse("3/3")
    with pytest.raises(ValueError, match="force must not be used with a shard"):
        run_in_threads(items, tmp_path / "out", shard="0/3", force=True)


def test_a_shard_that_ends_last_knows_what_the_others_did_meanwhile(models, tmp_path):
    """The second shard begins and ends while the first one runs."""
    others = []

    def start_the_other(_):
        if not others:
            others.append(None)
            others.append(run_in_threads(models, tmp_path / "out", shard="1/2"))

    done = run_in_threads(models, tmp_path / "out", shard="0/2", callback=start_the_other)
    assert done.solved + others[1].solved == 8
    assert done.table.read_text().count("\n") == 9


def test_the_latest_outcome_counts_whoever_wrote_it(models, tmp_path):
    """An item fails in a whole run, is mended in a shard, and is not solved again by the next whole run."""
    whole = models[0].read_bytes()
    models[0].write_bytes(b"nonsense")
    assert "is not a" in run_in_threads(models, tmp_path / "out").table.read_text()
    models[0].write_bytes(whole)
    assert sum(run_in_threads(models, tmp_path / "out", shard=f"{k}/2").solved for k in range(2)) == 1
    assert "is not a" not in (tmp_path / "out" / "summary.csv").read_text()
    again = run_in_threads(models, tmp_path / "out")
    assert (again.solved, again.done_before, again.failed) == (0, 8, 0)
    assert "is not a" not in again.table.read_text()


@pytest.mark.parametrize("name", ["m.uai.evid", "m.uai.gz.evid"])
def test_evidence_that_changes_comes_or_goes_is_noticed(name, tmp_path):
    model, evidence = tmp_path / "m.uai.gz", tmp_path / name
    hh.write(hh.FactorGraph([[0.0, 1.0]] * 2), model)
    recipe, seen = Recipe(m=1, diversity="variables", tradeoff="0"), []
    for text in ("", "1 0 0", "1 1 0", "1 1 0", ""):
        evidence.write_text(text) if text else evidence.unlink(missing_ok=True)
        solved = run_in_threads([model], tmp_path / "out", recipe).solved
        seen.append((solved, *lists(tmp_path / "out").values()))
    assert seen == [(1, [[1, 1]]), (1, [[0, 1]]), (1, [[1, 0]]), (0, [[1, 0]]), (1, [[1, 1]])]


def test_a_folder_keeps_its_lists_in_one_way(models, tmp_path):
    run_in_threads(models[:2], tmp_path / "out")
    with pytest.raises(ValueError, match="keeps its lists as npz, not as zarr"):
        run_in_threads(models[:2], tmp_path / "out", results="zarr")
    assert run_in_threads(models[:2], tmp_path / "out", results="zarr", force=True).solved == 2
    assert lists(tmp_path / "out") == {}
    known = json.loads((tmp_path / "out" / "recipe.json").read_text())
    del known["results"]  # as older versions wrote it
    (tmp_path / "out" / "recipe.json").write_text(json.dumps(known))
    assert run_in_threads(models[:2], tmp_path / "out", results="zarr").done_before == 2


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not looked for")
def test_the_status_of_a_killed_run_says_so(tmp_path):
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    status = Status(state="running", total=9, done=4, host=socket.gethostname(), pid=child.pid)
    for change, sentence in [
        ({}, "killed: 4 of 9 done, 0 running, 0 failed; the same command continues"),
        ({"updated": time.time()}, "running: 4 of 9 done, 0 running, 0 failed"),
        ({"pid": os.getpid(), "updated": time.time() - 60}, "running: 4 of 9 done, 0 running, 0 failed"),
        ({"host": "elsewhere", "updated": time.time() - 180}, "running: .*; nothing heard from elsewhere for 3:00 min"),
        ({"state": "finished"}, "finished: 4 of 9 done, 0 running, 0 failed"),
    ]:
        (tmp_path / "status.json").write_text(json.dumps(asdict(replace(status, **change))))
        [found] = read_status(tmp_path)
        assert re.fullmatch(sentence, f"{found.state}: {found.sentence()}")


def test_a_time_limit_is_part_of_a_recipe(models, tmp_path):
    (tmp_path / "r.toml").write_text("m = 3\ntime_limit = 20\ntolerance = 1e-3\n")
    recipe = Recipe.read(tmp_path / "r.toml")
    assert recipe.options == {"time_limit": 20, "tolerance": 1e-3}
    assert run_in_threads(models[:1], tmp_path / "out", recipe).solved == 1
    assert Recipe(m=3).fingerprint != recipe.fingerprint
    with pytest.raises(ValueError, match="time_limit must be"):
        Recipe(time_limit=-1.0)
