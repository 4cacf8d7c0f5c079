# SPDX-License-Identifier: BSD-3-Clause
"""The architecture as a test: imports go one way, and `import hedgehop` stays light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hedgehop

SOURCE = Path(hedgehop.__file__).parent
LAYERS = [  # the same eight as in CONTRIBUTING.md and docs/architecture.md
    {"_arrays", "_core", "_errors", "_frozen", "_interrupt", "_progress", "palette"},
    {"models"},
    {"potentials"},
    {"diversity", "oracles"},
    {"lists"},
    {"sampling", "baselines", "interop", "learning", "metrics", "testing"},
    {"segmentation", "tuning", "specifications", "io", "plotting"},
    {"batch", "cli", "studio", "__main__"},
]
RANK = {name: k for k, names in enumerate(LAYERS) for name in names}
DOORS = {("lists", "io"), ("lists", "plotting")}  # methods of a list, imported when called


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
    text = (Path(__file__).parent.parent / document).read_text(encoding="utf-8")
    told = re.findall(r"^[1-8]  (\w+(?: \w+)*)  ", text, re.MULTILINE)
    assert [set(names.split()) for names in told] == LAYERS


def test_the_architecture_names_every_folder_and_file_of_the_package():
    text = (Path(__file__).parent.parent / "docs/architecture.md").read_text(encoding="utf-8")
    parts = [p for p in SOURCE.iterdir() if p.suffix == ".py" or (p.is_dir() and not p.name.startswith("_"))]
    names = [f"{p.name}/" if p.is_dir() else p.name for p in parts if not p.name.startswith("_")]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_models_know_nothing_of_diversity_and_diversity_nothing_of_oracles():
    for path in (SOURCE / "models").rglob("*.py"):
        assert not imported(path) & {"potentials", "diversity", "oracles", "lists"}
    for path in (SOURCE / "diversity").rglob("*.py"):
        assert not imported(path) & {"oracles", "lists"}
    for path in (SOURCE / "oracles").rglob("*.py"):
        assert not imported(path) & {"diversity", "lists"}


LOADED = (
    "import sys, hedgehop as hh; hh.Grid; hh.diverse; hh.HammingBall; print(*{m.split('.')[0] for m in sys.modules})"
)
SPENT = """
import time, numpy, scipy, scipy.special
start = time.process_time()
import hedgehop
hedgehop.Grid, hedgehop.HammingBall, hedgehop.diverse
print(time.process_time() - start)
"""


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_needs_numpy_and_scipy_only():
    extras = {"skimage", "sklearn", "matplotlib", "typer", "rich", "fastapi", "dask", "h5py", "PIL", "imageio", "tqdm"}
    assert not extras & set(run(LOADED).split())


def test_import_is_quick():
    """The promise is 0.3 s beyond numpy and scipy; twice as much processor time on machines that do other things."""
    assert min(float(run(SPENT)) for _ in range(3)) < 0.6


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
