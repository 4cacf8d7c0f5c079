"""Models in files of the field's formats, chosen by suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgehop.io import uai
from hedgehop.io.streams import MAX_BYTES, FilePath
from hedgehop.models import PairwiseModel

_KINDS = (".uai", ".lg")


def read(path: FilePath, *, evidence: uai.Evidence = "auto", max_bytes: int = MAX_BYTES) -> PairwiseModel:
    """Read a model; the suffix says the format.

    Parameters
    ----------
    path : str or path
        ``.uai`` (MARKOV or BAYES; scores are logarithms of the tables) or ``.LG`` (tables hold logarithms), each
        perhaps with ``.gz`` or ``.xz`` behind it.
    evidence : "auto", None, path or {variable: label}
        Labels of observed variables of a ``.uai`` or ``.LG`` file: all their other labels are forbidden. "auto"
        takes the file of the same name with ``.evid`` behind it, if there is one.
    max_bytes : int
        Refuse files that hold more text, after decompression.

    Returns
    -------
    PairwiseModel
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
    kind = _kind(path)
    return uai.read(path, logs=kind == ".lg", evidence=evidence, max_bytes=max_bytes)


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a model; the suffix says the format, see :func:`read`. The file is complete or not there at all.

    Parameters
    ----------
    model : PairwiseModel
        ``.LG`` keeps every bit of the scores. ``.uai`` holds probabilities: scores that are no logarithm of a double
        are rounded.
    path : str or path
        Where to.
    """
    kind = _kind(path)
    _refuse_others(model)
    uai.write(model, path, logs=kind == ".lg")


def _kind(path: FilePath) -> str:
    name = Path(path)
    suffix = name.with_suffix("").suffix if name.suffix.lower() in (".gz", ".xz") else name.suffix
    if suffix.lower() not in _KINDS:
        known = ", ".join(_KINDS)
        raise ValueError(f"the suffix must be one of {known}, perhaps with .gz or .xz behind it; got {name.name!r}.")
    return suffix.lower()


def _refuse_others(model: Any) -> None:
    if not isinstance(model, PairwiseModel):
        raise TypeError(f"model must have unary and pairwise scores, as hh.FactorGraph; got {type(model).__name__}.")
