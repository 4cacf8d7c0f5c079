# SPDX-License-Identifier: BSD-3-Clause
"""Draw docs/pictures/flow.svg: how data flow through hedgehop. Run with any Python."""

from pathlib import Path

BOXES = [  # column, row, title, lines
    (
        0,
        1,
        "what you have",
        ["an image and strokes", "scores of a network", "a .uai, .wcsp, .h5 file", "arrays, features"],
    ),
    (
        1,
        1,
        "models/",
        ["Grid · FactorGraph · Chain", "SpanningTree · Matching", "Arborescence", "score(y) = relevance"],
    ),
    (1, 0, "diversity/", ["HammingBall", "LabelCoverage · ...", "value, gain", "potentials(list)"]),
    (
        2,
        0,
        "potentials/",
        ["Linear · LabelWeights", "TransitionWeights", "BallCoverage · Regions ...", "the gain as a function of y"],
    ),
    (
        2,
        1,
        "oracles/",
        ["graphcut · trws · expansion", "lagrangian · tree · ilp · ...", "labeling + upper bound", "loops in cpp/"],
    ),
    (
        3,
        0,
        "lists/",
        ["one step after the other", "greedy · distorted · joint", "select · portfolio", "warm state kept"],
    ),
    (3, 1, "certificate", ["bounds of the steps", "→ bound of every list", "guarantee"]),
    (4, 0, "result", ["DiverseList", "labelings, relevance,", "gains, bounds, report()"]),
    (4, 1, "what you get", ["plot · save · masks", "hedgehop command", "batch · studio"]),
]
ARROWS = [
    *(((0, 1), (1, 1)), ((1, 1), (2, 1)), ((1, 0), (2, 0)), ((2, 0), (2, 1)), ((2, 1), (3, 0)), ((2, 1), (3, 1))),
    *(((3, 0), (4, 0)), ((3, 1), (4, 0)), ((4, 0), (4, 1))),
]
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN, TOP = 176, 118, 44, 46, 16, 44


def corner(column, row):
    return MARGIN + column * (WIDTH + GAP_X), TOP + row * (HEIGHT + GAP_Y)


def box(column, row, title, lines):
    x, y = corner(column, row)
    text = "".join(f'<text x="{x + 12}" y="{y + 46 + 18 * k}">{line}</text>' for k, line in enumerate(lines))
    head = f'<text x="{x + 12}" y="{y + 24}" class="title">{title}</text>'
    return f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>{head}{text}'


def arrow(start, end):
    (a, b), (c, d) = corner(*start), corner(*end)
    if start[0] == end[0]:
        points = (a + WIDTH / 2, b + HEIGHT, c + WIDTH / 2, d)
    else:
        tilt = 30 if start[1] < end[1] else -30 if start[1] > end[1] else 0
        points = (a + WIDTH, b + HEIGHT / 2 + tilt, c, d + HEIGHT / 2 - tilt)
    return '<line x1="{}" y1="{}" x2="{}" y2="{}" marker-end="url(#tip)"/>'.format(*points)


def list_so_far():
    """Each step sees the list of the steps before."""
    (a, top), (b, _) = corner(3, 0), corner(1, 0)
    start, end = a + WIDTH / 2, b + WIDTH / 2
    line = f'<path class="back" d="M{start} {top} V{top - 24} H{end} V{top}" marker-end="url(#tip)"/>'
    return f'{line}<text x="{(start + end) / 2 - 40}" y="{top - 30}">the list so far</text>'


def draw():
    width, height = MARGIN * 2 + 5 * WIDTH + 4 * GAP_X, TOP + MARGIN + 2 * HEIGHT + GAP_Y
    style = (
        "rect{fill:#f4f6f8;stroke:#51606e} text{font:12px sans-serif;fill:#16202a} text.title{font:600 14px sans-serif}"
    )
    style += "line,.back{stroke:#51606e;stroke-width:1.5;fill:none} .back{stroke-dasharray:5 4}"
    tip = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    tip += '<path d="M0 0 8 4 0 8z" fill="#51606e"/></marker>'
    parts = [*(arrow(*a) for a in ARROWS), *(box(*b) for b in BOXES), list_so_far()]
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
    title = "<title>From a model and a diversity to potentials, oracles, steps, a list and its certificate</title>"
    return f"{opening}{title}<style>{style}</style><defs>{tip}</defs>\n" + "\n".join(parts) + "\n</svg>\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(draw(), encoding="utf-8")
