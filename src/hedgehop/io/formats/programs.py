# SPDX-License-Identifier: BSD-3-Clause
"""Mixed-integer programs: .mps and .lp files, and problems of PuLP and Pyomo, read by HiGHS."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hedgehop._errors import UnsupportedError, need
from hedgehop.io.file_access import MAX_BYTES, FilePath
from hedgehop.models import Program

_SENSES = ("minimize", "minimum", "min", "maximize", "maximum", "max")


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> Program:
    """Read a program; its relevance is the negated cost, or what is maximised."""
    return read_with_sense(path, max_bytes)[0]


def read_with_sense(path: FilePath, max_bytes: int) -> tuple[Program, bool]:
    """Read a program, and whether it is one of costs."""
    highspy: Any = need("highspy", "program", "a file of a program")
    size = Path(path).stat().st_size  # says so if there is no such file
    if size > max_bytes:
        raise ValueError(f"{path} holds more than {max_bytes} bytes. Pass a larger max_bytes= to read it anyway.")
    if Path(path).suffix.lower() == ".lp":
        _check_sense(path)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    if solver.readModel(str(path)) == highspy.HighsStatus.kError:
        raise ValueError(f"{path} is not a program that HiGHS can read.")
    if solver.getHessianNumNz():
        raise UnsupportedError(f"{path} must have a linear objective; it has a quadratic one. Linearise its products.")
    lp = solver.getLp()
    return _program(highspy, lp), lp.sense_ == highspy.ObjSense.kMinimize


def _check_sense(path: FilePath) -> None:
    """Refuse a file that begins otherwise: HiGHS skips what it does not know, and with it the objective."""
    with open(path, encoding="utf-8", errors="replace") as file:
        words = (word for line in file for word in re.findall(r"[^\s:]+", line.partition("\\")[0]))
        first = next(words, "")
    if first.lower() not in _SENSES:
        raise ValueError(
            f"{path} must begin with Minimize or Maximize, the words that HiGHS knows; got {first[:40]!r}."
        )


def write(model: Any, path: FilePath) -> None:
    """Refuse: a model holds its program as arrays, which HiGHS and others write."""
    raise ValueError(f"{Path(path).suffix} files are read, not written. Write the arrays with highspy or scipy.")


def program_of(problem: Any) -> Program:
    """Return the model of a PuLP problem or a Pyomo model; needs highspy.

    Parameters
    ----------
    problem : pulp.LpProblem or a concrete Pyomo model
        Written to a temporary .lp file, and read from it.

    Examples
    --------
    >>> import pulp, hedgehop as hh  # doctest: +SKIP
    >>> problem = pulp.LpProblem("lunch", pulp.LpMaximize)  # doctest: +SKIP
    >>> soup, bread = (pulp.LpVariable(name, cat="Binary") for name in ("soup", "bread"))  # doctest: +SKIP
    >>> problem += 2 * soup + bread  # doctest: +SKIP
    >>> problem += soup + bread <= 1  # doctest: +SKIP
    >>> hh.best(hh.io.program_of(problem)).value  # doctest: +SKIP
    2.0
    """
    writes = getattr(problem, "writeLP", None) or getattr(problem, "write", None)
    if not callable(writes):
        raise TypeError(f"problem must be a PuLP problem or a Pyomo model; got {type(problem).__name__}.")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "problem.lp"
        writes(str(file))
        return read(file)


def _program(highspy: Any, lp: Any) -> Program:
    from scipy.sparse import csc_array, csr_array

    kinds = list(lp.integrality_) or [highspy.HighsVarType.kContinuous] * lp.num_col_
    whole = [kind == highspy.HighsVarType.kInteger for kind in kinds]
    if any(kind not in (highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous) for kind in kinds):
        raise UnsupportedError("columns must be real or integer; semi-continuous ones are not supported.")
    a = lp.a_matrix_
    make = csc_array if a.format_ == highspy.MatrixFormat.kColwise else csr_array
    matrix = make((np.array(a.value_), np.array(a.index_), np.array(a.start_)), shape=(lp.num_row_, lp.num_col_))
    costs, low, high = (np.array(part, float) for part in (lp.col_cost_, lp.col_lower_, lp.col_upper_))
    names = list(lp.col_names_) or [f"x{k}" for k in range(lp.num_col_)]
    if lp.offset_:  # a column that is always 1
        costs, low, high = (np.append(part, end) for part, end in ((costs, lp.offset_), (low, 1.0), (high, 1.0)))
        matrix, whole, names = csr_array(_with_column(matrix)), [*whole, False], [*names, "offset"]
    rows = (csr_array(matrix), np.array(lp.row_lower_), np.array(lp.row_upper_))
    maximize = lp.sense_ == highspy.ObjSense.kMaximize
    return Program(costs, np.array(whole, int), (low, high), rows if lp.num_row_ else (), maximize, names)


def _with_column(matrix: Any) -> Any:
    from scipy.sparse import csr_array, hstack

    return hstack([matrix, csr_array((matrix.shape[0], 1))])
