# SPDX-License-Identifier: BSD-3-Clause
"""What the documents show runs: their Python blocks in order, and the demo."""

import functools
import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

import hedgehop as hh

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)\)")
RUN = [
    "quickstart", "tutorial", "choosing", "sure", "coming_from", "segmentation", "learning", "howto", "structures",
    "troubleshooting",
]  # fmt: skip
DOCUMENTS = ["README.md", "CONTRIBUTING.md", *(f"docs/{name}.md" for name in RUN)]
PAGES = sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))


def blocks(document):
    """Python blocks of a document, each moved down to its own line so that errors point there."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return ["\n" * text.count("\n", 0, found.start(1)) + found[1] for found in BLOCK.finditer(text)]


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_code_of_a_document_runs(document, tmp_path, monkeypatch):
    assert blocks(document), "nothing to run"
    for needed, sign in (("matplotlib", "plot("), ("skimage", "from skimage")):
        if sign in "".join(blocks(document)):
            pytest.importorskip(needed)
    module = types.ModuleType("document")  # a real module, so that classes defined in it can be pickled
    monkeypatch.setitem(sys.modules, "document", module)
    monkeypatch.chdir(tmp_path)
    for block in blocks(document):
        exec(compile(block, document, "exec"), module.__dict__)


@pytest.mark.slow
def test_every_block_of_the_quickstart_is_short_and_complete(tmp_path, monkeypatch):
    """Four newcomers: each copies one block, and nothing before it."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("skimage")
    monkeypatch.chdir(tmp_path)
    assert len(blocks("docs/quickstart.md")) == 4
    for block in blocks("docs/quickstart.md"):
        assert len([line for line in block.splitlines() if line]) < 10
        held = {}
        exec(compile(block, "docs/quickstart.md", "exec"), held)
        assert held["found"].distinct == len(held["found"]) >= 3


@pytest.mark.slow
def test_the_documentation_builds_without_a_warning_and_runs_the_gallery(tmp_path):
    """The build writes beside its sources, so it gets a copy of them."""
    for needed in ("sphinx", "myst_parser", "numpydoc", "latex2mathml", "furo", "sphinx_gallery", "skimage"):
        pytest.importorskip(needed)
    built = shutil.ignore_patterns("gallery", "reference", "__pycache__")
    for name in ("docs", "examples"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=built)
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", tmp_path / "docs", tmp_path / "html"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "<math" in (tmp_path / "html/theory.html").read_text(encoding="utf-8")
    shown = {path.stem for path in (ROOT / "examples").glob("*.py")} - {"taggings_and_parses"}  # it needs data
    for name in shown:
        picture = tmp_path / f"docs/gallery/images/sphx_glr_{name}_001.png"
        assert picture.read_bytes().startswith(b"\x89PNG")
        page = (tmp_path / f"html/gallery/{name}.html").read_text(encoding="utf-8")
        assert f"{name}.ipynb" in page
        assert f"{name}.py" in page
    assert {path.name for path in (tmp_path / "examples").glob("*.png")} == set(), "pictures belong on the pages"


def test_the_readme_begins_with_few_lines_of_code():
    first = blocks("README.md")[0].strip().splitlines()
    assert len([line for line in first if line]) <= 9


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", *PAGES])
def test_links_to_files_lead_somewhere(document):
    path = ROOT / document
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if target.startswith("gallery/"):
            continue  # made by the build
        assert (path.parent / target).exists(), f"{document} links to {target}, which is not there"


def test_the_readme_is_read_in_two_minutes():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 140


def test_every_solver_has_its_place_on_the_page_of_solvers():
    text = (ROOT / "docs/solvers.md").read_text(encoding="utf-8")
    headings = "".join(line for line in text.splitlines() if line.startswith("### "))
    assert [name for name in hh.oracles.available() if f"`{name}`" not in headings] == []


def test_pictures_of_the_readme_are_there_and_small():
    pictures = re.findall(r"!\[.*\]\((.*?)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert pictures
    most = {".gif": 1_500_000}
    held = {name: ROOT / "docs/pictures" / Path(name).name for name in pictures}  # links may be absolute
    assert all(path.stat().st_size < most.get(Path(name).suffix, 400_000) for name, path in held.items())


def test_links_of_the_readme_can_be_made_absolute(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "release")
    links = importlib.import_module("links")
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for base in ("https://example.org/one", "https://example.org/two/docs"):
        links.lead_to(base, tmp_path)
        text, settings = ((tmp_path / name).read_text(encoding="utf-8") for name in ("README.md", "pyproject.toml"))
        targets = [target for target in re.findall(r"\]\((.*?)\)", text) if not target.startswith("https://pypi.org")]
        assert f"{base}/tutorial.html" in targets
        assert f"{base}/_images/demo.png" in targets
        assert all(target.startswith((base, "https://github.com")) for target in targets)
        assert settings.count("[project.urls]") == 1
        assert f'Documentation = "{base}"' in settings


def test_the_readme_can_do_without_relative_links(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "release")
    text = importlib.import_module("links").without_links((ROOT / "README.md").read_text(encoding="utf-8"))
    assert "![" not in text
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert targets
    assert all(target.startswith("https://") for target in targets)
    assert "Quickstart has a complete script" in text


@pytest.mark.parametrize("address", ["", "http://example.org", "https://example.org/", "example.org", "https://a b"])
def test_nothing_is_published_with_a_false_address(monkeypatch, tmp_path, address):
    monkeypatch.syspath_prepend(ROOT / "release")
    wheels = importlib.import_module("wheels")
    with pytest.raises(SystemExit, match="must be https://HOST/PATH"):
        wheels.main(address, tmp_path / "dist", [])
    assert not (tmp_path / "dist").exists()
    kept = (ROOT / "README.md").read_bytes()
    source = wheels.copied(tmp_path / "copy")
    wheels.lead_to("none", source)
    assert "](docs/" not in (source / "README.md").read_text(encoding="utf-8")
    assert (ROOT / "README.md").read_bytes() == kept


DOCUMENTED = ("baselines", "diversity", "learning", "models", "oracles", "potentials", "segmentation")


def public_names():
    """Names with what they stand for, of the package and of its parts that people use by name."""
    modules = [hh, *(getattr(hh, name) for name in DOCUMENTED)]
    named = {name: getattr(module, name) for module in modules for name in _exported(module)}
    return {name: value for name, value in named.items() if name != "__version__" and not inspect.ismodule(value)}


def _exported(module):
    """Names of ``__all__``, or those that are imported as themselves: re-exported, for type checkers too."""
    return getattr(module, "__all__", None) or re.findall(r"import (\w+) as \1\b", inspect.getsource(module))


def test_the_reference_has_every_public_name():
    text = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(?:   |.. autodata:: )(?:[a-z_]+\.)*(\w+)$", text, re.MULTILINE))
    assert set(public_names()) - listed == set()


def test_every_public_name_is_documented_with_an_example():
    called = {name: value for name, value in public_names().items() if callable(value) and not _is_error(value)}
    without = [name for name, value in called.items() if ">>> " not in (inspect.getdoc(value) or "")]
    assert without == ["write"]  # one line in the how-to, beside its reading


def classes():
    names = [m.name for m in pkgutil.walk_packages(hh.__path__, "hedgehop.") if not m.name.endswith("__main__")]
    found = {c for name in names for c in vars(importlib.import_module(name)).values() if inspect.isclass(c)}
    return sorted(
        (c for c in found if c.__module__ in names and c.__name__[0] != "_"),
        key=lambda c: (c.__module__, c.__qualname__),
    )


def test_every_public_method_says_what_it_does_or_inherits_that():
    kinds = (types.FunctionType, classmethod, staticmethod, property, functools.cached_property)
    silent = [
        f"{c.__qualname__}.{name}"
        for c in classes()
        for name, member in vars(c).items()
        if isinstance(member, kinds) and not name.startswith("_")
        if name not in getattr(c, "__dataclass_fields__", ())
        if not any(vars(base)[name].__doc__ for base in c.__mro__ if name in vars(base))
    ]
    assert silent == []


def _is_error(value):
    return isinstance(value, type) and issubclass(value, BaseException)


@pytest.mark.slow
def test_the_benchmarks_run_and_write_their_page(tmp_path):
    (tmp_path / "readme.md").write_text("before\n<!-- speed -->\nold\n<!-- end of speed -->\nafter\n")
    options = ["--quick", "--markdown", "page.md", "--readme", "readme.md"]
    command = [sys.executable, "-W", "error", ROOT / "benchmarks/run.py", *options]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    for group in ("cut, ", "MAP, ", "label costs, ", "M = 10, ", "growth, "):
        assert group in ran.stdout
        assert f"| {group}" in page
    readme = (tmp_path / "readme.md").read_text(encoding="utf-8")
    assert re.fullmatch(r"before\n<!-- speed -->\n\| problem .*\n<!-- end of speed -->\nafter\n", readme, re.DOTALL)


@pytest.mark.slow
def test_the_demo_tells_two_stories_and_draws_a_picture(tmp_path):
    pytest.importorskip("skimage")
    pytest.importorskip("matplotlib")
    command = [sys.executable, "-W", "error", "-m", "hedgehop", "demo", "--segments", "200", "-m", "3", "--verbose"]
    ran = subprocess.run([*command, "--out", "small.png"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "wrote small.png" in ran.stdout
    readings = (
        "the man is on the hill, I use the telescope",
        "the man is on the hill, the man has it",
        "I am on the hill",
    )
    assert all(reading in ran.stdout for reading in readings)
    assert "3 of 3 steps are proven optimal" in ran.stdout
    assert ran.stdout.count("\nguarantee ") == 2
    assert (tmp_path / "small.png").read_bytes().startswith(b"\x89PNG")


def test_every_promise_names_tests_that_exist():
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    promises = text.split("## Promises and their tests")[1].split("\n## ")[0]
    for path in re.findall(r"`(tests/[^`]+)`", promises):
        assert (ROOT / path).exists(), path
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", promises):
        assert f"def {name}(" in sources, name
    rows = [line for line in promises.splitlines() if line.startswith("| ")][1:]
    assert all("`test" in row for row in rows)
