# SPDX-License-Identifier: BSD-3-Clause
"""What batches leave behind."""

import json

import hedgehop as hh


def lines(folder):
    return [json.loads(line) for line in (folder / "outcomes.jsonl").read_text().splitlines()]


def count_lines(folder):
    file = folder / "outcomes.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def lists(folder):
    files = sorted((folder / "lists").rglob("*.npz"))
    return {file.relative_to(folder).as_posix(): hh.load(file).labelings.tolist() for file in files}
