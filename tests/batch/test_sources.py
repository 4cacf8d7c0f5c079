# SPDX-License-Identifier: BSD-3-Clause
"""Which files of folders and addresses are items: never results, whatever made them."""

import zipfile

import pytest

from hedgehop.batch.items import file_items
from hedgehop.batch.sources import find_files

STROKES = {"scribbles": "{stem}_s.png"}


@pytest.mark.parametrize("ledger", ["outcomes.jsonl", "outcomes.0-of-2.jsonl", "outcomes.11-of-12.jsonl"])
def test_results_of_whole_batches_and_of_shards_are_left_out(ledger, tmp_path):
    (tmp_path / "old" / "lists").mkdir(parents=True)
    for name in ("a.npz", "old/recipe.json", f"old/{ledger}", "old/lists/a.npz.npz"):
        (tmp_path / name).write_bytes(b"")
    assert find_files([str(tmp_path)], {}, "elsewhere") == [str(tmp_path / "a.npz")]


def test_a_recipe_alone_makes_no_results(tmp_path):
    for name in ("a.npz", "recipe.json"):
        (tmp_path / name).write_bytes(b"")
    assert find_files([str(tmp_path)], {}, "elsewhere") == [str(tmp_path / "a.npz")]


def test_results_at_addresses_are_left_out():
    memory = pytest.importorskip("fsspec").filesystem("memory")
    results = ("old/recipe.json", "old/outcomes/1.jsonl", "old/lists/a.npz.npz", "target/lists/a.npz.npz")
    for name in ("a.npz", "i.png", "i_s.png", "j.png", *results):
        memory.pipe_file(f"/sources/{name}", b"")
    assert find_files(["memory://sources"], {}, "memory://sources/target") == ["memory://sources/a.npz"]
    assert find_files(["memory://sources"], STROKES, "memory://sources/target") == ["memory://sources/i.png"]
    memory.rm("/sources", recursive=True)


def test_files_of_archives_and_what_belongs_to_them(tmp_path):
    pytest.importorskip("fsspec")
    whole = tmp_path / "all.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        for name in ("a.npz", "deep/i.png", "deep/i_s.png"):
            archive.writestr(name, b"")
    assert find_files([f"zip://::{whole}"], {}, "out") == [f"zip://a.npz::{whole}"]
    [item] = file_items(find_files([f"zip://::{whole}"], STROKES, "out"), STROKES)
    assert (item.image, item.scribbles) == (f"zip://deep/i.png::{whole}", f"zip://deep/i_s.png::{whole}")
