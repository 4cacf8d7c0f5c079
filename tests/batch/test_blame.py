# SPDX-License-Identifier: BSD-3-Clause
"""Processes that end: nobody is blamed who did nothing, and what an item does to a process stops no other item."""

import json
import multiprocessing
import os
import signal
import sys

import pytest

import hedgehop as hh
from hedgehop._plugins import _installed
from hedgehop.batch import Outcome, Recipe, run
from hedgehop.batch.engines.base import ChunkReport
from hedgehop.batch.items import Item
from hedgehop.batch.scheduling import Chunks, Scheduler
from hedgehop.oracles.registry import built_in_and_installed
from tests.batch.folders import lines, lists

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="signals differ"), pytest.mark.slow]
RECIPE = Recipe(diversity="variables", tradeoff="0.5", m=3)


@pytest.fixture(autouse=True)
def fresh_oracles():
    yield
    _installed.cache_clear()
    built_in_and_installed.cache_clear()


def plugin(folder, monkeypatch, body):
    """An oracle of another package, which workers load by its entry point."""
    _installed.cache_clear()
    built_in_and_installed.cache_clear()
    place = folder / "plugin-1.0.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (place / "entry_points.txt").write_text("[hedgehop.oracles]\nbad = plugin_of_a_test:Bad\n")
    (folder / "plugin_of_a_test.py").write_text(
        "import os, signal, time\nimport numpy as np\nimport hedgehop as hh\n"
        "class Bad(hh.Oracle):\n    name = 'bad'\n    summary = 'ends its process on some models'\n"
        "    def refusal(self, model, potentials):\n        return None\n"
        f"    def maximize(self, model, potentials):\n        if model.n_variables == 3:\n            {body}\n"
        "        return hh.oracles.get('auto').on(model).maximize(potentials)\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(str(folder))
    bad = folder / "models" / "bad.npz"
    hh.write(hh.FactorGraph([[0.0, 1.0]] * 3), bad)
    return Recipe(diversity="variables", tradeoff="0.5", m=3, oracle="bad")


def test_an_innocent_item_survives_the_death_of_many_processes(models, tmp_path):
    """Every process is ended as soon as it is seen, the replacements of the first ones, too."""
    seen, ended = [], []

    def end_all(status):
        for child in multiprocessing.active_children():
            if child.pid not in ended and len(ended) < 4 and status.running:
                ended.append(child.pid)
                os.kill(child.pid, signal.SIGKILL)

    done = run(models, RECIPE, tmp_path / "out", workers=1, chunk=1, watch=end_all, callback=seen.append)
    assert len(ended) == 4
    assert (done.solved, done.failed) == (8, 0)
    assert len(seen) == len({outcome.item for outcome in seen}) == 8
    assert len(lists(tmp_path / "out")) == 8


def test_an_item_that_crashes_is_tried_alone_and_then_blamed(models, tmp_path, monkeypatch):
    recipe = plugin(tmp_path, monkeypatch, "os.kill(os.getpid(), signal.SIGSEGV)")
    done = run([*models, tmp_path / "models" / "bad.npz"], recipe, tmp_path / "out", workers=2)
    assert (done.solved, done.failed) == (8, 1)
    [bad] = [line for line in lines(tmp_path / "out") if "error" in line]
    assert (bad["item"], bad["fault"], bad["attempts"]) == ("bad.npz", "item", 3)
    assert "crashed 3 times (SIGSEGV)" in bad["error"]
    assert run([tmp_path / "models" / "bad.npz", *models], recipe, tmp_path / "out", workers=1).done_before == 8


def test_an_item_that_takes_too_long_fails_and_stops_nobody(models, tmp_path, monkeypatch):
    recipe = plugin(tmp_path, monkeypatch, "time.sleep(600)")
    done = run([*models, tmp_path / "models" / "bad.npz"], recipe, tmp_path / "out", workers=2, item_seconds=3.0)
    assert (done.solved, done.failed) == (8, 1)
    [bad] = [line for line in lines(tmp_path / "out") if "error" in line]
    assert bad["error"] == "it took longer than 3 s, the limit for one item."
    assert bad["fault"] == "item"


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory differ")
def test_an_item_that_takes_too_much_memory_fails_and_stops_nobody(models, tmp_path, monkeypatch):
    recipe = plugin(tmp_path, monkeypatch, "np.ones(2**28)")
    done = run([*models, tmp_path / "models" / "bad.npz"], recipe, tmp_path / "out", workers=2, item_memory=2**29)
    assert (done.solved, done.failed) == (8, 1)
    [bad] = [line for line in lines(tmp_path / "out") if "error" in line]
    assert bad["error"].startswith("there is not enough memory for it.")
    assert (bad["lacking"], bad["limit"]) == ("memory", 2**29)


def test_processes_that_cannot_begin_are_an_error(models, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import os\nos._exit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ValueError, match="processes end before they start work, with exit code 3"):
        run(models, RECIPE, tmp_path / "out", workers=2)
    assert lines(tmp_path / "out") == []


def test_what_was_lost_with_machines_is_tried_again_what_failed_is_not(models, tmp_path):
    """By the words of the ledger alone."""
    run(models[:1], RECIPE, tmp_path / "out", workers=1)
    ledger = tmp_path / "out" / "outcomes.jsonl"
    [line] = lines(tmp_path / "out")
    source, inputs = line["source"], line["inputs"]
    for fault, solved in (("infrastructure", 1), ("item", 0)):
        failed = Outcome(line["item"], source, "gone", fault=fault, inputs=inputs)
        ledger.write_text(json.dumps(vars(failed)) + "\n")
        assert run(models[:1], RECIPE, tmp_path / "out", workers=1).solved == solved
    assert run(models[:1], RECIPE, tmp_path / "out", workers=1, retry=True).solved == 1


@pytest.mark.parametrize(("lacking", "option"), [("seconds", "item_seconds"), ("memory", "item_memory")])
def test_an_item_that_met_a_limit_is_tried_again_if_more_is_allowed(models, tmp_path, lacking, option):
    run(models[:1], RECIPE, tmp_path / "out", workers=1)
    [line] = lines(tmp_path / "out")
    limit = 2**30
    failed = Outcome(
        line["item"], line["source"], "x", fault="item", lacking=lacking, limit=limit, inputs=line["inputs"]
    )
    for limits, solved in (({option: limit}, 0), ({option: limit // 2}, 0), ({option: 2 * limit}, 1), ({}, 1)):
        (tmp_path / "out" / "outcomes.jsonl").write_text(json.dumps(vars(failed)) + "\n")
        assert run(models[:1], RECIPE, tmp_path / "out", workers=1, **limits).solved == solved


class Fate:
    """An engine that does to every chunk what it is told."""

    def __init__(self, fates):
        self.fates, self.chunks, self.alone = fates, [], []

    def room(self):
        return 1 - len(self.chunks)

    def busy(self):
        return bool(self.chunks)

    def broken(self):
        return False

    def running(self):
        return []

    def submit(self, items, alone):
        self.chunks.append(items)
        self.alone.append((items[0].name, alone))

    def wait(self, _seconds):
        items = self.chunks.pop()
        fate = self.fates.pop(0) if self.fates else None
        if fate is None:
            return [ChunkReport([Outcome(item.name, item.source) for item in items], len(items), 0.1)]
        return [ChunkReport(lost=items[1:], suspects=items[:1], cause=fate, said="SIGKILL")]


@pytest.mark.parametrize(
    ("fates", "fault", "tries"),
    [
        (["killed"] * 5, None, 6),
        (["killed"] * 6, "infrastructure", 6),
        (["crash"] * 2, None, 3),
        (["crash"] * 3, "item", 3),
        (["error"] * 4, "infrastructure", 4),
        (["limit"], "item", 1),
        (["killed", "crash", "crash"], "item", 3),
    ],
)
def test_verdicts(fates, fault, tries, monkeypatch):
    monkeypatch.setattr("hedgehop.batch.scheduling.BACKOFF_SECONDS", 0.0)
    recorded, engine = [], Fate(fates)
    items = [Item(name, model="m") for name in ("first", "second", "third")]
    Scheduler(Chunks(iter(items), 3), recorded.extend).run(engine)
    assert sorted(outcome.item for outcome in recorded) == ["first", "second", "third"]
    [first] = [outcome for outcome in recorded if outcome.item == "first"]
    assert (first.fault, first.attempts) == (fault, tries)
    assert all(outcome.fault is None and outcome.attempts == 1 for outcome in recorded if outcome.item != "first")
    assert all(alone for name, alone in engine.alone[1:] if name == "first")


def test_tries_wait_longer_each_time(monkeypatch):
    waited = []
    monkeypatch.setattr(Chunks, "later", lambda self, item, seconds: (waited.append(seconds), self.give_back([item])))
    Scheduler(Chunks(iter([Item("a", model="m")])), [].extend).run(Fate(["killed"] * 5))
    assert waited == [0.5, 1.0, 2.0, 4.0, 8.0]
