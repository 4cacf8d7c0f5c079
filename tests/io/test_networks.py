# SPDX-License-Identifier: BSD-3-Clause
"""wcsp, cfn, DIMACS and .npz files: what they mean, round trips, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgehop as hh
from hedgehop.io.formats.factors import factors_of
from tests.draws import draws
from tests.io.strategies import assert_same, labelings, models

WCSP = """small 3 3 5 10
2 3 2
-2 0 1 1 2
0 0 4
1 2 10
1 1 0 2
0 3
1 99
2 2 1 0 1
1 2 7
2 2 1 1 -1
0 2 0
"""
CFN = """# a comment
{ problem: { name: small, mustbe: "<10.0" }
  variables: { x: [a b], "y": 3, z: -2 }
  functions: {
    f: { scope: [x y] defaultcost: 0.5 costs: [a 0 -4.25, "b", 2, 10] }
    {"scope": ["z", 1], "costs": "g"}
    g: {"scope": [0, 1], "costs": [1, 2, "3", 4, 5, 6.5]}
    constant: { scope: [] costs: [-1] }
  } }
"""


def saved(folder, text, name):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_wcsp_costs_are_negative_scores(tmp_path):
    model = hh.read(saved(tmp_path, WCSP, "small.wcsp"))

    def cost(x, y, z):
        first = {(0, 0): 4, (1, 2): np.inf}
        return first.get((x, y), 1) + (3, np.inf, 0)[y] + (7 if (z, y) == (1, 2) else 0) + 2

    text = WCSP.replace("2 2 1 1 -1\n", "2 2 1 1 0\n")  # (x, y) and (z, y) have the same numbers of labels
    shared = hh.read(saved(tmp_path, WCSP, "shared.wcsp"))
    plain = hh.read(saved(tmp_path, text, "plain.wcsp"))
    for x, y, z in labelings(model):
        extra = {(0, 0): 4, (1, 2): np.inf}.get((z, y), 1)
        assert plain.score([x, y, z]) == -(cost(x, y, z) + 1)
        assert shared.score([x, y, z]) == -(cost(x, y, z) + extra)


def test_cfn_is_read_as_leniently_as_its_inventors_do(tmp_path):
    model = hh.read(saved(tmp_path, CFN, "small.cfn"))
    assert model.label_counts.tolist() == [2, 3, 2]
    table = np.array([[1, 2, 3], [4, 5, 6.5]])
    for x, y, z in labelings(model):
        first = {(0, 0): -4.25, (1, 2): np.inf}.get((x, y), 0.5)
        assert model.score([x, y, z]) == pytest.approx(-(first + table[z, y] + table[x, y] - 1))
    above = hh.read(saved(tmp_path, "{{p >2} [2] {[[0] [2 3]]}}", "most.cfn"))
    assert above.unary.tolist() == [[-np.inf, 3.0]]


@settings(max_examples=50, deadline=None)
@given(models())
def test_exact_formats_round_trip(tmp_path_factory, model):
    folder = tmp_path_factory.mktemp("models")
    for name in ("model.cfn", "model.cfn.xz", "model.npz"):
        hh.write(model, folder / name)
        assert_same(hh.read(folder / name), model)
    assert hh.read(folder / "model.npz") == model


@settings(max_examples=50, deadline=None)
@given(models(st.floats(-1e9, 1e9)))
def test_decimals_are_as_many_as_toulbar2_can_hold(tmp_path_factory, model):
    path = tmp_path_factory.mktemp("models") / "model.cfn"
    hh.write(model, path)
    again, rows = hh.read(path), labelings(model)
    stake = 1 + sum(np.abs(table[np.isfinite(table)]).max(initial=0) for _, table in factors_of(model))
    assert again.score(rows) == pytest.approx(model.score(rows), abs=len(model.label_counts) * 1e-14 * stake)


def test_what_has_few_decimals_keeps_every_bit(tmp_path):
    model = hh.FactorGraph([[0.1, -2.75], [1e-9, 12.5]], [[0, 1]], [[[0.3, 0.0], [-0.7, 1.25]]])
    hh.write(model, tmp_path / "model.cfn")
    assert_same(hh.read(tmp_path / "model.cfn"), model)
    with pytest.raises(ValueError, match=r"add up to less than 9e15; got 1e\+17\. Write an \.LG file instead"):
        hh.write(hh.FactorGraph([[0.0, 1e17]]), tmp_path / "large.cfn")


@settings(max_examples=50, deadline=None)
@given(models(st.sampled_from([0.0, -1.0, -7.0, -np.inf])))
def test_whole_costs_round_trip(tmp_path_factory, model):
    path = tmp_path_factory.mktemp("models") / "model.wcsp.gz"
    hh.write(model, path)
    assert_same(hh.read(path), model)


@pytest.mark.parametrize("model", [
    hh.Grid(np.arange(24, dtype=np.float32).reshape(2, 3, 4), hh.contrast(np.eye(2, 3)), 8),
    hh.Grid(np.zeros((2, 2, 2, 2)), 0.5),
    hh.Chain(np.eye(4), np.ones((4, 4))),
    hh.Chain(np.eye(3), np.arange(18.0).reshape(2, 3, 3)),
    hh.FactorGraph([[0.0, 1.0], [0.0, 2.0, 3.0]], [[1, 0]], 0.5),
    hh.FactorGraph(np.eye(3), [[1, 0], [1, 2]], np.eye(3)),
    hh.FactorGraph([[0.0]]),
])  # fmt: skip
def test_npz_keeps_every_kind_of_model(tmp_path, model):
    hh.write(model, tmp_path / "model.npz")
    again = hh.read(tmp_path / "model.npz")
    assert type(again) is type(model)
    assert again == model


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 6), st.data())
def test_the_best_labeling_of_a_flow_problem_is_a_minimum_cut(tmp_path_factory, nodes, draws):
    node = st.integers(0, nodes - 1)
    arcs = draws.draw(st.lists(st.tuples(node, node, st.integers(0, 9)), max_size=12))
    source, sink = draws.draw(st.lists(node, min_size=2, max_size=2, unique=True))
    lines = [f"a {u + 1} {v + 1} {c}" for u, v, c in arcs]
    header = ["c a comment", f"p max {nodes} {len(arcs)}", f"n {source + 1} s", f"n {sink + 1} t"]
    folder = tmp_path_factory.mktemp("flow")
    model = hh.read(saved(folder, "\n".join([*header, *lines]), "flow.max"))
    dense = np.zeros((nodes, nodes), np.int32)
    for u, v, c in arcs:
        dense[u, v] += c * (u != v)
    flow = scipy.sparse.csgraph.maximum_flow(scipy.sparse.csr_matrix(dense), source, sink).flow_value
    assert hh.best(model).value == -flow
    if not any((u, v) == (source, sink) for u, v, _ in arcs):
        hh.write(model, folder / "again.max")
    assert model.n_variables == nodes - 2


@settings(max_examples=50, deadline=None)
@given(random=draws())
def test_any_model_that_prefers_equal_labels_is_a_flow_problem(tmp_path_factory, random):
    tables = random.normal(size=(4, 2, 2))
    tables[:, 0, 0] += np.maximum(0.0, tables[:, 0, 1] + tables[:, 1, 0] - tables[:, 0, 0] - tables[:, 1, 1])
    model = hh.FactorGraph(random.normal(size=(4, 2)), [[0, 1], [1, 2], [3, 2], [0, 3]], tables)
    path = tmp_path_factory.mktemp("flow") / "flow.max"
    hh.write(model, path)
    rows = labelings(model)
    assert hh.read(path).score(rows) == pytest.approx(model.score(rows), abs=1e-7)
    arcs = [line.split() for line in path.read_text().splitlines() if line[0] == "a"]
    assert all(0 < int(words[3]) < 2**31 for words in arcs)  # whole, as other programs expect


def test_an_ordinary_grid_is_a_flow_problem(tmp_path):
    grid = hh.Grid(np.random.default_rng(0).normal(size=(5, 6, 2)), smoothness=0.3)
    hh.write(grid, tmp_path / "grid.max")
    again = hh.best(hh.read(tmp_path / "grid.max"))
    assert grid.score(again.labeling.reshape(5, 6)) == pytest.approx(hh.best(grid).value, abs=1e-6)


def test_flow_problems_round_trip(tmp_path):
    model = hh.FactorGraph([[-3.0, 0.0], [0.0, -4.0]], [[0, 1]], [[[0.0, -2.0], [-1.0, 0.0]]])
    hh.write(model, tmp_path / "flow.max")
    assert_same(hh.read(tmp_path / "flow.max"), model)


@pytest.mark.parametrize(("name", "text", "problem"), [
    ("x.wcsp", WCSP.replace("1 2 10", "1 3 10"), "line 5: a tuple must be labels of the variables"),
    ("x.wcsp", WCSP.replace("2 2 1 0 1", "2 2 2 0 1"), "line 9: a factor names variable 2 twice"),
    ("x.wcsp", WCSP.replace("1 1 0 2", "1 1 -1 salldiff"), "the cost function 'salldiff' is not supported; only"),
    ("x.wcsp", WCSP.replace("2 2 1 1 -1", "2 2 1 1 -2"), "line 11: the number of tuples must be a whole number >= -1"),
    ("x.wcsp", WCSP.replace("1 1 0 2", "1 1 0 9"), "line 6: a cost function over 3 tuples lists 9"),
    ("x.wcsp", "x 10 9 1 9\n" + "9 " * 10 + "\n10 0 1 2 3 4 5 6 7 8 9 0 0", r"would need 2\.79e\+10 bytes; a file of"),
    ("x.cfn", CFN.replace("[x y]", "[x w]"), r"line 5: a scope must name variables; there is none called .w"),
    ("x.cfn", CFN.replace("6.5]", "]"), "line 7: the table must have 6 finite costs; got 5 items"),
    ("x.cfn", CFN.replace('"g"', '"h"'), "line 6: costs name 'h', which is not a table"),
    ("x.cfn", CFN.replace("defaultcost: 0.5", "type: salldiff"), "the cost function 'salldiff' is not supported"),
    ("x.cfn", CFN.replace("[a 0", "[c 0"), "line 5: variable 0 has 2 labels; a tuple gives 'c'"),
    ("x.cfn", CFN[:-4], "a bracket is not closed"),
    ("x.cfn", "}", "line 1: a closing bracket has no opening bracket"),
    ("x.cfn", "{[p] [2] []}", 'the problem must have "mustbe"'),
    ("x.max", "p max 3 1\nn 1 s\nn 2 t\na 1 4 1", r"line 4: '4' must be a whole number 1\.\.3; got 'a 1 4 1'"),
    ("x.max", "p max 3 1\nn 1 s\nn 1 t", "must have a source, another node as sink"),
    ("x.max", "p max 3 1\nn 1 s\nn 2 t\na 1 3 -1", "line 4: a capacity must be finite and >= 0"),
    ("x.npz", b"PK\x03\x04 broken", "is not a model saved by hedgehop"),
])  # fmt: skip
def test_wrong_files_are_refused(tmp_path, name, text, problem):
    with pytest.raises(ValueError, match=problem):
        hh.read(saved(tmp_path, text, name))


@pytest.mark.parametrize(("name", "model", "problem"), [
    ("x.wcsp", hh.FactorGraph([[0.0, -0.5]]), r"holds whole scores from -9e15 to 0; got -0\.5\. Write a \.cfn file"),
    ("x.wcsp", hh.FactorGraph([[0.0, 1.0]]), r"got 1\. Write a \.cfn file"),
    ("x.max", hh.FactorGraph([[0.0, -1.0, 0.0]]), "holds models of two labels"),
    ("x.max", hh.FactorGraph([[0.0, -np.inf]]), "holds finite scores"),
    ("x.max", hh.FactorGraph(np.zeros((2, 2)), [[0, 1]], [[[0.0, 1.0], [1.0, 0.0]]]), "prefer equal labels"),
])  # fmt: skip
def test_what_a_format_cannot_hold_is_refused(tmp_path, name, model, problem):
    with pytest.raises(ValueError, match=problem):
        hh.write(model, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_evidence_belongs_to_uai_files(tmp_path):
    with pytest.raises(ValueError, match=r"evidence must be None for \.wcsp files"):
        hh.read(saved(tmp_path, WCSP, "x.wcsp"), evidence={0: 1})


def test_archives_of_models_are_bounded(tmp_path):
    hh.write(hh.FactorGraph(np.zeros((10_000, 20))), tmp_path / "zeros.npz")
    with pytest.raises(ValueError, match=r"holds more than 10000 bytes\. Pass a larger max_bytes="):
        hh.read(tmp_path / "zeros.npz", max_bytes=10_000)
