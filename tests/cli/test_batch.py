# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop batch`` as people meet it: its words, exit codes, events, and odd terminals."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import hedgehop as hh

pytestmark = pytest.mark.slow
COUNT = 6


@pytest.fixture
def place(tmp_path):
    (tmp_path / "models").mkdir()
    for k in range(COUNT):
        scores = np.random.default_rng(k).normal(size=(24, 24, 3))
        hh.write(hh.Grid(scores, smoothness=0.4), tmp_path / "models" / f"ä{k}.npz")
    (tmp_path / "r.toml").write_text('diversity = "variables"\ntradeoff = 0.5\nm = 3\n', encoding="utf-8")
    return tmp_path


def start(place, *words, **options):
    command = [sys.executable, "-m", "hedgehop", "batch", *map(str, words)]
    return subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_events_and_status(place):
    child = start(place, "models", "-r", "r.toml", "-o", "out", "--workers", 1, "--events", "-")
    said, errors = child.communicate(timeout=200)
    events = [json.loads(line) for line in said.splitlines()]
    assert [event["event"] for event in events] == ["started", *["item"] * COUNT, "finished"]
    assert events[0]["total"] == events[-1]["done"] == COUNT
    assert "6 solved, 0 done before, 0 failed" in errors
    asked = start(place, "--status", "out", "--json").communicate(timeout=100)[0]
    [run] = json.loads(asked)["runs"]
    assert (run["state"], run["done"], run["total"]) == ("finished", COUNT, COUNT)
    asked = start(place, "--status", "out").communicate(timeout=100)[0]
    assert asked == "finished: 6 of 6 done, 0 running, 0 failed\n"
    start(place, "models", "-r", "r.toml", "-o", "parts", "--workers", 1, "--shard", "1/2").communicate(timeout=200)
    asked = start(place, "--status", "parts").communicate(timeout=100)[0]
    assert asked.startswith("1-of-2 finished: ")


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_says_how_far_it_was_and_the_same_command_continues(place):
    words = ("models", "-r", "r.toml", "-o", "out", "--workers", 1, "--chunk", 1)
    child = start(place, *words, start_new_session=True)
    ledger = place / "out" / "outcomes.jsonl"
    while child.poll() is None and not (ledger.exists() and ledger.stat().st_size):
        time.sleep(0.005)
    os.killpg(child.pid, signal.SIGINT)
    errors = child.communicate(timeout=100)[1]
    done = ledger.read_text().count("\n")
    assert child.returncode == 1
    assert errors == f"error: interrupted: {done} of {COUNT} done; the same command continues.\n"
    said = start(place, *words).communicate(timeout=200)[0]
    assert f"{COUNT - done} solved, {done} done before, 0 failed" in said


def test_terminals_that_know_only_ascii(place):
    environment = os.environ | {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    (place / "models" / "ö.npz").write_bytes(b"nonsense")
    child = start(place, "models", "-r", "r.toml", "-o", "öut", "--workers", 1, env=environment)
    said, errors = child.communicate(timeout=200)
    assert child.returncode == 1
    assert "6 solved, 0 done before, 1 failed" in said
    assert "Traceback" not in said + errors


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_full_terminal_and_a_reader_that_goes(place):
    run = [sys.executable, "-m", "hedgehop", "batch", "models", "-r", "r.toml", "-o", "out", "--workers", "1"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(run, cwd=place, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "error: No space left on device.\n")
    for words, count in (("--json",), 1), (("--json", "--shard", "9/3"), 2):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [*run, *words], cwd=place, stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert (done.returncode, done.stderr.count("\n"), done.stderr.count("error: ")) == (1, count, count)
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(run, cwd=place, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")
