# SPDX-License-Identifier: BSD-3-Clause
"""Models in files of the field's formats, chosen by suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgehop.io import arrays, cfn, dimacs, opengm, uai, wcsp
from hedgehop.io.streams import MAX_BYTES, FilePath
from hedgehop.models import PairwiseModel

_FORMATS: dict[str, Any] = {".wcsp": wcsp, ".cfn": cfn, ".max": dimacs, ".npz": arrays, ".h5": opengm, ".hdf5": opengm}
_KINDS = (".uai", ".LG", *_FORMATS)


def read(path: FilePath, *, evidence: uai.Evidence = "auto", max_bytes: int = MAX_BYTES) -> PairwiseModel:
    """Read a model; the suffix says the format.

    Parameters
    ----------
    path : str or path
        ``.uai`` (MARKOV or BAYES; scores are logarithms of the tables), ``.LG`` (tables hold logarithms), ``.wcsp``
        and ``.cfn`` (toulbar2; costs become negative scores, costs from the upper bound on forbid), ``.max``
        (DIMACS maximum flow: the model's best labeling is a minimum cut), each perhaps with ``.gz`` or ``.xz``
        behind it, ``.npz`` (ours), or ``.h5`` (OpenGM, costs to be minimised; needs the ``io`` extra).
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
    if kind in (".uai", ".lg"):
        return uai.read(path, logs=kind == ".lg", evidence=evidence, max_bytes=max_bytes)
    if not (evidence is None or (isinstance(evidence, str) and evidence == "auto")):
        raise ValueError(f"evidence must be None for {kind} files; got {evidence!r}. Only .uai and .LG files have it.")
    model: PairwiseModel = _FORMATS[kind].read(path, max_bytes=max_bytes)
    return model


def readable(path: FilePath) -> bool:
    """Whether a file's suffix is one that :func:`read` knows."""
    try:
        return bool(_kind(path))
    except ValueError:
        return False


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a model; the suffix says the format, see :func:`read`. The file is complete or not there at all.

    Parameters
    ----------
    model : PairwiseModel
        ``.npz`` keeps the model as it is; ``.LG`` and ``.cfn`` keep every bit of the scores. ``.uai`` holds
        probabilities: scores that are no logarithm of a double are rounded. ``.wcsp`` and ``.max`` refuse models
        that they cannot hold; ``.h5`` is only read.
    path : str or path
        Where to.
    """
    kind = _kind(path)
    _refuse_others(model)
    if kind in (".uai", ".lg"):
        uai.write(model, path, logs=kind == ".lg")
    elif _FORMATS[kind] is opengm:
        raise ValueError(f"{kind} files are read, not written. Write an .npz or .cfn file instead.")
    else:
        _FORMATS[kind].write(model, path)


def _kind(path: FilePath) -> str:
    name = Path(path)
    suffix = name.with_suffix("").suffix if name.suffix.lower() in (".gz", ".xz") else name.suffix
    if suffix.lower() not in map(str.lower, _KINDS):
        known = ", ".join(_KINDS)
        raise ValueError(f"the suffix must be one of {known}, perhaps with .gz or .xz behind it; got {name.name!r}.")
    return suffix.lower()


def _refuse_others(model: Any) -> None:
    if not isinstance(model, PairwiseModel):
        raise TypeError(f"model must have unary and pairwise scores, as hh.FactorGraph; got {type(model).__name__}.")
