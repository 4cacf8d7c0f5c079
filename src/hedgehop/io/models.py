# SPDX-License-Identifier: BSD-3-Clause
"""Models in files of the field's formats, chosen by suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgehop.io.file_access import MAX_BYTES, FilePath
from hedgehop.io.formats import cfn, dimacs, npz, opengm, uai, wcsp
from hedgehop.models import PairwiseModel

_FORMATS: dict[str, Any] = {".wcsp": wcsp, ".cfn": cfn, ".max": dimacs, ".npz": npz, ".h5": opengm, ".hdf5": opengm}
_SUFFIXES = (".uai", ".LG", *_FORMATS)


def read(path: FilePath, *, evidence: uai.Evidence = "auto", max_bytes: int = MAX_BYTES) -> PairwiseModel:
    """Read a model; the suffix determines the format.

    Parameters
    ----------
    path : str or path
        ``.uai`` (MARKOV or BAYES; scores are logarithms of the tables), ``.LG`` (tables hold logarithms), ``.wcsp``
        and ``.cfn`` (toulbar2; scores are negated costs; costs at or above the upper bound forbid), ``.max``
        (DIMACS maximum flow: the model's best labeling is a minimum cut), each optionally followed by ``.gz`` or
        ``.xz``, ``.npz`` (ours), or ``.h5`` (OpenGM, costs to be minimised; needs the ``io`` extra).
    evidence : "auto", None, path or {variable: label}
        Labels of observed variables of a ``.uai`` or ``.LG`` file: all their other labels are forbidden. "auto"
        uses the file of the same name followed by ``.evid``, if it exists.
    max_bytes : int
        Refuse files with more text than this, after decompression.

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
    suffix = _known_suffix(path)
    if suffix in (".uai", ".lg"):
        return uai.read(path, logs=suffix == ".lg", evidence=evidence, max_bytes=max_bytes)
    if not (evidence is None or (isinstance(evidence, str) and evidence == "auto")):
        raise ValueError(
            f"evidence must be None for {suffix} files; got {evidence!r}. Only .uai and .LG files have it."
        )
    model: PairwiseModel = _FORMATS[suffix].read(path, max_bytes=max_bytes)
    return model


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a model; the suffix determines the format, see :func:`read`. The file is written completely or not at all.

    Parameters
    ----------
    model : PairwiseModel
        ``.npz`` keeps the model as it is; ``.LG`` and ``.cfn`` keep every bit of the scores. ``.uai`` holds
        probabilities: scores that are not the logarithm of a double are rounded. ``.wcsp`` and ``.max`` refuse
        models that they cannot represent; ``.h5`` can only be read.
    path : str or path
        The file to write.
    """
    suffix = _known_suffix(path)
    if not isinstance(model, PairwiseModel):
        raise TypeError(
            f"model must have unary and pairwise scores, such as hh.FactorGraph; got {type(model).__name__}."
        )
    if suffix in (".uai", ".lg"):
        uai.write(model, path, logs=suffix == ".lg")
    else:
        _FORMATS[suffix].write(model, path)


def is_model_file(path: FilePath) -> bool:
    """Whether a file's suffix is one that :func:`read` knows."""
    return _suffix(path) in map(str.lower, _SUFFIXES)


def _known_suffix(path: FilePath) -> str:
    if not is_model_file(path):
        known, name = ", ".join(_SUFFIXES), Path(path).name
        raise ValueError(f"the suffix must be one of {known}, optionally followed by .gz or .xz; got {name!r}.")
    return _suffix(path)


def _suffix(path: FilePath) -> str:
    """Return the suffix of a file in small letters, without that of its compression."""
    name = Path(path)
    return (name.with_suffix("") if name.suffix.lower() in (".gz", ".xz") else name).suffix.lower()
