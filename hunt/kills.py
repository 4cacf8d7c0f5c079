# SPDX-License-Identifier: BSD-3-Clause
"""Batches whose processes are killed: every item exactly once, nothing torn, nobody blamed.

``python -m hunt.kills --kills 100`` ends the runner, its processes, Dask workers, the Dask scheduler and the Dask
client with kill -9, after the first result, and resumes each time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import hedgehop as hh
from hedgehop.batch import Recipe

VICTIMS = ("runner", "worker", "dask worker", "scheduler", "client")
RECIPE = Recipe(diversity="variables", tradeoff="0.5", m=4)


class Cluster:
    """A Dask scheduler and two workers in processes of their own, which are started again whenever they end."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def keep(self) -> None:
        """Start what is not running."""
        words = {"scheduler": ["scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"]}
        worker = ["worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60"]
        words |= {"worker 1": worker, "worker 2": worker}
        for name, arguments in words.items():
            if name not in self.processes or self.processes[name].poll() is not None:
                command = [sys.executable, "-m", "dask", *arguments]
                self.processes[name] = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, name: str) -> None:
        self.processes[name].kill()
        self.processes[name].wait()

    def close(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()


def count(folder: Path) -> int:
    file = folder / "outcomes.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def children(pid: int) -> list[int]:
    """Processes that solve items for a runner."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            found += [int(word) for word in (task / "children").read_text().split()]
        except OSError:
            continue
    return [child for child in found if "spawn_main" in _command(child)]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def write_models(folder: Path, items: int, size: int) -> dict[str, list]:
    """Write small grids; return the lists that they must have."""
    (folder / "recipe.toml").write_text('diversity = "variables"\ntradeoff = 0.5\nm = 4\n')
    expected = {}
    for k in range(items):
        grid = hh.Grid(np.random.default_rng(k).normal(size=(size, size, 3)), smoothness=0.4)
        hh.write(grid, folder / f"grid{k}.npz")
        expected[f"grid{k}.npz"] = RECIPE.solve(grid).labelings.tolist()
    return expected


def strike(victim: str, process: subprocess.Popen[bytes], cluster: Cluster | None, dice: random.Random) -> bool:
    """Kill a victim; return whether there was one."""
    if victim in ("runner", "client"):
        if process.poll() is not None:
            return False
        process.kill()
        process.wait()
        return True
    if victim == "worker":
        alive = children(process.pid) if process.poll() is None else []
        if alive:
            os.kill(dice.choice(alive), signal.SIGKILL)
        return bool(alive)
    assert cluster is not None
    if process.poll() is not None:
        return False
    cluster.kill("scheduler" if victim == "scheduler" else dice.choice(["worker 1", "worker 2"]))
    return True


def round_of(victim: str, folder: Path, most: int, cluster: Cluster | None, dice: random.Random) -> tuple[int, str]:
    """One batch with at most so many kills; return how many there were, and what its last run said."""
    target, kills = folder / "out", 0
    engine = ["--workers", "2"] if cluster is None else ["--dask", cluster.address]
    words = ["batch", folder / "models", "-r", folder / "models" / "recipe.toml", "-o", target, "--chunk", "1", *engine]
    command = [sys.executable, "-m", "hedgehop", *map(str, words)]
    wanted, said = 1, ""
    while True:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        start = count(target)
        while process.poll() is None:
            if cluster is not None:
                cluster.keep()
            if kills < most and count(target) >= max(wanted, start + 1):
                time.sleep(dice.uniform(0, 0.05))
                kills += strike(victim, process, cluster, dice)
                wanted = count(target) + dice.randint(1, 4)
            time.sleep(0.005)
        said = process.communicate()[1].decode()
        if process.returncode == 0:
            return kills, said
        if process.returncode > 0:  # it ended by itself: a sentence, and the next run goes on
            print(f"    {victim}: {said.strip()[-200:]}", flush=True)


def problems(target: Path, expected: dict[str, list]) -> list[str]:
    """What is wrong with the results."""
    lines = [json.loads(line) for line in (target / "outcomes.jsonl").read_text().splitlines()]
    times = Counter(line["item"] for line in lines)
    found = [f"{item} is there {n} times" for item, n in times.items() if n != 1]
    found += [f"{item} is missing" for item in expected if item not in times]
    found += [f"{line['item']} is blamed: {line['error']}" for line in lines if line.get("error")]
    for item, labelings in expected.items():
        if hh.load(target / "lists" / f"{item}.npz").labelings.tolist() != labelings:
            found.append(f"{item} has another list")
    found += [f"{path.name} is left" for path in target.glob(".unfinished*")]
    return found


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--kills", type=int, default=100)
    given.add_argument("--victim", choices=VICTIMS, action="append")
    given.add_argument("--items", type=int, default=30)
    given.add_argument("--size", type=int, default=32)
    given.add_argument("--seed", type=int, default=1)
    words = given.parse_args()
    dice, wrong, total = random.Random(words.seed), 0, 0
    victims = words.victim or list(VICTIMS)
    shares = {
        victim: words.kills // len(victims) + (k < words.kills % len(victims)) for k, victim in enumerate(victims)
    }
    for victim, share in shares.items():
        done = rounds = 0
        while done < share:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                (folder / "models").mkdir()
                expected = write_models(folder / "models", words.items, words.size)
                cluster = None if victim in ("runner", "worker") else Cluster()
                try:
                    kills, _ = round_of(victim, folder, min(10, share - done), cluster, dice)
                finally:
                    if cluster is not None:
                        cluster.close()
                found = problems(folder / "out", expected)
                done, rounds, wrong = done + kills, rounds + 1, wrong + len(found)
                print(f"{victim}: {kills} kills, {words.items} items, {found or 'all once'}", flush=True)
        total += done
        print(f"{victim}: {done} kills in {rounds} batches", flush=True)
    print(f"{total} kills, {wrong} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
