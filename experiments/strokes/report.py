# SPDX-License-Identifier: BSD-3-Clause
"""The figures as text and CSV."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from experiments.strokes.examples import Rows
from experiments.strokes.judging import BEFORE, NETS, Judged
from experiments.strokes.robot import after, losing_share, marks_to

GOALS = (0.85, 0.90, 0.95)
AFTER = (1, 2, 3, 4, 5)


def training(rows: list[Rows], losses: dict[str, float]) -> str:
    """What was learned from, and the log-loss on images that were left out."""
    sets: dict[str, set[str]] = {}
    for r in rows:
        sets.setdefault(r.name.split()[0], set()).add(r.name)
    lines = ["## Training", "", ", ".join(f"{len(v)} images of {k}" for k, v in sets.items())]
    lines += [f"{len(rows)} sets of strokes. Log-loss on images that were left out:", ""]
    lines += ["| strokes | sets | log-loss |", "|---|---|---|"]
    counts = {kind: sum(str(r.kind) == kind for r in rows) for kind in losses}
    return "\n".join([*lines, *(f"| {kind} | {counts[kind]} | {loss:.3f} |" for kind, loss in losses.items()), ""])


def write(text: list[str], judged: list[Judged], output: Path) -> str:
    """Write results.md and results.csv, and return the text."""
    for part in dict.fromkeys(j.part for j in judged):
        some = [j for j in judged if j.part == part]
        for marks in some[0].games:
            text.append(_robot(some, part, marks))
        if any(j.people for j in some):
            text.append(_people(some, part))
    whole = "\n".join(["# Strokes", "", *text])
    (output / "results.md").write_text(whole, encoding="utf-8")
    _write_csv(judged, output / "results.csv")
    return whole


def _robot(judged: list[Judged], part: str, marks: str) -> str:
    lines = [f"## {part}: a robot with {marks}, {len(judged)} images", ""]
    lines += ["IoU of the answer after k marks: of the first one, or, when choosing, of the best shown.", ""]
    titles = [f"k = {k}" for k in AFTER] + ["marks that lose > .02"] + [f"marks to {100 * g:.0f} %" for g in GOALS]
    lines += [f"| answers by | {' | '.join(titles)} |", "|---" * (len(titles) + 1) + "|"]
    for player in judged[0].games[marks]:
        games = [j.games[marks][player]["choosing" in player] for j in judged]
        games = [game for game in games if game]
        most = max(map(len, games)) + 1
        cells = [f"{after(games, k).mean():.3f}" for k in AFTER] + [f"{100 * losing_share(games):.1f} %"]
        cells += [f"{marks_to(games, goal, most).mean():.2f}" for goal in GOALS]
        lines.append(f"| {player} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _people(judged: list[Judged], part: str) -> str:
    lines = [f"## {part}: strokes of people, pixel accuracy", ""]
    lines += ["| strokes | answers by | first | best of six |", "|---|---|---|---|"]
    for who in sorted({who for j in judged for who in j.people}):
        for player in (BEFORE, NETS):
            values = [j.people[who][player] for j in judged if who in j.people]
            first, best = ([v[0] for v in values], [max(v) for v in values])
            lines.append(f"| {who} | {player} | {_mean(first)} | {_mean(best)} |")
    return "\n".join([*lines, ""])


def _mean(values: list[float]) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{np.mean(values):.4f} ± {error:.4f}"


def _write_csv(judged: list[Judged], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["part", "image", "marks", "player", "after", "first", "best"])
        for j in judged:
            for marks, games in j.games.items():
                for player, (first, best) in games.items():
                    for k, (a, b) in enumerate(zip(first, best, strict=True), start=1):
                        table.writerow([j.part, j.name, marks, player, k, f"{a:.4f}", f"{b:.4f}"])
