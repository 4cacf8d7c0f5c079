# SPDX-License-Identifier: BSD-3-Clause
"""Models in files of the field's formats, chosen by suffix."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import splitext
from pathlib import Path
from typing import Any

from hedgehop._plugins import plugins
from hedgehop.io.file_access import MAX_BYTES, FilePath
from hedgehop.io.formats import att, cfn, dimacs, npz, opengm, programs, uai, wcsp
from hedgehop.io.formats.names import Names
from hedgehop.models import Automaton, PairwiseModel, Program

_FORMATS: dict[str, Any] = {".wcsp": wcsp, ".max": dimacs, ".npz": npz, ".h5": opengm, ".hdf5": opengm}
_PROGRAMS = (".mps", ".lp")
_AUTOMATA = (".att", ".fst")
_SUFFIXES = (".uai", ".LG", ".cfn", *_FORMATS, *_PROGRAMS, *_AUTOMATA)
_LOWER_SUFFIXES = frozenset(map(str.lower, _SUFFIXES))
_COSTS = (".wcsp", ".max", ".h5", ".hdf5")  # always; a .cfn file says whether it holds costs


@dataclass(frozen=True)
class ModelFile:
    """What a file holds: a model, names if it gives any, and whether its numbers are costs, which scores negate."""

    model: Any
    names: Names | None = None
    costs: bool = False


def read(path: FilePath, *, evidence: uai.EvidenceLike = "auto", max_bytes: int = MAX_BYTES) -> Any:
    """Read a model; the suffix determines the format.

    Parameters
    ----------
    path : str or path
        ``.uai`` (MARKOV or BAYES; scores are logarithms of the tables), ``.LG`` (tables hold logarithms), ``.wcsp``
        and ``.cfn`` (toulbar2; scores are negated costs; costs at or above the upper bound forbid), ``.max``
        (DIMACS maximum flow: the model's best labeling is a minimum cut), each optionally followed by ``.gz`` or
        ``.xz``, ``.npz`` (ours), or ``.h5`` (OpenGM, costs to be minimised; needs the ``io`` extra); ``.mps`` or
        ``.lp`` (mixed-integer programs; need the ``program`` extra); ``.att``, ``.fst`` or ``.fst.txt`` (automata of
        AT&T and OpenFst as text; scores are negated costs; names of symbols from the file of the same name with the
        suffix ``.syms``); or a suffix that another package adds (``hh.plugins("formats")``).
    evidence : "auto", None, path or {variable: label}
        Labels of observed variables of a ``.uai`` or ``.LG`` file: all their other labels are forbidden. "auto"
        uses the file of the same name followed by ``.evid``, if it exists.
    max_bytes : int
        Refuse files with more text than this, after decompression, and models that would need more than a sixteenth of
        it, unless their file has at least a 64th of the model's size.

    Returns
    -------
    PairwiseModel, Program, Automaton, or what another package reads
        Probabilities of 0 become scores of -inf.

    Examples
    --------
    >>> import tempfile, pathlib, hedgehop as hh
    >>> model = hh.FactorGraph([[0.0, 1.0], [2.0, 0.0]], edges=[[0, 1]], pairwise=[[0.0, -1.0], [-1.0, 0.0]])
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "small.LG.gz"
    >>> hh.write(model, file)
    >>> hh.read(file).score([1, 0]) == model.score([1, 0])
    True
    """
    return read_file(path, evidence, max_bytes).model


def read_file(path: FilePath, evidence: uai.EvidenceLike = "auto", max_bytes: int = MAX_BYTES) -> ModelFile:
    """Read a model as :func:`read` does, with what else the file says."""
    suffix = _known_suffix(path)
    if suffix in (".uai", ".lg"):
        return ModelFile(uai.read(path, logs=suffix == ".lg", evidence=evidence, max_bytes=max_bytes))
    if not (evidence is None or (isinstance(evidence, str) and evidence == "auto")):
        raise ValueError(
            f"evidence must be None for {suffix} files; got {evidence!r}. Only .uai and .LG files have it."
        )
    if suffix == ".cfn":
        network = cfn.read(path, max_bytes=max_bytes)
        return ModelFile(network.model, network.names, network.costs)
    if suffix in _PROGRAMS:
        program, costs = programs.read_with_sense(path, max_bytes)
        return ModelFile(program, _column_names(program), costs)
    if suffix in _AUTOMATA:
        automaton = att.read(path, max_bytes=max_bytes)
        return ModelFile(automaton, _symbol_names(automaton), costs=True)
    if suffix in _FORMATS:
        return ModelFile(_FORMATS[suffix].read(path, max_bytes=max_bytes), costs=suffix in _COSTS)
    return ModelFile(_added()[suffix].read(path))


def write(model: PairwiseModel | Automaton, path: FilePath) -> None:
    """Write a model; the suffix determines the format, see :func:`read`. The file is written completely or not at all.

    Parameters
    ----------
    model : PairwiseModel or Automaton
        Automata are written as ``.att`` or ``.fst``, others in the other formats. ``.npz`` keeps the model as it is;
        ``.LG`` and ``.h5`` keep every bit of the scores, ``.cfn`` about 15 digits of the largest total, as toulbar2
        does. ``.uai`` holds probabilities: scores that are not the logarithm of a double are rounded. ``.max`` rounds
        to 31 bits. ``.wcsp`` and ``.max`` refuse models that they cannot represent.
    path : str or path
        The file to write.
    """
    write_file(ModelFile(model), path)


def write_file(held: ModelFile, path: FilePath) -> None:
    """Write a model as :func:`write` does, with its names if the format has any."""
    model = held.model
    suffix = _known_suffix(path)
    if suffix in (*_PROGRAMS, *_AUTOMATA, *_added()):
        others = dict.fromkeys(_PROGRAMS, programs) | dict.fromkeys(_AUTOMATA, att) | _added()
        others[suffix].write(model, path)
        return
    if not isinstance(model, PairwiseModel):
        raise TypeError(
            f"model must have unary and pairwise scores, such as hh.FactorGraph; got {type(model).__name__}."
        )
    if suffix in (".uai", ".lg"):
        uai.write(model, path, logs=suffix == ".lg")
    elif suffix == ".cfn":
        cfn.write(model, path, held.names)
    else:
        _FORMATS[suffix].write(model, path)


def is_model_file(path: FilePath) -> bool:
    """Whether a file's suffix is one that :func:`read` knows."""
    return (suffix := _suffix(path)) in _LOWER_SUFFIXES or suffix in _added()


def _column_names(program: Program) -> Names | None:
    """Names of the columns that are labelled."""
    if not program.names:
        return None
    return Names(tuple(program.names[k] for k in program.columns.tolist()), ((),) * program.n_variables)


def _symbol_names(automaton: Automaton) -> Names:
    """Symbols at all positions; nothing stands behind the end."""
    symbols = automaton.symbols if automaton.end is None else (*automaton.symbols, "")
    positions = tuple(f"position {k}" for k in range(automaton.n_variables))
    return Names(positions, (symbols,) * automaton.n_variables)


def _added() -> dict[str, Any]:
    """Formats of other packages by suffix: objects with `read(path)` and `write(model, path)`."""
    return {f".{name.lower()}": made for name, made in plugins("formats").items()}


def _known_suffix(path: FilePath) -> str:
    if not is_model_file(path):
        known, name = ", ".join((*_SUFFIXES, *_added())), Path(path).name
        raise ValueError(f"the suffix must be one of {known}, optionally followed by .gz or .xz; got {name!r}.")
    return _suffix(path)


def _suffix(path: FilePath) -> str:
    """Return the suffix of a file in small letters, without that of its compression."""
    stem, suffix = splitext(str(path).lower())
    if suffix in (".gz", ".xz"):
        stem, suffix = splitext(stem)
    return ".fst" if suffix == ".txt" and stem.endswith(".fst") else suffix
