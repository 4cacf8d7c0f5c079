# SPDX-License-Identifier: BSD-3-Clause
"""Make all lists, choose settings on one half of the images, report on the other, and swap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.category import humans
from experiments.category.images import PARTS, Part
from experiments.category.lists import Kept, full, make_all
from experiments.category.methods import RECIPES, SIDE_BY_SIDE, TUNED_FOR, Recipe, Setting, side_by_side
from experiments.category.problems import prepare, read
from experiments.category.report import Section, write
from experiments.category.scoring import Judged, confusions, image_iou
from experiments.category.sheets import draw_sheets
from experiments.progress import tell

HUMANS = "humans"
Lists = list[dict[tuple[str, Setting], Kept]]


@dataclass(frozen=True)
class Row:
    """The lists of one row, an entry an image, made with settings chosen on other images."""

    labelings: list[np.ndarray]
    seconds: float
    guarantee: float


def reproduce(
    data: str | Path,
    output: str | Path = "results/category",
    limit: int | None = None,
    only: Sequence[str] = (),
    parts: Sequence[str] = (),
) -> str:
    """Run all parts, write results.md, results.csv, plots and sheets into `output`, and return the text.

    Parameters
    ----------
    data : path
        The folder with voc2012, camvid and bsds500_val.
    output : path
        Also keeps models and lists: what is there is not made again, also after the run was killed.
    limit : int, optional
        Use this many images of each part only.
    only : names of rows
        Make these rows only, beside DivMBest; the beginning of a name does. A ⊗ stands for its members.
    parts : names of parts
        Some of network, regressors, blurred, camvid, humans; by default all.
    """
    data, output = Path(data), Path(output)
    recipes, wanted = _wanted(only), _parts(parts)
    output.mkdir(parents=True, exist_ok=True)
    sections = []
    for key in wanted:
        if key in PARTS:
            part = PARTS[key](data, output / "learned", limit)
            tell(part.title)
            sections.append(_section(part, recipes, output))
    return write(sections, humans.compare(data, output, limit) if HUMANS in wanted else "", output)


def _parts(parts: Sequence[str]) -> list[str]:
    known = [*PARTS, HUMANS]
    missing = [part for part in parts if part not in known]
    if missing:
        raise ValueError(f"parts must be among {', '.join(known)}; got {missing[0]!r}.")
    return [key for key in known if not parts or key in parts]


def _wanted(only: Sequence[str]) -> list[Recipe]:
    if not only:
        return RECIPES
    names = [r.name for r in RECIPES]
    found = {"DivMBest"}
    for asked in only:
        rows = SIDE_BY_SIDE.get(asked) or [name for name in names if name.startswith(asked)]
        if not rows:
            raise ValueError(f"only must name rows; got {asked!r}. There are: {'; '.join([*names, *SIDE_BY_SIDE])}.")
        found.update(rows)
    return [r for r in RECIPES if r.name in found]


def _section(part: Part, recipes: list[Recipe], output: Path) -> Section:
    recipes = [r for r in recipes if part.learn or not r.learned]
    paths = prepare(part, output / "models", any(r.learned for r in recipes))
    lists = make_all(paths, recipes, output / "lists" / part.key)
    settings = {r.name: _crossed(r, lists) for r in recipes}
    rows = {r.name: _row(r.name, settings[r.name], lists) for r in recipes}
    for name, members in SIDE_BY_SIDE.items():
        if all(member in rows for member in members):
            rows[name] = _together([rows[member] for member in members])
    counts = [read(path).counts for path in paths]
    judged = {name: _judge(row, counts) for name, row in rows.items()}
    draw_sheets(part, paths, {name: row.labelings for name, row in rows.items()}, judged, output / "sheets" / part.key)
    return Section(part, judged, {name: _said(pair) for name, pair in settings.items()})


def _crossed(recipe: Recipe, lists: Lists) -> tuple[Setting, Setting]:
    """The best setting on the odd images, for the even ones, and the other way round."""
    reached = np.array([[kept[recipe.name, s].iou[:TUNED_FOR].max() for kept in lists] for s in recipe.grid])
    best = [int(reached[:, half::2].mean(axis=1).argmax()) if reached[:, half::2].size else 0 for half in (1, 0)]
    return recipe.grid[best[0]], recipe.grid[best[1]]


def _row(name: str, settings: tuple[Setting, Setting], lists: Lists) -> Row:
    kept = [own[name, settings[k % 2]] for k, own in enumerate(lists)]
    guarantees = np.array([k.guarantee for k in kept])
    known = guarantees[np.isfinite(guarantees)]
    guarantee = float(known.mean()) if known.size else float("nan")
    return Row([k.labelings for k in kept], float(np.mean([k.seconds for k in kept])), guarantee)


def _together(rows: list[Row]) -> Row:
    each = [side_by_side(list(lists)) for lists in zip(*(row.labelings for row in rows), strict=True)]
    return Row(each, sum(row.seconds for row in rows), float("nan"))


def _judge(row: Row, counts: list[np.ndarray]) -> Judged:
    pairs = list(zip(row.labelings, counts, strict=True))
    tables = np.array([full(confusions(y, c)) for y, c in pairs])
    iou = np.array([full(image_iou(y, c)) for y, c in pairs])
    return Judged(tables, iou, row.seconds, row.guarantee)


def _said(settings: tuple[Setting, Setting]) -> str:
    first, second = (", ".join(f"{v:g}" for v in s) for s in settings)
    return first if first == second else f"{first} / {second}"
