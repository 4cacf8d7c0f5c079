# SPDX-License-Identifier: BSD-3-Clause
"""The UAI format: MARKOV and BAYES networks, evidence, solutions, and .LG files of logarithms.

The score of a table's entry is the logarithm of its probability; probability 0 forbids (-inf). So does what is too
small for a double, as 1e-400: networks with such numbers are better kept in .LG files.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from os.path import isfile, splitext
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, Labels, integers
from hedgehop.io.file_access import MAX_BYTES, FilePath, atomic_write, write_text
from hedgehop.io.formats.factors import (
    LARGEST_COUNT,
    Factors,
    Integers,
    ScoreLimit,
    factors_of,
    refuse_padding,
    scope_problem,
    table_sizes,
)
from hedgehop.io.formats.tokens import Tokens
from hedgehop.models import FactorGraph, PairwiseModel

EvidenceLike = Literal["auto"] | FilePath | Mapping[int, int] | None
_FORBIDDEN = -1e300  # logarithms from here on downwards forbid
_FORBIDDEN_WORD = "-1e308"  # what we write: other programs do not read "-inf"
SOLUTION_SUFFIXES = (".map", ".mpe")  # suffixes of files with a labeling


def read(
    path: FilePath, *, logs: bool = False, evidence: EvidenceLike = "auto", max_bytes: int = MAX_BYTES
) -> FactorGraph:
    """Read a network; `logs` says that tables hold logarithms (.LG files)."""
    tokens = Tokens(path, max_bytes)
    kind = tokens.word("the kind of network")
    if kind.upper() not in ("MARKOV", "BAYES"):
        raise tokens.error(f"a UAI file must start with MARKOV or BAYES; got {kind[:40]!r}")
    n_variables = tokens.integer("the number of variables", low=1, high=LARGEST_COUNT)
    counts = tokens.integers(n_variables, "the number of labels of a variable", low=1, high=LARGEST_COUNT)
    refuse_padding(path, counts, ScoreLimit(tokens.size, max_bytes))
    arities, members = _scopes(tokens, n_variables)
    tables = _tables(tokens, table_sizes(counts, arities, members), logs, max_bytes)
    tokens.end()
    if logs:
        tables[tables <= _FORBIDDEN] = -np.inf
    else:
        positive = tables > 0
        np.log(tables, out=tables, where=positive)
        tables[~positive] = -np.inf
    return Factors(counts, arities, members, tables).model(_evidence(path, evidence, counts))


def _scopes(tokens: Tokens, n_variables: int) -> tuple[Integers, Integers]:
    """Number of variables of each factor, and these variables end to end."""
    first = tokens.taken + 1
    arities, members = tokens.lists(tokens.integer("the number of factors"), "a variable of a factor")
    problem = scope_problem(n_variables, arities, members)
    if problem:
        factor = np.searchsorted(np.cumsum(arities), problem[0], "right")
        raise tokens.error(problem[1], first + problem[0] + int(factor) + 1)
    return arities, members


def _tables(tokens: Tokens, sizes: Doubles, logs: bool, max_bytes: int) -> Doubles:
    """Entries of all tables, end to end; each table's size and each entry are checked."""
    if float(sizes.sum()) > max_bytes:
        raise tokens.error(f"the tables have {sizes.sum():.3g} entries, more than a file of {max_bytes} bytes can hold")
    whole = sizes.astype(np.int64)
    first, heads = tokens.taken, np.cumsum(whole + 1) - whole - 1
    values = tokens.numbers(int((whole + 1).sum()), "an entry of a table")
    wrong = np.flatnonzero(values[heads] != whole)
    if wrong.size:
        k = int(wrong[0])
        problem = f"the table of factor {k} must have {whole[k]} entries; the file says {values[heads[k]]:.17g}"
        raise tokens.error(problem, first + int(heads[k]))
    bad = np.flatnonzero(~((values >= (-np.inf if logs else 0.0)) & (values < np.inf)))
    if bad.size:
        kind = "a finite logarithm or -inf" if logs else "a finite number >= 0"
        raise tokens.error(f"an entry of a table must be {kind}; got {values[bad[0]]:.17g}", first + int(bad[0]))
    return np.delete(values, heads)


def _evidence(path: FilePath, evidence: EvidenceLike, counts: Integers) -> dict[int, int]:
    """Labels of observed variables: as given, from a file, or from the file beside the network."""
    if isinstance(evidence, str) and evidence == "auto":
        evidence = next(filter(isfile, evidence_names(path)), None)
    if evidence is None:
        return {}
    found = dict(evidence) if isinstance(evidence, Mapping) else read_evidence(evidence)
    for variable, label in found.items():
        if not 0 <= variable < counts.size:
            raise ValueError(f"evidence names variable {variable}; the network has 0..{counts.size - 1}.")
        if not 0 <= label < counts[variable]:
            raise ValueError(f"evidence gives variable {variable} label {label}; it takes 0..{counts[variable] - 1}.")
    return found


def evidence_names(path: FilePath) -> list[str]:
    """Return the names that a network's evidence can have, the first one first; files of other formats have none."""
    stem, suffix = splitext(str(path))
    plain = stem if suffix.lower() in (".gz", ".xz") else str(path)
    if splitext(plain)[1].lower() not in (".uai", ".lg"):
        return []
    return list(dict.fromkeys([f"{path}.evid", f"{plain}.evid"]))


def read_evidence(path: FilePath, max_bytes: int = MAX_BYTES) -> dict[int, int]:
    """Read the observed variables and their labels from an .evid file (one sample)."""
    values = Tokens(path, max_bytes).integers(None, "evidence", high=LARGEST_COUNT)
    if values.size % 2 == 0 and values.size and values[0] == 1:  # older files count their samples first
        values = values[1:]
    if values.size == 0 or values.size != 1 + 2 * values[0]:
        raise ValueError(f"{path} must hold a number k, then k pairs of variable and label; got {values.size} numbers.")
    return dict(zip(values[1::2].tolist(), values[2::2].tolist(), strict=True))


def read_labeling(path: FilePath, max_bytes: int = MAX_BYTES) -> Labels:
    """Read the labeling of a .MAP (or .MPE) solution file.

    Examples
    --------
    >>> import tempfile, pathlib, hedgehop as hh
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "grid.uai.MAP"
    >>> hh.io.write_labeling([1, 0, 2], file)
    >>> hh.io.read_labeling(file)
    array([1, 0, 2], dtype=int32)
    """
    tokens = Tokens(path, max_bytes)
    kind = tokens.word("MAP or MPE")
    if kind.upper() not in ("MAP", "MPE"):
        raise tokens.error(f"a solution file must start with MAP or MPE; got {kind[:40]!r}")
    values = tokens.integers(None, "a label", high=LARGEST_COUNT)
    if values.size >= 2 and values.size == 2 + values[1] and values[0] == 1:  # older files count their solutions
        values = values[1:]
    if values.size == 0 or values.size != 1 + values[0]:
        raise ValueError(f"{path} must hold a number n, then n labels; got {values.size} numbers.")
    return values[1:].astype(np.int32)


def write_labeling(labeling: ArrayLike, path: FilePath) -> None:
    """Write a labeling as a .MAP solution file."""
    flat = integers(labeling, "labeling").reshape(-1)
    write_text(path, f"MAP\n{' '.join(map(str, [flat.size, *flat.tolist()]))}\n")


def write(model: PairwiseModel, path: FilePath, *, logs: bool = False) -> None:
    """Write a model: tables of logarithms exactly, of probabilities as near as doubles can be."""
    with atomic_write(path) as file:
        counts = " ".join(map(str, model.label_counts.tolist()))
        scopes, tables = zip(*factors_of(model), strict=True)
        lines = (" ".join(map(str, [len(scope), *scope])) for scope in scopes)
        file.write("\n".join(["MARKOV", str(model.n_variables), counts, str(len(scopes)), *lines, ""]).encode())
        scores = np.concatenate([table.ravel() for table in tables])
        words = iter(map(_logarithm if logs else repr, (scores if logs else _probabilities(scores)).tolist()))
        for table in tables:
            file.write(f"\n{table.size}\n {' '.join(islice(words, table.size))}\n".encode())


def _logarithm(score: float) -> str:
    """Return a score as text: the shortest one that reads as the same double."""
    if _FORBIDDEN >= score > -np.inf:
        raise ValueError(f"a score is {score:g}; in an .LG file that forbids. Write an .npz file instead.")
    return repr(score) if score > _FORBIDDEN else _FORBIDDEN_WORD


def _probabilities(scores: Doubles) -> Doubles:
    """Doubles whose logarithms are the scores, bit for bit if there are such doubles."""
    with np.errstate(over="ignore", under="ignore"):
        values = np.exp(scores)
    beyond = ~np.isfinite(values) | ((values < np.finfo(float).tiny) & (scores > -np.inf))
    if beyond.any():
        raise ValueError(
            f"a score is {scores[beyond][0]:g}, beyond the logarithms of doubles. Write an .LG file instead."
        )
    for toward in (0.0, np.inf):  # exp rounds: the double meant may be a neighbour
        near = np.nextafter(values, toward)
        with np.errstate(divide="ignore"):
            better = (np.log(near) == scores) & (np.log(values) != scores)
        values = np.where(better, near, values)
    return values
