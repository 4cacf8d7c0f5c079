# SPDX-License-Identifier: BSD-3-Clause
"""Make all lists, choose from them in every way, and report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.progress import tell
from experiments.which.cases import Case
from experiments.which.images import LONGEST, cases
from experiments.which.rows import Row, none_of_these, paired, rows, sureness, variables
from experiments.which.sentences import chunks, parses
from experiments.which.sketches import M as CUTOUTS
from experiments.which.sketches import sketches
from experiments.which.together import together
from hedgehop.metrics import chunk_counts, f1_of

TITLES = {
    "network": "PASCAL VOC val, scores of DeepLab (sharp), image IoU",
    "blurred": "PASCAL VOC val, the same scores blurred (weak), image IoU",
    "regressors": "PASCAL VOC val, scores of regressors (weak), image IoU",
    "camvid": "CamVid, scores of regressors, image IoU",
    "strokes": "GrabCut, strokes of two people, IoU of the object",
    "chunks": "CoNLL-2000 chunks, structured SVM, share of right words",
    "parses": "UD English EWT parses, structured SVM, share of right heads",
    "together": "One re-ranker for all sets of images, image IoU",
}
IMAGES = ("network", "blurred", "regressors", "camvid")
LIST = 5
BOOTSTRAPS = 400


def reproduce(
    data: str | Path, output: str | Path = "results/which", limit: int | None = None, parts: Sequence[str] = ()
) -> str:
    """Run all parts, write one table each and results.md into `output`, and return the text.

    Parameters
    ----------
    data : path
        The folder with voc2012, camvid, grabcut, conll2000 and ud_english_ewt.
    output : path
        Also keeps models and lists: what is there is not made again, also after the run was killed.
    limit : int, optional
        Use this many images or sentences of each part only.
    parts : names of parts
        Some of network, blurred, regressors, camvid, strokes, chunks, parses, together; by default all.
    """
    data, output = Path(data), Path(output)
    missing = [part for part in parts if part not in TITLES]
    if missing:
        raise ValueError(f"parts must be among {', '.join(TITLES)}; got {missing[0]!r}.")
    output.mkdir(parents=True, exist_ok=True)
    for key in parts or TITLES:
        tell(TITLES[key])
        (output / f"{key}.md").write_text(_section(data, output, key, limit), encoding="utf-8")
    written = [output / f"{key}.md" for key in TITLES if (output / f"{key}.md").exists()]
    text = "\n".join(path.read_text(encoding="utf-8") for path in written)
    (output / "results.md").write_text(text, encoding="utf-8")
    return text


def _section(data: Path, output: Path, key: str, limit: int | None) -> str:
    if key in ("chunks", "parses"):
        found = (chunks if key == "chunks" else parses)(data, output / "learned", limit)
        return _told(key, found, rows(found, "accuracy", (LIST,)), LIST)
    if key == "strokes":
        found = sketches(data, output, limit)
        return _told(key, found, rows(found, "iou", (CUTOUTS,)), CUTOUTS)
    if key == "together":
        sets = {part: cases(data, output, part, limit) for part in IMAGES}
        more = [case for part in IMAGES[:2] for case in cases(data, output, f"{part}, train", limit)]
        return f"## {TITLES[key]}\n\n{together(sets, more, (LIST, LONGEST))}"
    found = cases(data, output, key, limit)
    more = cases(data, output, f"{key}, train", limit) if key in ("network", "blurred") else []
    return _told(key, found, rows(found, "iou", (LIST, LONGEST), more), LIST, more)


def _told(key: str, found: list[Case], table: list[Row], m: int, more: Sequence[Case] = ()) -> str:
    base, tagged = table[0], bool(found[0].tags)
    f1 = " | F1, difference |" if tagged else " |"
    lines = [f"## {TITLES[key]}", "", f"{len(found)} lists.", ""]
    lines += [
        f"| | mean | difference to the first one | changed{f1}",
        "|---|---|---|---" + ("|---|" if tagged else "|"),
    ]
    for row in table:
        change, error = paired(row, base, found)
        shown = "" if row is base else f"{change:+.2f} ± {error:.2f}"
        moved = "" if row.taken is None else f"{np.mean(row.taken > 0):.0%}"
        lines.append(f"| {row.name} | {row.quality.mean():.2f} | {shown} | {moved} |{_f1(row, base, found)}")
    lines += [
        "",
        f"| probability of the best of {m} | calibration error | of right ones, by chance | says | is | log loss |",
        "|---|---|---|---|---|---|",
    ]
    for sure in sureness(found, m, more):
        chance = f"{sure.noise[0]:.3f} ± {sure.noise[1]:.3f}"
        shares = f"{sure.said:.2f} | {sure.true:.2f}"
        lines.append(f"| {sure.name} | {sure.error:.3f} | {chance} | {shares} | {sure.log_loss:.3f} |")
    lines += ["", f"Calibration error of the labels of variables: {variables(found):.3f}.", _far(found, m), ""]
    return "\n".join(lines)


def _far(found: list[Case], m: int) -> str:
    """Return a sentence on the probability of "none of these"."""
    far = none_of_these(found, m)
    if far is None:
        return ""
    says, true = (float(np.nansum(values * far.counts) / far.counts.sum()) for values in (far.said, far.true))
    mean, spread = far.noise
    errors = f"calibration error {far.error:.3f} (of right ones, by chance, {mean:.3f} ± {spread:.3f})"
    return f"None of these: says {says:.2f}, is {true:.2f}, {errors}."


def _f1(row: Row, base: Row, found: list[Case]) -> str:
    """F1 over all sentences and its difference to the first labelings, with the bootstrap over sentences."""
    if not found[0].tags:
        return ""
    if row.taken is None:
        return " |"
    counts, first = (_counts(found, taken) for taken in (row.taken, base.taken))
    if row is base:
        return f" {100 * f1_of(first.sum(axis=0)):.2f} |"
    random, n = np.random.default_rng(0), len(found)
    draws = random.multinomial(n, np.full(n, 1 / n), BOOTSTRAPS)
    changes = 100 * (f1_of(np.tensordot(draws, counts, 1)) - f1_of(np.tensordot(draws, first, 1)))
    change = 100 * (f1_of(counts.sum(axis=0)) - f1_of(first.sum(axis=0)))
    return f" {change:+.2f} ± {changes.std(ddof=1):.2f} |"


def _counts(found: list[Case], taken: np.ndarray) -> np.ndarray:
    pairs = zip(found, taken, strict=True)
    return np.array([chunk_counts(case.found.labelings[k], case.truth, case.tags) for case, k in pairs])
