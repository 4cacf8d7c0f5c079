# SPDX-License-Identifier: BSD-3-Clause
"""Files mean the same to toulbar2: costs of given labelings, and the best one. Runs where pytoulbar2 is installed."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import hedgehop as hh

pytest.importorskip("pytoulbar2")
EVALUATE = """
import json, pytoulbar2, sys
for labeling in json.load(sys.stdin):  # a network is solved once only
    network = pytoulbar2.CFN(verbose=-1)
    network.Read(sys.argv[1])
    try:
        for variable, label in enumerate(labeling):
            network.Assign(variable, label)
        found = network.Solve()
    except pytoulbar2.pytb2.Contradiction:
        found = None
    print("cost", json.dumps(None if found is None else found[1]))
"""


def costs_by_peer(path, labelings):
    """Costs of labelings, infinite for forbidden ones; of no labels at all: the least cost."""
    child = subprocess.run(
        [sys.executable, "-c", EVALUATE, str(path)],
        input=json.dumps(labelings), capture_output=True, text=True, check=True, timeout=100,
    )  # fmt: skip
    costs = [json.loads(line[5:]) for line in child.stdout.splitlines() if line.startswith("cost ")]
    return np.array([np.inf if cost is None else cost for cost in costs])


def some_model(seed):
    random = np.random.default_rng(seed)
    unary = random.integers(-9, 1, (5, 3)).astype(float)
    unary[0, 1] = -np.inf
    tables = random.integers(-9, 1, (4, 3, 3)).astype(float)
    tables[0, 2, 2] = -np.inf
    clique = ([0, 2, 3], random.integers(-9, 1, (3, 3, 3)).astype(float))
    return hh.FactorGraph(unary, [[0, 1], [1, 2], [3, 4], [0, 4]], tables, [clique])


@pytest.mark.parametrize("suffix", ["wcsp", "cfn", "cfn.gz"])
def test_files_written_here_mean_the_same_there(suffix, tmp_path):
    model, path = some_model(0), tmp_path / f"model.{suffix}"
    hh.write(model, path)
    random = np.random.default_rng(1)
    rows = random.integers(0, 3, (8, 5))
    rows[0] = [1, 0, 0, 0, 0]  # forbidden
    costs = costs_by_peer(path, [*rows.tolist(), []])
    assert costs[:-1] == pytest.approx(-model.score(rows))
    assert costs[-1] == pytest.approx(-hh.best(model).value)


def ordinary(seed):
    """Scores as people have them: floats of any sign, Potts strengths, a forbidden label and pair."""
    random = np.random.default_rng(seed)
    unary, tables = random.normal(size=(6, 3)), random.normal(size=(6, 3, 3))
    unary[1, 2], tables[2, 0, 1] = -np.inf, -np.inf
    clique = ([0, 2, 4], random.normal(size=(3, 3, 3)))
    return hh.FactorGraph(unary, [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [0, 5]], tables, [clique])


SOLVE = """
import json, pytoulbar2, sys
network = pytoulbar2.CFN(verbose=-1)
network.Read(sys.argv[1])
print("best", json.dumps(list(network.Solve()[0])))
"""


@pytest.mark.parametrize("suffix", ["uai", "uai.gz", "uai.xz", "LG", "LG.gz", "LG.xz", "cfn", "cfn.gz", "cfn.xz"])
@pytest.mark.parametrize("seed", range(3))
def test_models_of_ordinary_scores_have_the_same_best_labeling_there(suffix, seed, tmp_path):
    model, path = ordinary(seed), tmp_path / f"model.{suffix}"
    hh.write(model, path)
    child = subprocess.run([sys.executable, "-c", SOLVE, str(path)], capture_output=True, text=True, timeout=100)
    found = [json.loads(line[5:]) for line in child.stdout.splitlines() if line.startswith("best ")]
    assert len(found) == 1, child.stdout + child.stderr
    assert model.score(found[0]) == pytest.approx(hh.best(model).value, abs=1e-6)


@pytest.mark.parametrize("name", ["celar6sub0.wcsp", "1aho.cfn.gz", "pedigree1.wcsp"])
def test_files_from_elsewhere_mean_the_same_here(data, name):
    path = data / "toulbar2" / name
    model = hh.read(path)
    rows = np.random.default_rng(0).integers(0, model.label_counts, (3, model.n_variables))
    rows[0] = model.unary.argmax(axis=1)
    assert costs_by_peer(path, rows.tolist()) == pytest.approx(-model.score(rows), rel=1e-9)
