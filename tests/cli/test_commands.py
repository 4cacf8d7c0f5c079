# SPDX-License-Identifier: BSD-3-Clause
"""Every command as a new user meets it: answers, JSON, silence, sentences for mistakes, exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import metadata

import numpy as np
import pytest
from typer.testing import CliRunner

import hedgehop as hh
from hedgehop.cli import doctor, options
from hedgehop.cli.app import app
from hedgehop.cli.output import plain

COMMANDS = ("solve", "segment", "convert", "show", "batch", "tune", "demo", "reproduce", "bench", "doctor")


def run(*words):
    """Run a command; nothing but an exit may come out of it."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert isinstance(done.exception, (SystemExit, type(None))), done.exception
    return done


@pytest.fixture
def grid(tmp_path):
    scores = np.random.default_rng(0).normal(size=(5, 6, 3))
    hh.write(hh.Grid(scores, smoothness=0.4), tmp_path / "grid.npz")
    return tmp_path / "grid.npz"


@pytest.fixture
def saved(grid):
    file = grid.with_name("list.npz")
    assert run("solve", grid, "-m", 3, "-d", "variables", "-o", file).exit_code == 0
    return file


def test_solve_prints_the_table_and_keeps_the_list_that_python_finds(grid):
    file = grid.with_name("list.npz")
    done = run("solve", grid, "-m", 3, "--diversity", "hamming:0.5", "--tradeoff", 2, "--out", file)
    assert done.exit_code == 0
    expected = hh.diverse(hh.read(grid), hh.HammingBall(gamma=0.5), m=3, tradeoff=2.0)
    found = hh.load(file)
    assert np.array_equal(found.labelings, expected.labelings)
    assert found.objective == expected.objective
    assert done.stdout.startswith("3 of 3 labelings different, any two in at least ")
    assert "Lemma 2" not in done.stdout
    assert "Lemma 2" in run("solve", grid, "-m", 3, "--verbose").stdout
    assert f"wrote {file}" in done.stdout
    assert done.stderr == ""


def test_solve_passes_its_options_on(grid):
    words = ("--method", "distorted", "--min-distance", 0.2, "--refine", "--oracle", "ilp", "-t", "per-variable:0.1")
    done = run("solve", grid, "-m", 2, "-d", "0.5*labels:sqrt:ignore=+hamming:0.1", *words, "--json")
    answer = json.loads(done.stdout)
    assert answer["method"] == "distorted, refined"
    assert answer["tradeoff"] == pytest.approx(3.0)
    assert answer["oracles"] == ["ilp", "ilp"]
    assert answer["diversity"].startswith("0.5 * LabelCoverage(h='sqrt'")
    labelings = np.array(answer["labelings"])
    assert (labelings[0] != labelings[1]).sum() >= 6
    assert answer["objective"] <= answer["upper_bound"]


def test_solve_certifies_as_much_as_it_is_told(grid):
    words, bounds = ("solve", grid, "-m", 3, "-d", "variables", "-t", 1, "--json"), {}
    for certify in ("off", "auto", "30"):
        bounds[certify] = json.loads(run(*words, "--certify", certify).stdout)["upper_bound"]
    assert bounds["off"] > bounds["auto"] > bounds["30"]
    for wrong in ("yes", "0", "-1"):
        done = run(*words, "--certify", wrong)
        assert done.exit_code == 2
        assert "must be auto, off or a number of steps" in " ".join(done.stderr.replace("│", " ").split())


def test_solve_says_how_likely_labelings_are(grid, tmp_path):
    words = ("solve", grid, "-m", 2, "--json", "--force", "-o", tmp_path / "list.npz")
    assert "probabilities" not in json.loads(run(*words).stdout)
    sure = {t: json.loads(run(*words, "--temperature", t).stdout)["probabilities"] for t in ("0.01", "100")}
    assert sum(sure["100"]) == pytest.approx(1.0)
    assert max(sure["0.01"]) > max(sure["100"])
    shown = json.loads(run("show", tmp_path / "list.npz", "--json").stdout)
    assert shown["probabilities"] == pytest.approx(sure["100"])
    assert 0.0 <= shown["none_of_these"] <= 1.0
    assert 0.3 < shown["mean_sure"] <= 1.0
    assert 0.0 < shown["mean_entropy"] < np.log(3.0)
    assert "likely" in run("solve", grid, "-m", 2, "--probabilities").stdout
    assert "temperature must be > 0" in run(*words, "--temperature", "0").stderr


def test_repeated_labelings_are_allowed_or_not(grid):
    words = ("solve", grid, "-m", 3, "-d", "variables", "-t", 0, "--json")
    assert json.loads(run(*words).stdout)["distinct"] == 1
    assert json.loads(run(*words, "--distinct").stdout)["distinct"] == 3


def test_json_with_a_file_leaves_the_labelings_there(grid):
    answer = json.loads(run("solve", grid, "--json", "-o", grid.with_name("list.npz")).stdout)
    assert "labelings" not in answer
    assert answer["out"] == str(grid.with_name("list.npz"))


def test_a_time_limit_keeps_the_list_so_far_and_is_no_failure(grid):
    done = run("solve", grid, "-m", 9, "-t", 1, "--time-limit", 1e-9, "-o", grid.with_name("list.npz"))
    assert done.exit_code == 0
    assert "only 1 of 9 labelings were found: the time limit is over" in done.stderr
    assert len(hh.load(grid.with_name("list.npz"))) == 1
    assert json.loads(run("solve", grid, "-m", 1, "--time-limit", 1e-9, "--json").stdout)["m"] == 1
    assert "time_limit" in run("solve", grid, "--time-limit", 0).stderr


def test_a_time_limit_ends_steps_and_the_search_for_a_tradeoff(tmp_path):
    """Of a model whose integer program has no end in sight."""
    random = np.random.default_rng(0)
    cliques = [(random.choice(40, 3, replace=False), random.normal(size=(3, 3, 3))) for _ in range(300)]
    hh.write(hh.FactorGraph(np.zeros((40, 3)), cliques=cliques), tmp_path / "hard.npz")
    for tradeoff in ("1", "auto", "target:0.9"):
        done = run("solve", tmp_path / "hard.npz", "-m", 4, "-t", tradeoff, "--time-limit", 0.8, "--json")
        answer = json.loads(done.stdout)
        assert 1 <= answer["m"] <= 4
        assert answer["tradeoff"] > 0
        assert answer["objective"] <= (answer["upper_bound"] or np.inf)


NETWORK = """{"problem": {"name": "pets", "mustbe": "<100"},
 "variables": {"pet": ["cat", "dog"], "house": ["big", "small", "none"], "count": 2},
 "functions": {"a": {"scope": ["pet"], "costs": [3, 1]}, "b": {"scope": ["house"], "costs": [2, 0, 9]},
               "c": {"scope": ["pet", "house"], "costs": [0, 5, 0, 5, 0, 0]}, "d": {"scope": [2], "costs": [0, 1]}}}"""


@pytest.fixture
def network(tmp_path):
    (tmp_path / "pets.cfn").write_text(NETWORK)
    return tmp_path / "pets.cfn"


def test_names_are_kept_and_costs_are_explained(network):
    done = run("solve", network, "-m", 2, "-t", 1)
    assert done.exit_code == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["pet", "house", "count"] in lines
    assert ["1", "dog", "small", "0"] in lines
    assert "holds costs; relevance is the negated cost" in done.stdout
    answer = json.loads(run("solve", network, "-m", 2, "-t", 1, "--json").stdout)
    assert answer["named_labelings"][0] == ["dog", "small", "0"]
    assert (answer["relevance"][0], answer["costs"]) == (-1.0, True)
    scores = network.with_name("scores.cfn")
    scores.write_text(NETWORK.replace("<100", ">-100"))
    assert "holds costs" not in run("solve", scores, "-m", 1).stdout


def test_all_labelings_go_into_a_table(network):
    table = network.with_name("list.csv")
    done = run("solve", network, "-m", 3, "--distinct", "-t", 0, "-o", table)
    assert f"wrote {table}: all 3 labelings" in done.stdout
    assert ["1", "dog", "small", "0"] in [line.split() for line in done.stdout.splitlines()]
    lines = table.read_text().splitlines()
    assert lines[:2] == ["labeling,score,pet,house,count", "1,-1.0,dog,small,0"]
    assert len(lines) == 4
    best = run("solve", network, "-m", 3, "-o", network.with_name("best.MAP"))
    assert "the best labeling; .npz and .csv files hold all of them" in best.stdout


def test_names_pass_from_one_network_to_another(network):
    copy = network.with_name("copy.cfn.gz")
    assert run("convert", network, copy).exit_code == 0
    assert json.loads(run("solve", copy, "-m", 1, "--json").stdout)["named_labelings"] == [["dog", "small", "0"]]


def test_nothing_is_replaced_unasked(network, saved, examples):
    cases = [
        ("convert", network, network.with_name("net.uai")),
        ("solve", network, "-o", network.with_name("answer.npz")),
        ("show", saved, "-o", saved.with_name("sheet.svg")),
        ("tune", examples, "-d", "linear", "-t", "1", "-m", 2, "-o", examples.with_name("best.toml")),
    ]
    for words in cases:
        words[-1].write_bytes(b"mine")
        done = run(*words)
        assert done.exit_code == 1
        assert f"{words[-1]} already exists. Pass --force to replace it." in done.stderr
        assert words[-1].read_bytes() == b"mine"
        assert run(*words, "--force").exit_code == 0
        assert words[-1].read_bytes() != b"mine"


def test_a_person_is_asked(network, monkeypatch):
    target, asked = network.with_name("net.uai"), []
    target.write_text("mine")
    monkeypatch.setattr(options, "_is_at_terminal", lambda _out: True)
    for agrees in (False, True):
        monkeypatch.setattr(options.typer, "confirm", lambda text, agrees=agrees, **_: asked.append(text) or agrees)
        assert run("convert", network, target).exit_code == (0 if agrees else 1)
        assert (target.read_text() == "mine") != agrees
    assert asked == [f"{target} already exists. Replace it?"] * 2


def test_a_source_is_never_replaced(network, saved):
    before = network.read_bytes(), saved.read_bytes()
    link = network.with_name("link.cfn")
    link.symlink_to(network)
    for words in (
        ("convert", network, link),
        ("solve", saved.with_name("grid.npz"), "-o", saved.with_name("grid.npz")),
    ):
        done = run(*words, "--force")
        assert done.exit_code == 1
        assert "is read by this command and must not be replaced" in done.stderr
    assert (network.read_bytes(), saved.read_bytes()) == before


def test_a_dash_is_stdin_and_stdout(network):
    def pipe(*words, given):
        return CliRunner().invoke(app, [str(word) for word in words], input=given)

    text = network.read_bytes()
    made = pipe("convert", "-", "-", "--from", "cfn", "--to", "uai", given=text)
    assert made.exit_code == 0, made.stderr
    assert made.stdout.startswith("MARKOV\n3\n2 3 2\n")
    assert "wrote stdout" in made.stderr
    found = pipe("solve", "-", "--from", "uai", "-m", 2, "-t", 1, "-o", "-", given=made.stdout_bytes)
    assert found.exit_code == 0
    assert "steps proven optimal" in found.stderr
    shown = pipe("show", "-", "--json", given=found.stdout_bytes)
    assert json.loads(shown.stdout)["relevance"][0] == pytest.approx(-1.0)
    table = pipe("solve", "-", "--from", "cfn", "-m", 1, "-o", "-", "--to", "csv", given=text)
    assert table.stdout == "labeling,score,pet,house,count\n1,-1.0,dog,small,0\n"
    assert "--from" in pipe("solve", "-", given=text).stderr
    assert "stdin, line 1" in pipe("solve", "-", "--from", "cfn", given=b"{").stderr
    assert "both --json and '-' need stdout" in pipe("solve", network, "-o", "-", "--json", given=b"").stderr


def test_a_list_differs_unless_its_tradeoff_decides(grid):
    assert json.loads(run("solve", grid, "-m", 4, "--json").stdout)["distinct"] == 4
    assert "differ in at least 2 variables" in run("solve", grid, "-m", 4).stdout
    told = run("solve", grid, "-m", 4, "-t", 0).stdout
    assert "only 1 of 4 labelings are different" in told
    assert "--min-distance" not in told
    assert run("solve", grid, "-m", 1).stdout.startswith("1 labeling; 1 of 1 steps proven optimal")


def test_fewer_labelings_than_asked_for_are_a_note(tmp_path):
    hh.write(hh.FactorGraph([[0.0, 1.0]]), tmp_path / "bit.npz")
    done = run("solve", tmp_path / "bit.npz", "--distinct")
    assert done.exit_code == 0
    assert "note: only 2 of 5 labelings" in done.stderr
    answer = json.loads(run("solve", tmp_path / "bit.npz", "--distinct", "--json").stdout)
    assert "only 2 of 5" in answer["notes"][0]
    assert run("solve", tmp_path / "bit.npz", "--distinct", "-q").output == ""


def test_convert_changes_the_format_and_nothing_else(grid):
    target = grid.with_name("grid.cfn.xz")
    done = run("convert", grid, target, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["bytes"] == target.stat().st_size
    zeros = np.zeros(30, int)
    assert hh.read(target).score(zeros) == pytest.approx(hh.read(grid).score(zeros.reshape(5, 6)))


def test_show_tells_and_draws(saved):
    pytest.importorskip("matplotlib")
    image, sheet = saved.with_name("image.npy"), saved.with_name("sheet.png")
    np.save(image, np.zeros((5, 6)))
    done = run("show", saved, "--image", image, "--names", "sky, sea, land", "--columns", 2, "-o", sheet)
    assert done.exit_code == 0
    assert hh.load(saved).report() in done.stdout
    assert sheet.read_bytes().startswith(b"\x89PNG")
    assert json.loads(run("show", saved, "--json").stdout)["m"] == 3


def test_show_reads_photographs(saved):
    pytest.importorskip("matplotlib")
    from PIL import Image

    photo = saved.with_name("photo.png")
    Image.fromarray(np.zeros((5, 6), np.uint8)).convert("P").save(photo)
    assert run("show", saved, "--image", photo, "-o", saved.with_name("sheet.svg")).exit_code == 0
    assert "<svg" in saved.with_name("sheet.svg").read_text(encoding="utf-8")


def test_batch_solves_folders_and_fails_if_a_file_does(grid):
    recipe, target = grid.with_name("recipe.toml"), grid.with_name("results")
    recipe.write_text('diversity = "variables"\nm = 2\n')
    words = ("-r", recipe, "-o", target, "--workers", 1)
    assert "1 solved, 0 done before, 0 failed" in run("batch", grid.parent / "*.npz", *words).stdout
    grid.with_name("broken.LG").write_text("nonsense")
    done = run("batch", grid, grid.with_name("broken.LG"), *words, "--json")
    assert done.exit_code == 1
    answer = json.loads(done.stdout)
    assert (answer["solved"], answer["done_before"], answer["failed"]) == (0, 1, 1)
    assert run("batch", "nothing*", *words).exit_code == 1


def test_solve_takes_evidence_and_writes_solutions(tmp_path):
    file = tmp_path / "net.uai"
    hh.write(hh.FactorGraph(np.log([[0.4, 0.6], [0.3, 0.7]]), [[0, 1]], np.zeros((2, 2))), file)
    (tmp_path / "net.uai.evid").write_text("1 0 0")
    (tmp_path / "other.evid").write_text("1 1 0")
    wanted = {(): [0, 1], ("--evidence", "none"): [1, 1], ("--evidence", tmp_path / "other.evid"): [1, 0]}
    for words, labeling in wanted.items():
        assert run("solve", file, "-m", 1, "-o", tmp_path / "net.uai.MAP", "--force", *words).exit_code == 0
        assert hh.io.read_labeling(tmp_path / "net.uai.MAP").tolist() == labeling
    done = run("solve", file, "--evidence", tmp_path / "missing.evid")
    assert done.exit_code == 1
    assert "missing.evid" in done.stderr


def test_the_best_labeling_of_a_list_is_the_solution(grid):
    target = grid.with_name("best.MAP")
    assert run("solve", grid, "-m", 4, "-d", "variables", "-o", target).exit_code == 0
    assert hh.io.read_labeling(target).tolist() == hh.best(hh.read(grid)).labeling.ravel().tolist()


@pytest.fixture
def examples(tmp_path):
    rows = ["scores,truth"]
    for k in range(2):
        truth = np.random.default_rng(k).integers(0, 2, (4, 5))
        noise = np.random.default_rng(k + 9).normal(0, 1.0, (4, 5, 2))
        np.save(tmp_path / f"scores{k}.npy", np.eye(2)[truth] + noise)
        np.save(tmp_path / f"truth{k}.npy", truth)
        rows.append(f"scores{k}.npy,truth{k}.npy")
    (tmp_path / "examples.csv").write_text("\n".join(rows))
    return tmp_path / "examples.csv"


def test_tune_finds_what_python_finds_and_writes_a_recipe(examples):
    recipe = examples.with_name("recipe.toml")
    words = ("-d", "variables", "-d", "linear", "-t", "0.5", "-t", "target:0.1", "-m", 3, "--smoothness", 0.2)
    done = run("tune", examples, *words, "-o", recipe, "--json")
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    models = [hh.Grid(np.load(examples.with_name(f"scores{k}.npy")), 0.2) for k in range(2)]
    truths = [np.load(examples.with_name(f"truth{k}.npy")) for k in range(2)]
    grid = {"variables": hh.VariableCoverage(), "linear": hh.LinearHamming()}
    best = hh.tune(models, truths, grid, [0.5, hh.target(0.1)], 3)
    assert answer["score"] == pytest.approx(best.score)
    assert answer["diversity"] == best.name
    assert len(answer["settings"]) == 4
    made = hh.batch.Recipe.read(recipe)
    assert (made.diversity, made.tradeoff, made.m) == (answer["diversity"], answer["tradeoff"], 3)
    said = run("tune", examples, *words, "--metric", "iou").stdout
    assert "best: " in said
    assert "target:0.1" in said


def test_tune_needs_truths_and_words_it_knows(examples):
    (examples.parent / "blind.csv").write_text("scores\nscores0.npy\n")
    done = run("tune", examples.parent / "blind.csv")
    assert done.exit_code == 1
    assert "must have true labelings" in done.stderr
    assert run("tune", examples, "-d", "nonsense").exit_code == 2


def test_batch_reads_manifests_and_tells_metrics(examples):
    recipe = examples.with_name("recipe.toml")
    recipe.write_text('diversity = "variables"\nm = 2\nmetrics = ["accuracy"]\n[model]\nsmoothness = 0.2\n')
    words = ("-r", recipe, "-o", examples.with_name("results"), "--workers", 1)
    done = run("batch", examples, *words)
    assert done.exit_code == 0, done.stderr
    assert "mean oracle accuracy: " in done.stdout
    answer = json.loads(run("batch", examples, *words, "--json").stdout)
    assert answer["done_before"] == 2
    assert 0 < answer["metrics"]["accuracy"] <= answer["metrics"]["oracle_accuracy"] <= 1
    assert run("batch", examples, recipe, *words).exit_code == 1
    assert run("batch", examples, *words, "--dask", "tcp://127.0.0.1:1").exit_code == 2


def test_bench_measures():
    done = run("bench", "--size", 12, "--repeat", 1, "--json")
    assert done.exit_code == 0
    trials = json.loads(done.stdout)["trials"]
    assert len(trials) == 7
    assert all(trial["seconds"] > 0 for trial in trials)
    assert "one cut" in run("bench", "--size", 12, "--repeat", 1).stdout


def test_shells_complete_commands_and_words(grid):
    def offers(*words):
        line = " ".join(["hedgehop", *map(str, words)])
        settings = {"_HEDGEHOP_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
        done = CliRunner().invoke(app, [], prog_name="hedgehop", env=settings)
        return done.stdout.split()

    assert {"tune", "solve", "bench"} <= set(offers(""))
    assert "expansion" in offers("solve", grid, "--oracle", "ex")
    assert "hamming:0.01" in offers("solve", grid, "--diversity", "ham")


def test_doctor_finds_everything_well():
    done = run("doctor", "--json")
    assert done.exit_code == 0, done.stdout
    answer = json.loads(done.stdout)
    untried = dict.fromkeys(("own_solver", "milp", "toulbar2"), "untried")  # they need another model, or a package
    assert answer["oracles"] == dict.fromkeys(hh.oracles.available(), "ok") | untried
    assert answer["extras"]["cli"]["typer"]
    assert answer["versions"]["hedgehop"]
    said = run("doctor").stdout
    assert "self-test: every oracle" in said
    assert all(gives in said for gives in doctor.EXTRAS.values())
    declared = set(metadata("hedgehop").get_all("Provides-Extra"))
    assert declared - {"all", "dev", "docs"} == set(doctor.EXTRAS)


def test_doctor_says_which_extras_are_missing(monkeypatch):
    there = {"matplotlib": None, "typer": "0.9.4", "tomli": None}
    monkeypatch.setattr(doctor, "_version", lambda name: there.get(name, "9999"))
    monkeypatch.setattr(doctor, "_tell_oracles", lambda _out: [])
    said = run("doctor").stdout
    assert "matplotlib is missing" in said
    assert "typer 0.9.4 is older than 0.12" in said
    assert "pip install 'hedgehop[cli,plot]'" in said
    assert ("tomli" in said) == (sys.version_info < (3, 11))


def test_doctor_names_an_oracle_that_is_wrong(monkeypatch):
    monkeypatch.setattr(hh.oracles.Tree, "maximize", lambda *_: 1 / 0)
    done = run("doctor")
    assert done.exit_code == 1
    assert "the self-test failed for tree" in done.stderr
    assert "WRONG: division by zero" in done.stdout


def test_small_models_are_small():
    for model in doctor._small_models():
        hh.testing.check_model(model)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command):
    done = run(command, "--help")
    assert done.exit_code == 0
    assert f"Example: hedgehop {command}" in " ".join(done.stdout.split())
    assert all(option in done.stdout for option in ("--json", "--quiet"))


@pytest.mark.parametrize(
    "words",
    [
        ["solve"],
        ["solve", "missing.uai"],
        ["solve", "GRID", "-m", "0"],
        ["solve", "GRID", "-d", "nonsense"],
        ["solve", "GRID", "-t", "-1"],
        ["solve", "GRID", "--oracle", "delphi"],
        ["solve", "GRID", "--method", "magic"],
        ["convert", "GRID"],
        ["show", "GRID", "--columns", "2"],
        ["nonsense"],
    ],
)
def test_wrong_use_has_exit_code_2(words, grid):
    done = run(*(grid if word == "GRID" else word for word in words))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "Usage" in done.stderr


@pytest.mark.parametrize("command", ["solve", "show", "convert"])
def test_folders_and_pipes_are_not_called_missing(command, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    rest = [tmp_path / "x.npz"] if command == "convert" else []
    for name, what in (("", "is a folder"), ("pipe", "is a pipe or a device")):
        done = run(command, tmp_path / name, *rest, "--json")
        assert done.exit_code == 2
        assert what in json.loads(done.stdout)["error"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["solve", "LIST"], "is not a model"),
        (["solve", "GRID", "--oracle", "tree"], "contain a cycle"),
        (["solve", "GRID", "-o", "FOLDER/none/x.npz"], "the folder does not exist"),
        (["solve", "GRID", "-o", "FOLDER"], "cannot be written"),
        (["solve", "GRID", "-o", "FOLDER/x.txt"], "suffix must be one of .npz, .csv, .MAP, .MPE; got '.txt'"),
        (["convert", "GRID", "FOLDER/x.doc"], "suffix must be one of"),
        (["show", "GRID"], "is not a list"),
        (["show", "LIST", "-o", "FOLDER/x.doc"], "suffix must be"),
        (["show", "LIST", "--image", "LIST", "-o", "FOLDER/x.png"], "cannot identify image file"),
    ],
)
def test_failures_are_sentences_with_exit_code_1(words, sentence, grid, saved):
    places = {"GRID": str(grid), "LIST": str(saved)}
    words = [places.get(word, word.replace("FOLDER", str(grid.parent))) for word in words]
    done = run(*words)
    assert done.exit_code == 1
    assert done.stderr.startswith("error: ")
    assert sentence in done.stderr
    answer = json.loads(run(*words, "--json").stdout)
    assert sentence in answer["error"]


def test_a_full_disk_is_named_and_leaves_no_piece_behind(grid, monkeypatch):
    def full(*_args, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hedgehop.io.archives.archive", full)
    done = run("solve", grid, "-o", grid.with_name("list.npz"))
    assert done.exit_code == 1
    assert "no list of 5" in done.stdout  # the table is not lost
    assert done.stderr == f"error: {grid.with_name('list.npz')}: No space left on device.\n"
    assert list(grid.parent.iterdir()) == [grid]


def test_json_holds_no_infinities():
    assert plain({"a": np.array([1.0, np.inf]), 2: (np.nan, np.int64(3), True, None)}) == {
        "a": [1.0, None],
        "2": [None, 3, True, None],
    }


def hedgehop(*words, **options):
    command = [sys.executable, "-W", "error", "-m", "hedgehop", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_a_pipe_hears_the_answer_only(grid):
    process = hedgehop("solve", grid, "--json")
    answer, rest = process.communicate()
    assert process.returncode == 0
    assert json.loads(answer)["m"] == 5
    assert rest == ""


def test_a_reader_that_leaves_is_no_error(grid):
    process = hedgehop("solve", grid)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait()


@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2)])
def test_closed_streams_do_not_stop_the_work(grid, closed):
    file = grid.with_name("list.npz")
    process = hedgehop("solve", grid, "-o", file, preexec_fn=lambda: [os.close(stream) for stream in closed])
    process.communicate()
    assert process.returncode == 0
    assert len(hh.load(file)) == 5


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_keeps_the_list_so_far(tmp_path):
    hh.write(hh.Grid(np.random.default_rng(0).normal(size=(30, 30, 3)), smoothness=0.5), tmp_path / "grid.npz")
    for seconds in (3, 6, 12, 24):  # a busy machine may not have begun yet
        process = hedgehop("solve", tmp_path / "grid.npz", "-m", 10**6, "-d", "variables", "-o", tmp_path / "list.npz")
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        said, rest = process.communicate(timeout=60)
        assert process.returncode != 0
        if "wrote" in said:
            break
    assert process.returncode == 1
    assert "wrote" in said
    assert rest.startswith("error: interrupted; ")
    assert len(hh.load(tmp_path / "list.npz")) > 0


def test_without_its_extra_the_command_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from hedgehop.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: the command line needs typer: pip install 'hedgehop[cli]'\n"


def test_wrong_use_is_said_in_json_too(grid):
    for words in (("solve", grid.with_name("none.uai")), ("batch", grid, "-o", "out"), ("solve", grid, "-m", 0)):
        done = run(*words, "--json")
        assert done.exit_code == 2
        assert json.loads(done.stdout)["error"]


def test_sentences_end_with_one_full_stop(tmp_path):
    (tmp_path / "x.npz").write_bytes(b"nonsense")
    (tmp_path / "recipe.toml").write_text("m = ")
    batch = ("batch", tmp_path, "-r", tmp_path / "recipe.toml", "-o", tmp_path / "results")
    for words in (("solve", tmp_path / "x.npz"), batch):
        said = run(*words).stderr.strip()
        assert said.endswith(".")
        assert not said.endswith("..")


def test_a_cache_that_does_not_exist_yet_is_no_source(examples):
    recipe = examples.with_name("best.toml")
    recipe.write_text("mine")
    words = ("-d", "linear", "-t", "1", "-m", 2, "-o", recipe, "--cache", examples.with_name("new.jsonl"))
    done = run("tune", examples, *words, "--force")
    assert done.exit_code == 0, done.stderr
    assert recipe.read_text() != "mine"


def test_the_demo_writes_its_picture_to_stdout(tmp_path, monkeypatch):
    pytest.importorskip("skimage")
    monkeypatch.chdir(tmp_path)
    done = run("demo", "-m", 2, "--segments", 200, "-o", "-")
    assert done.exit_code == 0, done.stderr
    assert done.stdout_bytes.startswith(b"\x89PNG")
    assert list(tmp_path.iterdir()) == []
