# SPDX-License-Identifier: BSD-3-Clause
"""Weighted automata as text: the format of AT&T, OpenFst, HFST and foma. Files hold costs, models scores.

Lines are ``from to label``, ``from to input output`` (an automaton of its outputs), or ``state`` for a final one, each
optionally followed by a cost; the first line names the start. The label ``<eps>`` reads nothing, and so does 0 if all
labels are numbers. A file of the same name with the suffix ``.syms`` gives numbers their names: ``name number``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hedgehop import _core
from hedgehop._arrays import own
from hedgehop.io.file_access import MAX_BYTES, FilePath, read_blocks, write_text
from hedgehop.io.formats.factors import ScoreLimit
from hedgehop.models import Automaton

_EPSILONS = ("<eps>", "<epsilon>", "@0@", "@_EPSILON_SYMBOL_@")
_BINARY = bytes((0xD6, 0xFD, 0xB2, 0x7E))  # how OpenFst's own files begin


@dataclass
class _Lines:
    """What the lines of a file say; labels and states as they are written."""

    arcs: list[tuple[str, str, str]] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    finals: dict[str, float] = field(default_factory=dict)
    start: str | None = None

    def add(self, words: list[str], columns: int) -> None:
        """Read one line; `columns` is how many an arc has before its cost."""
        self.start = words[0] if self.start is None else self.start
        if len(words) <= 2:
            self.finals[words[0]] = _cost(words[1:])
        elif len(words) in (columns, columns + 1):
            self.arcs.append((words[0], words[1], words[columns - 1]))
            self.costs.append(_cost(words[columns:]))
        else:
            raise ValueError(f"a line has {columns} columns or {columns + 1}, or 1 or 2 for a final state")


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> Automaton:
    """Read an automaton; its scores are negated costs."""
    text = b"".join(read_blocks(path, max_bytes))
    if text.startswith(_BINARY):
        raise ValueError(f"{path} is a binary file of OpenFst. Print it as text first: fstprint {Path(path).name}.")
    rows = [(k, line.split()) for k, line in enumerate(text.decode("utf-8", "replace").splitlines(), 1) if line.strip()]
    columns, lines = _columns([words for _, words in rows]), _Lines()
    for number, words in rows:
        try:
            lines.add(words, columns)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}.") from error
    if lines.start is None:
        raise ValueError(f"{path} holds no automaton: it has no lines.")
    return _model(path, lines, ScoreLimit(len(text), max_bytes), max_bytes)


def write(model: Automaton, path: FilePath) -> None:
    """Write an automaton with the names of its symbols; arcs of the start come first."""
    if not isinstance(model, Automaton):
        raise TypeError(f"{Path(path).suffix} files hold hh.Automaton; got {type(model).__name__}.")
    wrong = [name for name in model.symbols if name in _EPSILONS or len(name.split()) != 1]
    if wrong or (all(name.isdecimal() for name in model.symbols) and "0" in model.symbols):
        wanted = 'symbols must be words without spaces, not "<eps>" or, among numbers, "0", which mean nothing there'
        raise ValueError(f"{wanted}; got {(wrong or ['0'])[0]!r}. Make the model with other symbols.")
    order = np.lexsort((np.arange(len(model.arcs)), model.arcs[:, 0], model.arcs[:, 0] != model.start)).tolist()
    names = [*model.symbols, _EPSILONS[0]]  # -1 is the last
    lines = [
        f"{model.arcs[e, 0]}\t{model.arcs[e, 1]}\t{names[model.arcs[e, 2]]}\t{_shown(model.scores[e])}" for e in order
    ]
    ends = np.flatnonzero(np.isfinite(model.finals)).tolist()
    write_text(path, "\n".join([*lines, *(f"{s}\t{_shown(model.finals[s])}" for s in ends)]) + "\n")


def _shown(score: float) -> str:
    return "Infinity" if score == -np.inf else repr(float(-score) + 0.0)


def _cost(words: list[str]) -> float:
    cost = np.nan if words and not _is_number(words[0]) else float(words[0]) if words else 0.0
    if np.isnan(cost) or cost == -np.inf:
        raise ValueError(f"costs must be numbers above -inf; got {words[0]!r}")
    return cost


def _columns(rows: list[list[str]]) -> int:
    """3 if arcs have one label, 4 if they have an input and an output."""
    sizes = {len(words) for words in rows}
    fours = [words for words in rows if len(words) == 4]
    if 3 in sizes or (fours and 5 not in sizes and all(_is_number(w[3]) for w in fours) and _differ(fours)):
        return 3
    return 4 if sizes & {4, 5} else 3


def _differ(fours: list[list[str]]) -> bool:
    return any(words[2] != words[3] for words in fours)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _names(path: FilePath, max_bytes: int) -> dict[str, str]:
    """Names of labels that are numbers, from the table beside a file, if there is one."""
    base = Path(path)
    while base.suffix.lower() in (".gz", ".xz", ".txt", ".fst", ".att"):
        base = base.with_suffix("")
    table = base.with_name(f"{base.name}.syms")
    if not table.is_file():
        return {}
    rows = [line.split() for line in b"".join(read_blocks(table, max_bytes)).decode("utf-8", "replace").splitlines()]
    if any(len(row) not in (0, 2) for row in rows):
        raise ValueError(f"{table} must have a name and a number per line.")
    return {row[1]: row[0] for row in rows if row}


def _model(path: FilePath, lines: _Lines, room: ScoreLimit, max_bytes: int) -> Automaton:
    known = _names(path, max_bytes)
    used = sorted({label for *_, label in lines.arcs}, key=lambda name: (not name.isdecimal(), len(name), name))
    numeric = all(label.isdecimal() for label in used)
    shown = {label: known.get(label, label) for label in used}
    empty = {label for label in used if shown[label] in _EPSILONS or (numeric and label == "0")}
    symbols = list(dict.fromkeys(shown[label] for label in used if label not in empty))
    place = {name: k for k, name in enumerate(symbols)}
    states = {name: k for k, name in enumerate(dict.fromkeys(_states(lines)))}
    arcs = [(states[a], states[b], -1 if label in empty else place[shown[label]]) for a, b, label in lines.arcs]
    finals = {states[name]: -cost for name, cost in lines.finals.items() if np.isfinite(cost)}
    try:
        _check_size(arcs, finals, len(states), len(symbols), room)
        return Automaton(arcs, -np.array(lines.costs), finals, symbols=symbols)
    except ValueError as error:
        raise type(error)(f"{path}: {error}") from error


def _states(lines: _Lines) -> list[str]:
    assert lines.start is not None  # see `read`
    return [lines.start, *(name for a, b, _ in lines.arcs for name in (a, b)), *lines.finals]


def _check_size(
    arcs: list[tuple[int, int, int]], finals: dict[int, float], n_states: int, n_symbols: int, room: ScoreLimit
) -> None:
    """Refuse a short file that would make a huge model: positions times symbols."""
    ends = np.full(n_states, -np.inf)
    ends[list(finals)] = 0.0
    rows = own(np.array(arcs, np.int32).reshape(-1, 3))
    lattice = _core.grammars.Lattice(n_states, rows, own(np.zeros(len(rows))), 0, own(ends), n_symbols, None)
    problem = room.problem(float(lattice.length) * (n_symbols + 1), "the positions and symbols of the automaton")
    if problem is not None:
        raise ValueError(f"{problem}.")
