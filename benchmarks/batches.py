# SPDX-License-Identifier: BSD-3-Clause
"""Batches: items a second on 1 and 2 processes and on a Dask cluster of 2 workers, memory, and what coordination costs.

Run it by hand, ``python benchmarks/batches.py``; docs/scaling.md has its table. Other work on the machine stretches the
wall clock, not the processor time.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Executor, Future
from pathlib import Path

import numpy as np

from hedgehop.batch import Manifest, Outcome, Recipe, run

RECIPE = 'diversity = "variables"\ntradeoff = 0.3\nm = 5\nsmoothness = 2.0\n'


def write_images(folder, count, height=120, width=160):
    """Write pictures of two discs under noise with scores of three labels and truths; return the manifest."""
    from PIL import Image

    from hedgehop.io import write_labels

    rows, columns = np.mgrid[0:height, 0:width]
    lines = ["image,scores,truth"]
    for k in range(count):
        rng = np.random.default_rng(k)
        truth = np.zeros((height, width), int)
        for label in (1, 2):
            row, column, radius = rng.uniform(0.2, 0.8) * height, rng.uniform(0.2, 0.8) * width, rng.uniform(15, 40)
            truth[(rows - row) ** 2 + (columns - column) ** 2 < radius**2] = label
        noise = rng.normal(0, 25, (height, width, 3))
        image = np.clip(np.array([[60, 80, 60], [200, 90, 60], [70, 90, 200]])[truth] + noise, 0, 255)
        Image.fromarray(image.astype(np.uint8)).save(folder / f"{k}.png", compress_level=1)
        scores = (np.eye(3)[truth] + rng.normal(0, 1.0, (height, width, 3))).astype(np.float32)
        np.save(folder / f"{k}.npy", scores)
        write_labels(truth, folder / f"{k}_truth.png")
        lines.append(f"{k}.png,{k}.npy,{k}_truth.png")
    (folder / "items.csv").write_text("\n".join(lines) + "\n")
    (folder / "recipe.toml").write_text(RECIPE)
    return folder / "items.csv"


def measured(manifest, name, *words):
    """Run the command; return seconds of the wall and of the processor (all its processes), and the largest memory."""
    target = manifest.parent / name
    words = ["batch", manifest, "-r", manifest.with_name("recipe.toml"), "-o", target, "--quiet", *words]
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "hedgehop", *map(str, words)])
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, f"{name} failed"
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def spent():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def on_dask(manifest):
    """Like `measured`, on a local cluster of two workers of one thread; also the scheduler's processor time."""
    import distributed

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        before, own = client.run(spent), spent()[0]
        wall, coordinator, _ = measured(manifest, "dask", "--dask", cluster.scheduler_address)
        after = client.run(spent)
        workers = sum(after[key][0] - before[key][0] for key in after)
        return wall, workers + coordinator, max(memory for _, memory in after.values()), coordinator, spent()[0] - own


class Nothing(Executor):
    """Says at once that everything is done: what is left is what coordination costs."""

    def submit(self, _work, items):
        future = Future()
        future.set_result(([Outcome(item.name, item.source, m=5, seconds=0.01) for item in items], 0.01 * len(items)))
        return future


def coordination(folder, count):
    """Processor seconds and megabytes that a run of so many items takes where nothing is solved."""
    with (folder / "many.csv").open("w") as file:
        file.write("scores,name\n")
        file.writelines(f"scores/{k:08}.npy,item_{k:08}\n" for k in range(count))
    (cpu, memory), start = spent(), time.perf_counter()
    run(Manifest(folder / "many.csv"), Recipe(), folder / "many", executor=Nothing(), workers=2)
    wall = time.perf_counter() - start
    after, peak = spent()
    return wall, after - cpu, peak - memory


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--images", type=int, default=500)
    words.add_argument("--many", type=int, default=200_000)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        manifest = write_images(folder, given.images)
        print(f"{given.images} images of 160 x 120 pixels, 3 labels, lists of 5")
        print(f"{'':<28}{'items/s':>9}{'wall s':>9}{'cpu s':>9}{'cpu ms/item':>13}{'memory MB':>11}")
        for count in (1, 2):
            tell(f"{count} processes", given.images, *measured(manifest, f"workers{count}", "--workers", count))
        wall, cpu, memory, client, scheduler = on_dask(manifest)
        tell("Dask, 2 workers", given.images, wall, cpu + scheduler, memory)
        print(f"  of which client {client:.1f} s (most of it imports), scheduler and nannies {scheduler:.1f} s")
        same = {path.name for path in (folder / "dask/lists").iterdir()}
        assert all(lists(folder / "dask", k) == lists(folder / "workers1", k) for k in same), "lists differ"
        wall, cpu, memory = coordination(folder, given.many)
        print(f"coordination of {given.many} items: {wall:.1f} s, cpu {cpu:.1f} s, {memory:.0f} MB")


def tell(name, count, wall, cpu, memory):
    print(f"{name:<28}{count / wall:>9.1f}{wall:>9.1f}{cpu:>9.1f}{1e3 * cpu / count:>13.1f}{memory:>11.0f}", flush=True)


def lists(folder, name):
    import hedgehop as hh

    return hh.load(folder / "lists" / name).labelings.tobytes()


if __name__ == "__main__":
    main()
