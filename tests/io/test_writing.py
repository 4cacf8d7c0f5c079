# SPDX-License-Identifier: BSD-3-Clause
"""Writing: completely or not at all, through no link that somebody planted, with a name nobody can guess."""

from __future__ import annotations

import os
import stat
import sys

import pytest

import hedgehop as hh
from hedgehop.io.file_access import atomic_write, exclusive, write_text

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes differ")
MODEL = hh.FactorGraph([[0.0, -1.0]])


def test_a_link_at_the_old_temporary_name_is_left_alone(tmp_path):
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    os.symlink(victim, tmp_path / ".model.uai.part")
    hh.write(MODEL, tmp_path / "model.uai")
    assert victim.read_text() == "precious"
    assert hh.read(tmp_path / "model.uai").n_variables == 1


def test_a_link_at_the_target_is_replaced_not_followed(tmp_path):
    victim = tmp_path / "victim.uai"
    victim.write_text("precious")
    os.symlink(victim, tmp_path / "model.uai")
    hh.write(MODEL, tmp_path / "model.uai")
    assert victim.read_text() == "precious"
    assert not (tmp_path / "model.uai").is_symlink()


def test_temporary_names_differ_and_must_be_new(tmp_path):
    names = set()
    for _ in range(3):
        with atomic_write(tmp_path / "file") as file:
            names |= {path.name for path in tmp_path.iterdir() if path.name.endswith(".part")}
            file.write(b"x")
    assert len(names) == 3
    os.symlink(tmp_path / "elsewhere", tmp_path / "planted")
    with pytest.raises(FileExistsError):
        exclusive(tmp_path / "planted")
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_is_swapped_for_a_link_gets_nothing(tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    with atomic_write(folder / "file") as file:
        folder.rename(tmp_path / "moved")
        folder.symlink_to(outside)
        file.write(b"x")
    assert not list(outside.iterdir())
    assert [path.name for path in (tmp_path / "moved").iterdir()] == ["file"]


def test_a_folder_that_cannot_be_listed_can_be_written_to(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o300)
    try:
        write_text(folder / "file", "x")
        assert (folder / "file").read_text() == "x"
    finally:
        folder.chmod(0o700)


def test_what_fails_leaves_nothing(tmp_path):
    write_text(tmp_path / "file", "old")

    def fail():
        with atomic_write(tmp_path / "file") as file:
            file.write(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_pipes_and_devices_are_no_targets(tmp_path):
    os.mkfifo(tmp_path / "pipe.uai")
    with pytest.raises(ValueError, match="must be an ordinary file; it is a device or a pipe"):
        hh.write(MODEL, tmp_path / "pipe.uai")
    assert stat.S_ISFIFO((tmp_path / "pipe.uai").stat().st_mode)


def test_new_files_have_the_permissions_that_people_expect(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "file", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_an_error_names_the_file_that_was_meant(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "missing" / "file", "x")
    assert caught.value.filename == str(tmp_path / "missing" / "file")


def test_long_names_can_be_written(tmp_path):
    write_text(tmp_path / ("n" * 255), "x")
    assert [len(path.name) for path in tmp_path.iterdir()] == [255]
