# SPDX-License-Identifier: BSD-3-Clause
"""The architecture as a test: imports go one way, and `import hedgehop` stays light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import hedgehop

SOURCE = Path(hedgehop.__file__).parent
ROOT = Path(__file__).parent.parent
LAYERS = [  # the same eight as in CONTRIBUTING.md and docs/architecture.md
    {"_arrays", "_core", "_errors", "_frozen", "_interrupt", "_plugins", "_progress", "_thumbnails", "palette"},
    {"models"},
    {"potentials"},
    {"diversity", "oracles"},
    {"lists"},
    {"probabilities", "baselines", "interop", "learning", "metrics", "testing"},
    {"segmentation", "tuning", "specifications", "io", "plotting"},
    {"batch", "cli", "studio", "__main__"},
]
MOST_FILES = 15
REPEATED = {"", "__all__", "_LOG", "Arrays", "Value"}  # a logger, and types that are the same wherever they stand
RANK = {name: k for k, names in enumerate(LAYERS) for name in names}
# methods, imported when called
DOORS = {("lists", "io"), ("lists", "plotting"), ("lists", "probabilities"), ("learning", "io")}


def modules():
    return sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


def imported(path: Path) -> set[str]:
    """First-level parts of hedgehop that a file imports when it runs."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "hedgehop":
            names |= {f"hedgehop.{a.name}" for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute here"
            names.add(node.module)
    return {n.split(".")[1] for n in names if n.startswith("hedgehop.")}


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_follow_the_flow_of_data(path):
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert own in RANK, f"{own} has no place in the layers"
    for other in imported(path) - {own}:
        allowed = RANK[other] <= RANK[own] or (own, other) in DOORS
        assert allowed, f"{own} must not import {other}: nothing flows backwards"


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_documents_tell_the_same_layers(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    told = re.findall(r"^[1-8]  (\w+(?: \w+)*)  ", text, re.MULTILINE)
    assert [set(names.split()) for names in told] == LAYERS


CODE = {".py", ".cpp", ".hpp", ".js"}
OWN_FOLDERS = {"core", "conformance", "data", "experiments", "project"}  # of tests, beside those of the package


def folders(*roots: Path) -> dict[Path, int]:
    """How many files of code each folder holds, without those that hold none."""
    counts = Counter(path.parent for root in roots for path in root.rglob("*.*") if path.suffix in CODE)
    return {folder: count for folder, count in counts.items() if "_core" not in folder.parts}


def rows_of_the_architecture() -> list[tuple[list[str], list[str]]]:
    """The parts that each row of the table is about, and the files it names."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    cells = [row.split("|")[1:3] for row in text.splitlines() if row.startswith("| `")]
    parts, files = re.compile(r"`([\w/.]+)`"), re.compile(r"`([\w/]+\.(?:py|js|[ch]pp))`")
    return [(parts.findall(first), files.findall(second)) for first, second in cells]


def test_the_architecture_names_every_folder_and_file_of_the_package():
    named = {name.removesuffix("/") for parts, _ in rows_of_the_architecture() for name in parts}
    inside = {str(folder.relative_to(SOURCE)) for folder in folders(SOURCE)} - {"."}
    outside = {str(folder.relative_to(ROOT)) for folder in folders(ROOT / "cpp", ROOT / "bindings")}
    files = {path.name for path in SOURCE.glob("*.py") if not path.name.startswith("_")}
    assert inside | files | {name for name in outside if not name.endswith("/tests")} <= named


@pytest.mark.parametrize("row", rows_of_the_architecture(), ids=lambda row: row[0][0])
def test_what_the_architecture_names_exists(row):
    parts, files = row
    places = [place for place in (SOURCE / parts[0], ROOT / parts[0]) if place.exists()]
    assert all((SOURCE / name).exists() or (ROOT / name).exists() for name in parts)
    assert [name for name in files if not any((place / name).exists() for place in [*places, SOURCE, ROOT])] == []


def test_the_answers_where_to_change_things_exist():
    text = (
        (ROOT / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .split("## Where would I change ...?")[1]
        .split("\n## ")[0]
    )
    rows = [row for row in text.splitlines() if "`" in row]
    assert len(rows) == 12
    for path in re.findall(r"`(?:python )?([\w/]+(?:/|\.\w+))`", text):
        places = (ROOT, SOURCE, SOURCE / "studio/static/js")
        assert any((place / path).exists() for place in places), f"{path} does not exist"


def test_no_folder_holds_more_files_than_one_can_take_in():
    crowded = folders(SOURCE, ROOT / "cpp", ROOT / "bindings", ROOT / "tests")
    assert {str(folder): count for folder, count in crowded.items() if count > MOST_FILES} == {}


def test_tests_are_in_the_folders_of_what_they_test():
    own = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path in folders(ROOT / "tests")}
    assert own - OWN_FOLDERS <= {path.name for path in SOURCE.iterdir() if path.is_dir()}


def test_bindings_mirror_the_kernels():
    kernels = {path.name for path in (ROOT / "cpp").iterdir() if path.is_dir()} - {"core"}
    assert {path.stem for path in (ROOT / "bindings").glob("*.cpp")} == kernels | {"module"}


def test_names_of_constants_and_classes_have_one_meaning():
    """A name that two files define means two things, or is defined once too often."""
    homes = defaultdict(set)
    for path in modules():
        for node in ast.parse(path.read_text()).body:
            targets = [*getattr(node, "targets", []), getattr(node, "target", None)]
            names = {part.id for t in targets if t is not None for part in ast.walk(t) if isinstance(part, ast.Name)}
            for name in names | ({node.name} if isinstance(node, ast.ClassDef) else set()):
                homes[name].add(str(path.relative_to(SOURCE)))
    assert {name: where for name, where in homes.items() if len(where) > 1 and name not in REPEATED} == {}


def test_models_know_nothing_of_diversity_and_diversity_nothing_of_oracles():
    for path in (SOURCE / "models").rglob("*.py"):
        assert not imported(path) & {"potentials", "diversity", "oracles", "lists"}
    for path in (SOURCE / "diversity").rglob("*.py"):
        assert not imported(path) & {"oracles", "lists"}
    for path in (SOURCE / "oracles").rglob("*.py"):
        assert not imported(path) & {"diversity", "lists"}


LOADED = """
import sys
before = set(sys.modules)
import hedgehop as hh
print(*set(sys.modules) - before)
hh.Grid, hh.diverse, hh.HammingBall
print(*sys.modules)
"""
SOLVED = """
import sys, numpy, hedgehop as hh
from hedgehop.batch import Recipe, tasks
Recipe(diversity="variables", tradeoff="0.5").solve(hh.Chain(numpy.eye(3), transitions=numpy.eye(3)))
print(*{m.split('.')[0] for m in sys.modules})
"""


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_is_quick_because_it_loads_what_is_used_and_no_more():
    """``import hedgehop`` loads not even numpy; models, diversities and lists load neither scipy nor later layers."""
    at_first, in_the_end = (set(line.split()) for line in run(LOADED).splitlines())
    assert {name.split(".")[0] for name in at_first} <= {"hedgehop", *sys.stdlib_module_names}
    assert not {"numpy", "hedgehop.models"} & at_first
    assert {"numpy", "hedgehop.models", "hedgehop.lists"} <= in_the_end
    parts = {name.split(".")[1] for name in in_the_end if name.startswith("hedgehop.")}
    assert parts <= set().union(*LAYERS[:5])
    extras = {"scipy", "skimage", "sklearn", "matplotlib", "typer", "rich", "fastapi", "dask", "h5py", "PIL", "imageio"}
    assert not extras & in_the_end


def test_a_list_of_a_chain_needs_no_scipy():
    """Loading it takes longer than everything else that a process of a batch loads."""
    assert "scipy" not in run(SOLVED).split()


def test_public_names_all_exist():
    for name in hedgehop.__all__:
        assert getattr(hedgehop, name) is not None
    assert set(hedgehop.__all__) <= set(dir(hedgehop))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = hedgehop.nonsense


def test_no_public_name_is_hidden_by_a_module():
    """`import hedgehop.thing` sets the attribute `thing`: a function of that name would be lost."""
    modules = {name for name, home in hedgehop._PUBLIC.items() if home == "hedgehop"}
    stems = {p.stem for p in SOURCE.iterdir()} - modules
    assert not stems & set(hedgehop.__all__)
