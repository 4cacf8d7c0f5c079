# SPDX-License-Identifier: BSD-3-Clause
"""Batches on a Dask cluster, and kill -9 at random moments: each item once, lists as if nothing had happened."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hunt.kills import Cluster

import hedgehop as hh
from hedgehop.batch import Recipe, run
from hedgehop.batch.engines.executors import dask_executor
from tests.batch.folders import count_lines, lines, lists

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals differ"),
    pytest.mark.filterwarnings("ignore"),  # Dask's own
]
THOROUGH = bool(os.environ.get("HEDGEHOP_THOROUGH"))
VICTIMS = ("batch", "worker", "client")
KILLS = {"batch": 8, "worker": 6, "client": 6} if THOROUGH else dict.fromkeys(VICTIMS, 1)
COUNT = 16
RECIPE = Recipe(diversity="variables", tradeoff="0.5", m=4)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for k in range(COUNT):
        scores = np.random.default_rng(k).normal(size=(24, 25, 3))
        hh.write(hh.Grid(scores, smoothness=0.4), folder / f"grid{k}.npz")
    (folder / "recipe.toml").write_text('diversity = "variables"\ntradeoff = 0.5\nm = 4\n')
    return folder


@pytest.fixture(scope="module")
def expected(models):
    return {f"lists/{path.name}.npz": RECIPE.solve(hh.read(path)).labelings.tolist() for path in models.glob("*.npz")}


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as started:
        yield started


def start(models, target, *words):
    command = [sys.executable, "-m", "hedgehop", "batch", models, "-r", models / "recipe.toml", "-o", target, *words]
    return subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def wait_for_lines(process, target, wanted, then):
    while process.poll() is None and count_lines(target) < wanted:
        time.sleep(0.001)
    time.sleep(then)


@pytest.mark.slow
@pytest.mark.parametrize("victim", VICTIMS)
def test_killed_at_random_moments_it_ends_as_if_undisturbed(victim, models, expected, cluster, tmp_path):
    rng = np.random.default_rng(VICTIMS.index(victim))
    words = ("--workers", 2) if victim == "batch" else ("--dask", cluster.scheduler_address)
    kills, done = 0, False
    while not done or kills < KILLS[victim]:
        if done and count_lines(tmp_path) == COUNT:  # all was done before enough was killed: begin anew
            check(tmp_path, expected)
            for file in (tmp_path / "outcomes.jsonl", tmp_path / "recipe.json"):
                file.unlink()
        process = start(models, tmp_path, *words, "--chunk", 1, "--quiet")
        if kills < KILLS[victim]:
            wait_for_lines(process, tmp_path, count_lines(tmp_path) + int(rng.integers(0, 8)), rng.uniform(0, 0.05))
            kills += 1
            if victim == "worker":
                os.kill(list(cluster.workers.values())[int(rng.integers(2))].pid, signal.SIGKILL)
            else:
                process.kill()
        said = process.communicate(timeout=120)[1]
        done = process.returncode == 0
        if victim == "worker":
            assert done, said  # another worker takes over
    check(tmp_path, expected)


def check(folder, expected):
    assert lists(folder) == expected
    items = [line["item"] for line in lines(folder)]
    assert len(items) == len(set(items)) == COUNT
    assert not (folder / ".unfinished").exists()


def test_a_cluster_that_goes_away_is_said_and_the_rest_is_done_later(models, expected, tmp_path, monkeypatch):
    monkeypatch.setattr("hedgehop.batch.runner._RECONNECT_SECONDS", 0.0)
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
        ) as cluster,
    ):

        def end(_outcome):
            cluster.close()

        with pytest.raises(ValueError, match="the executor broke with"):
            run(models.glob("*.npz"), RECIPE, tmp_path, executor=cluster.scheduler_address, chunk=1, callback=end)
    done = count_lines(tmp_path)
    assert 0 < done < COUNT
    assert run(models.glob("*.npz"), RECIPE, tmp_path, workers=1).solved == COUNT - done
    check(tmp_path, expected)


@pytest.mark.slow
def test_a_scheduler_that_is_restarted_is_found_again(models, expected, tmp_path):
    """Scheduler, worker and batch in separate processes; all but the batch are killed after the first result."""
    cluster = Cluster()
    cluster.keep()
    process = start(models, tmp_path, "--dask", cluster.address, "--chunk", 1)
    try:
        wait_for_lines(process, tmp_path, 1, 0.0)
        for name in list(cluster.processes):
            cluster.kill(name)
        cluster.keep()
        said = process.communicate(timeout=200)[1]
    finally:
        process.kill()
        cluster.close()
    assert process.returncode == 0, said
    check(tmp_path, expected)


def test_no_scheduler_is_a_sentence():
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(ValueError, match="there is no Dask scheduler at 'tcp:"),
        dask_executor("tcp://127.0.0.1:1"),
    ):
        pass
