# SPDX-License-Identifier: BSD-3-Clause
"""Batches: the same lists however they are run, whatever kills them, and every item exactly once."""

import csv
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.batch import Recipe, run
from hedgehop.batch.outcomes import open_ledger
from hedgehop.batch.stores import LocalStore
from tests.batch.folders import count_lines, lines, lists

RECIPE = Recipe(diversity="variables", tradeoff="0.5", m=3)


def run_in_threads(models, folder, recipe=RECIPE, **options):
    with ThreadPoolExecutor(2) as executor:
        return run(models, recipe, folder, executor=executor, **options)


def test_every_list_is_the_one_that_diverse_finds(models, tmp_path):
    heard = []
    done = run(models, RECIPE, tmp_path / "out", workers=2, callback=heard.append)
    assert (done.solved, done.done_before, done.failed) == (8, 0, 0)
    assert len(heard) == 8
    for file, labelings in lists(tmp_path / "out").items():
        model = hh.read(tmp_path / "models" / file.removeprefix("lists/").removesuffix(".npz"))
        assert labelings == RECIPE.solve(model).labelings.tolist()
    run_in_threads(models, tmp_path / "threads")
    assert lists(tmp_path / "threads") == lists(tmp_path / "out")
    with done.table.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == sorted(line["item"] for line in lines(tmp_path / "out"))
    assert all(float(row["objective"]) <= float(row["upper_bound"]) for row in rows)


def test_only_what_is_missing_is_done_again(models, tmp_path):
    run_in_threads(models[:3], tmp_path)
    done = run_in_threads(models[:5], tmp_path)
    assert (done.solved, done.done_before) == (2, 3)
    next((tmp_path / "lists").rglob("*.npz")).unlink()
    assert run_in_threads(models[:5], tmp_path).solved == 1


def test_a_failure_is_recorded_and_stops_nobody(models, tmp_path):
    broken = models[0].with_name("broken.uai")
    broken.write_text("MARKOV nonsense")
    done = run_in_threads([*models, broken], tmp_path / "out")
    assert (done.solved, done.failed) == (8, 1)
    again = run_in_threads([*models, broken], tmp_path / "out")
    assert (again.solved, again.done_before, again.failed) == (0, 8, 1)
    assert len(lines(tmp_path / "out")) == 9
    hh.write(hh.FactorGraph([[0.0, 1.0]] * 3), broken)
    assert run_in_threads([*models, broken], tmp_path / "out", retry=True).solved == 1
    assert run_in_threads([*models, broken], tmp_path / "out").failed == 0


def test_a_full_disk_stops_the_run_and_blames_no_item(models, tmp_path, monkeypatch):
    def full(_self, name, _data):
        if name.startswith("lists/"):
            raise OSError(28, "No space left on device", name)

    monkeypatch.setattr("hedgehop.batch.stores.LocalStore.write", full)
    with pytest.raises(OSError, match="No space left"):
        run_in_threads(models, tmp_path)
    assert lines(tmp_path) == []
    monkeypatch.undo()
    assert run_in_threads(models, tmp_path).solved == 8


def test_another_recipe_is_refused_unless_forced(models, tmp_path):
    run_in_threads(models, tmp_path)
    other = Recipe(diversity="variables", tradeoff="0.5", m=2)
    with pytest.raises(ValueError, match="results of a different recipe"):
        run_in_threads(models, tmp_path, other)
    assert run_in_threads(models, tmp_path, other, force=True).solved == 8
    assert {line["m"] for line in lines(tmp_path)} == {2}


def test_one_folder_takes_one_run(models, tmp_path):
    with (
        open_ledger(LocalStore(tmp_path), RECIPE, force=False),
        pytest.raises(ValueError, match="another run is writing"),
    ):
        run_in_threads(models, tmp_path)
    assert run_in_threads(models, tmp_path).solved == 8


def test_files_that_would_replace_the_results_of_others_are_refused(models, tmp_path):
    inner = [model for model in models if model.parent.name == "inner"]
    run_in_threads(inner, tmp_path / "out")
    twin = inner[0].parent.parent / inner[0].name
    hh.write(hh.FactorGraph([[0.0, 1.0]]), twin)
    with pytest.raises(ValueError, match="would replace the results of"):
        run_in_threads([twin, *models], tmp_path / "out")


def test_a_line_torn_by_a_crash_is_cut_off(models, tmp_path):
    run_in_threads(models[:2], tmp_path)
    with (tmp_path / "outcomes.jsonl").open("a") as file:
        file.write('{"item": "gri')
    assert run_in_threads(models[:3], tmp_path).solved == 1
    assert len(lines(tmp_path)) == 3


def test_the_log_survives_while_items_are_solved(models, tmp_path):
    """What was heard of is on the disk, even if the run ends by an exception then."""
    heard = []

    def stop_at_three(outcome):
        heard.append(outcome.item)
        if len(heard) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(models, RECIPE, tmp_path, workers=2, callback=stop_at_three)
    done = [line["item"] for line in lines(tmp_path)]  # those that ended in the same moment go to the disk together
    assert done[:3] == heard
    assert run_in_threads(models, tmp_path).done_before == len(done)
    assert not multiprocessing.active_children()


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_a_process_that_dies_is_replaced(models, tmp_path):
    killed = []

    def kill_one(_outcome):
        if not killed:
            killed.append(multiprocessing.active_children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    done = run(models, RECIPE, tmp_path, workers=1, callback=kill_one)
    assert (done.solved, done.failed) == (8, 0)
    assert len(lines(tmp_path)) == 8


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_killed_again_and_again_it_ends_as_if_undisturbed(models, tmp_path):
    recipe, target = tmp_path / "recipe.toml", tmp_path / "out"
    recipe.write_text('diversity = "variables"\ntradeoff = 0.5\nm = 3\n')
    words = ["batch", tmp_path / "models", "-r", recipe, "-o", target, "--workers", "2", "--quiet"]
    command = [sys.executable, "-m", "hedgehop", *map(str, words)]
    for wanted in (0, 1, 3, 6):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while process.poll() is None and count_lines(target) < wanted:
            time.sleep(0.001)
        process.kill()
        process.wait()
    assert subprocess.run(command, check=False).returncode == 0
    run_in_threads(models, tmp_path / "undisturbed")
    assert lists(target) == lists(tmp_path / "undisturbed")
    items = [line["item"] for line in lines(target)]
    assert sorted(items) == sorted(set(items))
    assert len(items) == 8


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_while_processes_start_ends_with_one_sentence(models, tmp_path):
    (tmp_path / "recipe.toml").write_text("m = 2\n")
    words = ["batch", *models, "-r", tmp_path / "recipe.toml", "-o", tmp_path / "out", "--workers", "2"]
    command = [sys.executable, "-m", "hedgehop", *map(str, words)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while process.poll() is None and not (tmp_path / "out" / "recipe.json").exists():
        time.sleep(0.001)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
    said = process.communicate(timeout=60)[1]  # without a count if it has not counted its items yet
    assert re.fullmatch(r"error: interrupted(: [0-7] of 8 done)?; the same command continues\.\n", said)
    assert process.returncode == 1


_FIRST_PROCESS = """
import signal
from multiprocessing import resource_tracker
from hedgehop.batch.engines import processes

class Context:
    Pipe = processes.multiprocessing.Pipe
    def Process(self, **_):
        return self
    def start(self):  # as multiprocessing does
        resource_tracker.ensure_running()
        print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))

processes.multiprocessing.get_context = lambda how: Context()
processes.ProcessEngine(None, 1, processes.Limits())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_the_first_process_starts_deaf_to_ctrl_c():
    command = [sys.executable, "-c", _FIRST_PROCESS]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60).stdout == "True\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("colour = 3", "unknown setting 'colour'; known settings are diversity"),
        ("m = 0", "m must be"),
        ("m =", "is not TOML"),
        ('diversity = "x"', "unknown diversity"),
        ('oracle = "x"', "unknown oracle"),
        ('method = "x"', "method must be"),
    ],
)
def test_wrong_recipes(text, sentence, tmp_path):
    (tmp_path / "recipe.toml").write_text(text)
    with pytest.raises(ValueError, match=sentence):
        Recipe.read(tmp_path / "recipe.toml")


def test_recipes_from_files(tmp_path):
    (tmp_path / "recipe.toml").write_text('diversity = "linear"\ntradeoff = 2\nm = 4\nrefine = true\n')
    assert Recipe.read(tmp_path / "recipe.toml") == Recipe("linear", "2", 4, refine=True)
    assert Recipe(m=2).fingerprint != Recipe(m=3).fingerprint


def test_nothing_to_do_is_refused(tmp_path):
    with pytest.raises(ValueError, match="at least one model file"):
        run([], RECIPE, tmp_path)


def far(labelings: np.ndarray) -> bool:
    """Whether any two differ in at least a twentieth of the variables."""
    pairs = [(a != b).mean() for k, a in enumerate(labelings) for b in labelings[:k]]
    return min(pairs) >= 0.05


def test_default_lists_keep_apart_whatever_greedy_method_makes_them():
    model = hh.FactorGraph(
        np.random.default_rng(0).normal([2.0, 0.0], size=(40, 2)), [[i, i + 1] for i in range(39)], 0.1
    )
    for method in ("greedy", "distorted"):
        assert far(hh.batch.Recipe(m=3, method=method).solve(model).labelings)
    assert not far(hh.batch.Recipe(m=3, tradeoff="0").solve(model).labelings)


def test_numbers_are_as_good_as_their_texts_in_recipes():
    assert Recipe(tradeoff=0.3) == Recipe(tradeoff="0.3")
    assert Recipe(tradeoff=0.3).fingerprint == Recipe(tradeoff="0.3").fingerprint
