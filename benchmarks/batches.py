# SPDX-License-Identifier: BSD-3-Clause
"""Batches: items per second and CPU time on processes, loky and Dask, for images and for very small chains.

``python benchmarks/batches.py`` prints a table in two or three minutes; ``--markdown docs/scaling.md`` also writes it
there.
Other work on the machine stretches the wall clock, and CPU times by up to a half.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Executor, Future
from pathlib import Path

import numpy as np

from hedgehop.batch import Manifest, Outcome, Recipe, run

# A small process starts the command: the memory of a process counts what its parent had when it was started.
USED = """
import json, os, subprocess, sys
_, status, used = os.wait4(subprocess.Popen(sys.argv[1:]).pid, 0)
print(json.dumps([status, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""
MARKS = re.compile(r"(<!-- batches: [^\n]*-->)\n.*?(<!-- end of batches -->)", re.S)
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


def write_chains(folder, count, length=100, labels=5):
    """Write very small models and two recipes, with a bound and without; return the folder of the models."""
    import hedgehop as hh

    models = folder / "chains"
    models.mkdir()
    for k in range(count):
        rng = np.random.default_rng(k)
        hh.write(hh.Chain(rng.normal(size=(length, labels)), rng.normal(size=(labels, labels))), models / f"{k}.npz")
    (folder / "bound.toml").write_text("m = 5\ntradeoff = 0.3\n")
    (folder / "list.toml").write_text("m = 5\ntradeoff = 0.3\ncertify = false\n")
    return models


def command(items, recipe, target, *words):
    return [sys.executable, "-m", "hedgehop", "batch", items, "-r", recipe, "-o", target, "--quiet", *words]


def with_loky(items, recipe, target):
    return [sys.executable, __file__, "--loky", items, recipe, target]


def compile_once(folder):
    """Let processes find compiled modules, as they do where a package is installed, whatever the environment says."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    measured(
        [sys.executable, "-c", "import hedgehop.batch.tasks, hedgehop.cli.batch, loky, distributed, pyarrow.parquet"]
    )


def measured(words):
    """Run a command; return seconds of the wall and of the processor (all its processes), and the largest memory."""
    start = time.perf_counter()
    said = subprocess.run([sys.executable, "-c", USED, *map(str, words)], stdout=subprocess.PIPE, text=True, check=True)
    status, cpu, memory = json.loads(said.stdout.splitlines()[-1])
    assert status == 0, f"{words} failed"
    return time.perf_counter() - start, cpu, memory / 1024


def spent():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def on_dask(items, recipe, target):
    """Like `measured`, on a local cluster of two workers of one thread, scheduler and nannies included."""
    import distributed

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        before, own = client.run(spent), spent()[0]
        wall, coordinator, _ = measured(command(items, recipe, target, "--dask", cluster.scheduler_address))
        after = client.run(spent)
        workers = sum(after[key][0] - before[key][0] for key in after)
        return wall, workers + coordinator + spent()[0] - own, max(memory for _, memory in after.values())


def on_loky(items, recipe, target):
    """What `with_loky` starts: a script that passes an executor of loky."""
    import loky

    sources = Manifest(items) if items.endswith(".csv") else sorted(Path(items).iterdir())
    with loky.ProcessPoolExecutor(max_workers=2) as executor:
        run(sources, Recipe.read(recipe), target, executor=executor, workers=2)


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


def rows(folder, images, chains, many):
    """Yield the rows of the table: what, engine, items per second, CPU ms per item, MB of the largest process."""
    manifest, recipe = write_images(folder, images), folder / "recipe.toml"
    about = f"{images} images of 160 x 120 pixels"
    compile_once(folder)
    for count in (1, 2):
        used = measured(command(manifest, recipe, folder / f"images{count}", "--workers", count))
        yield row(about, "1 process" if count == 1 else "2 processes", images, *used)
    yield row(about, "loky, 2 workers", images, *measured(with_loky(manifest, recipe, folder / "images_loky")))
    yield row(about, "Dask, 2 workers", images, *on_dask(manifest, recipe, folder / "images_dask"))
    for name in ("images2", "images_loky", "images_dask"):
        assert lists(folder / name) == lists(folder / "images1"), "lists differ"
    models, bound, plain = write_chains(folder, chains), folder / "bound.toml", folder / "list.toml"
    about, two, rest = f"{chains} chains", ("--workers", 2), ("--results", "parquet")
    used = measured(command(models / "0.npz", bound, folder / "one", *two))
    yield row("1 chain: start and end alone", "2 processes", 1, *used)
    yield row(about, "2 processes", chains, *measured(command(models, bound, folder / "a", *two)))
    yield row(f"{about}, no bound", "2 processes", chains, *measured(command(models, plain, folder / "b", *two)))
    measured(command(models / "0.npz", bound, folder / "one_parquet", *two, *rest))  # compiles what pyarrow imports
    yield row(f"{about}, Parquet", "2 processes", chains, *measured(command(models, bound, folder / "c", *two, *rest)))
    used = measured(command(models, plain, folder / "d", *two, *rest))
    yield row(f"{about}, Parquet, no bound", "2 processes", chains, *used)
    yield row(about, "loky, 2 workers", chains, *measured(with_loky(models, bound, folder / "chains_loky")))
    yield row(about, "Dask, 2 workers", chains, *on_dask(models, bound, folder / "chains_dask"))
    yield row(f"coordination of {many} items", "none", many, *coordination(folder, many))


def row(what, engine, count, wall, cpu, memory):
    return f"| {what} | {engine} | {count / wall:.1f} | {1e3 * cpu / count:.3g} | {memory:.0f} |"


def lists(folder):
    import hedgehop as hh

    return {path.name: hh.load(path).labelings.tobytes() for path in (folder / "lists").iterdir()}


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--images", type=int, default=300)
    words.add_argument("--chains", type=int, default=1000)
    words.add_argument("--many", type=int, default=100_000)
    words.add_argument("--markdown", type=Path, help="document with the marks between which the table goes")
    words.add_argument("--loky", nargs=3, help=argparse.SUPPRESS)
    given = words.parse_args()
    if given.loky:
        on_loky(*given.loky)
        return
    table = ["| items | engine | items per second | CPU ms per item | largest process, MB |", "|---|---|---|---|---|"]
    print("\n".join(table), flush=True)
    with tempfile.TemporaryDirectory() as name:
        for line in rows(Path(name), given.images, given.chains, given.many):
            print(line, flush=True)
            table.append(line)
    if given.markdown:
        text = given.markdown.read_text(encoding="utf-8")
        filled = MARKS.sub(lambda found: "\n".join([found[1], *table, found[2]]), text)
        given.markdown.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main()
