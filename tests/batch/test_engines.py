# SPDX-License-Identifier: BSD-3-Clause
"""Executors of other libraries: anything with `submit`, jobs that can only be asked whether they are done."""

import os
import signal
import sys
import threading
import time

import pytest

import hedgehop as hh
from hedgehop.batch import Recipe, run
from hedgehop.batch.engines.processes import ctrl_c_held_back
from hedgehop.batch.items import file_items
from hedgehop.batch.stores import LocalStore
from hedgehop.batch.tasks import Task
from tests.batch.folders import lines, lists

RECIPE = Recipe(diversity="variables", tradeoff="0.5", m=3)


def expected(models, tmp_path):
    root = tmp_path / "models"
    names = [path.relative_to(root).as_posix() for path in models]
    return {f"lists/{name}.npz": RECIPE.solve(hh.read(root / name)).labelings.tolist() for name in names}


class Job:
    """As submitit's: it has no condition to wait for, only `done` and `result`."""

    def __init__(self, function, *arguments):
        self.found, self.error = None, None
        self.thread = threading.Thread(target=self.run, args=(function, *arguments), daemon=True)
        self.thread.start()

    def run(self, function, *arguments):
        try:
            self.found = function(*arguments)
        except Exception as error:
            self.error = error

    def done(self):
        return not self.thread.is_alive()

    def result(self):
        self.thread.join()
        if self.error is not None:
            raise self.error
        return self.found

    def cancel(self):
        return False


class Submitit:
    """Loses the first jobs, as a cluster does whose machines fail."""

    def __init__(self, losses):
        self.losses = losses

    def submit(self, function, *arguments):
        if self.losses:
            self.losses -= 1
            return Job(self.lose)
        return Job(function, *arguments)

    @staticmethod
    def lose():
        raise RuntimeError("Job 7 failed during processing: NODE_FAIL")


def test_jobs_that_cannot_be_waited_for(models, tmp_path, monkeypatch):
    monkeypatch.setattr("hedgehop.batch.scheduling.BACKOFF_SECONDS", 0.01)
    done = run(models, RECIPE, tmp_path / "out", executor=Submitit(3), workers=1, chunk=2)
    assert (done.solved, done.failed) == (8, 0)
    assert lists(tmp_path / "out") == expected(models, tmp_path)
    assert {line["attempts"] for line in lines(tmp_path / "out")} == {1, 2}


def test_jobs_that_are_always_lost_blame_nobody(models, tmp_path, monkeypatch):
    monkeypatch.setattr("hedgehop.batch.scheduling.BACKOFF_SECONDS", 0.01)
    done = run(models[:2], RECIPE, tmp_path / "out", executor=Submitit(10**9), workers=1)
    assert done.failed == 2
    assert {line["fault"] for line in lines(tmp_path / "out")} == {"infrastructure"}
    assert "NODE_FAIL" in lines(tmp_path / "out")[0]["error"]
    assert run(models[:2], RECIPE, tmp_path / "out", executor=Submitit(0), workers=1).solved == 2


def test_loky(models, tmp_path):
    loky = pytest.importorskip("loky")
    with loky.get_reusable_executor(max_workers=2) as executor:
        done = run(models, RECIPE, tmp_path / "out", executor=executor, workers=2)
    assert done.solved == 8
    assert lists(tmp_path / "out") == expected(models, tmp_path)


def test_a_task_is_a_function_of_items(models, tmp_path):
    """As recipes for Ray and Spark use it: no runner, one item at a time."""
    task = Task(RECIPE, LocalStore(tmp_path))
    for item in file_items(models, {}):
        [outcome], _ = task([item])
        assert outcome.error is None
    assert lists(tmp_path) == expected(models, tmp_path)


def test_limits_need_processes_of_this_machine(models, tmp_path):
    with pytest.raises(ValueError, match="limits per item need processes of this machine"):
        run(models, RECIPE, tmp_path, executor=Submitit(0), item_seconds=3.0)
    with pytest.raises(ValueError, match="item_seconds must be above 0"):
        run(models, RECIPE, tmp_path, item_seconds=0.0)
    with pytest.raises(ValueError, match="results must be one of npz, parquet, zarr; got 'csv'"):
        run(models, RECIPE, tmp_path, results="csv")


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_is_held_back_beside_threads_that_hear_it():
    """The system may give a signal to any thread, such as those of numpy; Python then interrupts the main thread."""
    done, idle = [], threading.Event()

    def work():
        with ctrl_c_held_back():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            done.append("all of it")

    thread = threading.Thread(target=idle.wait)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        idle.set()
        thread.join()
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
