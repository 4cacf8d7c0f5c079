# SPDX-License-Identifier: BSD-3-Clause
"""A list as notebooks show it: pictures with differences outlined, or a table of labels."""

from __future__ import annotations

from html import escape

from hedgehop._arrays import Labels
from hedgehop._thumbnails import thumbnail
from hedgehop.lists.report import summary
from hedgehop.lists.result import DiverseList

_MOST_ROWS, _MOST_COLUMNS = 12, 24
_CELL = 'style="text-align:right;padding:1px 6px"'
_CHANGED = 'style="text-align:right;padding:1px 6px;background:rgba(230,159,0,.4)"'


def as_html(found: DiverseList) -> str:
    """Return the summary, and the first labelings as pictures or rows; it needs nothing from elsewhere."""
    shown = _pictures(found) if found.labelings.ndim in (3, 4) else _table(found)
    rest = len(found) - _MOST_ROWS
    more = f"<p>and {rest} more</p>" if rest > 0 else ""
    return f"<div><p>{escape(summary(found))}</p>{shown}{more}</div>"


def _pictures(found: DiverseList) -> str:
    shares, parts = found.distances[0] / found.labelings[0].size, []
    for t, labels in enumerate(found.labelings[:_MOST_ROWS]):
        far = f", {shares[t]:.1%} different" if t else ""
        text = f"<b>{t + 1}</b>{far}{_likely(found, t)}<br>relevance {found.relevance[t]:.5g}"
        picture = thumbnail(labels, found.labelings[0] if t else None)
        parts.append(
            f'<figure style="margin:0">{picture}<figcaption style="font-size:85%">{text}</figcaption></figure>'
        )
    return f'<div style="display:flex;flex-wrap:wrap;gap:10px">{"".join(parts)}</div>'


def _likely(found: DiverseList, t: int) -> str:
    return f", {found.probabilities[t]:.0%} likely" if found.is_weighed else ""


def _table(found: DiverseList) -> str:
    """One row per labeling; labels that differ from the first labeling are marked."""
    flat = found.labelings.reshape(len(found), -1)
    names = [
        "",
        *(["likely"] if found.is_weighed else []),
        "relevance",
        "to first",
        *(f"{i}" for i in range(min(flat.shape[1], _MOST_COLUMNS))),
    ]
    names += ["..."] if flat.shape[1] > _MOST_COLUMNS else []
    head = "".join(f"<th {_CELL}>{name}</th>" for name in names)
    shares = (found.distances[0] / flat.shape[1]).tolist()
    rows = "".join(f"<tr>{_row(found, flat, t, shares[t])}</tr>" for t in range(min(len(found), _MOST_ROWS)))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(found: DiverseList, flat: Labels, t: int, far: float) -> str:
    likely = [f"{found.probabilities[t]:.0%}"] if found.is_weighed else []
    plain = (f"{t + 1}", *likely, f"{found.relevance[t]:.5g}", f"{far:.1%}")
    labels = zip(flat[t, :_MOST_COLUMNS].tolist(), flat[0, :_MOST_COLUMNS].tolist(), strict=True)
    cells = [f"<td {_CELL}>{text}</td>" for text in plain]
    return "".join(cells + [f"<td {_CELL if a == b else _CHANGED}>{a}</td>" for a, b in labels])
