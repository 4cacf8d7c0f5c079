# SPDX-License-Identifier: BSD-3-Clause
"""Networks of toulbar2: read, evaluated against the text, and bounded against what is known."""

from __future__ import annotations

import lzma

import numpy as np
import pytest

import hedgehop as hh

SIZES = {
    "1aho.cfn.gz": (64, 544, 0),
    "505.wcsp.xz": (240, 1476, 526),
    "GeomSurf-7-gm256.uai.xz": (787, 2180, 560),
    "celar6sub0.wcsp": (32, 223, 0),
    "network.uai": (120, 20, 90),
    "pedigree1.wcsp": (334, 116, 127),
}


@pytest.mark.parametrize("name", SIZES)
def test_networks_are_read(data, name):
    model = hh.read(data / "toulbar2" / name)
    assert (model.n_variables, len(model.edges), len(model.cliques)) == SIZES[name]


def wcsp_cost(text, labelings):
    """Costs of labelings straight from the text, tuple by tuple; inf from the top on."""
    words = iter(text.split()[1:])
    n, _, functions, top = (int(next(words)) for _ in range(4))
    [next(words) for _ in range(n)]
    total = np.zeros(len(labelings))
    for _ in range(functions):
        scope = [int(next(words)) for _ in range(int(next(words)))]
        default, count = int(next(words)), int(next(words))
        tuples = {tuple(int(next(words)) for _ in scope): int(next(words)) for _ in range(count)}
        costs = [tuples.get(tuple(y[scope]), default) for y in labelings]
        total += [np.inf if cost >= top else float(cost) for cost in costs]
    return total


@pytest.mark.parametrize("name", [n for n in SIZES if "wcsp" in n])
def test_costs_are_those_of_the_text(data, name):
    file = data / "toulbar2" / name
    content = file.read_bytes()
    text = (lzma.decompress(content) if name.endswith("xz") else content).decode()
    model = hh.read(file)
    rows = np.random.default_rng(0).integers(0, model.label_counts, (20, model.n_variables))
    rows[0] = 0
    assert -model.score(rows) == pytest.approx(wcsp_cost(text, rows))


def test_a_frequency_assignment_is_bounded_by_its_known_optimum(data):
    step = hh.best(hh.read(data / "toulbar2" / "celar6sub0.wcsp"), oracle="trws")
    assert step.value <= -159 <= step.upper_bound
