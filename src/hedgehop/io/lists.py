# SPDX-License-Identifier: BSD-3-Clause
"""Lists in .npz files: plain arrays and one line of JSON, no pickle, with a format version."""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import own
from hedgehop.io.streams import complete
from hedgehop.lists.certificate import Certificate
from hedgehop.lists.result import DiverseList

FORMAT = 1
_ARRAYS = ("labelings", "relevance", "gains", "bounds", "exact", "seconds")
_TEXTS = ("oracles", "tradeoff", "diversity", "method", "model", "sources")


def save(found: DiverseList, path: str | PathLike[str]) -> None:
    """Write a list; the file is complete or not there at all."""
    header = {name: getattr(found, name) for name in _TEXTS}
    header |= {"format": FORMAT, "certificate": asdict(found.certificate)}
    arrays: dict[str, NDArray[Any]] = {name: getattr(found, name) for name in _ARRAYS}
    arrays["header"] = np.array(json.dumps(header))
    if found.indices is not None:
        arrays["indices"] = found.indices
    with complete(path) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def load(path: str | PathLike[str]) -> DiverseList:
    """Read a list that ``found.save`` wrote; it knows everything but how to go on.

    Examples
    --------
    >>> import tempfile, pathlib, hedgehop as hh
    >>> found = hh.diverse(hh.FactorGraph([[1.0, 0.0]]), hh.VariableCoverage(), m=2)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "list.npz"
    >>> found.save(file)
    >>> hh.load(file).objective == found.objective
    True
    """
    with Path(path).open("rb") as file:
        header, arrays = _contents(file, path)
    version = header.get("format")
    if not isinstance(version, int) or not 1 <= version <= FORMAT:
        raise ValueError(f"{path} has format {version!r}; this hedgehop reads up to {FORMAT}. Update hedgehop.")
    indices = arrays.pop("indices", None)
    fields: dict[str, Any] = {name: header[name] for name in _TEXTS} | arrays
    fields |= {name: tuple(header[name]) for name in ("oracles", "sources")}
    return DiverseList(**fields, certificate=_certificate(header["certificate"]), indices=indices)


def _contents(file: IO[bytes], path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    try:
        if not zipfile.is_zipfile(file):
            raise ValueError("not a zip file")
        file.seek(0)
        with np.load(file, allow_pickle=False) as archive:
            header = dict(json.loads(str(archive["header"][()])))
            wanted = _ARRAYS if header.get("format") == FORMAT else ()
            names = [*wanted, *(["indices"] if "indices" in archive else [])]
            return header, {name: own(archive[name]) for name in names}
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is not a list saved by hedgehop.") from error


def _certificate(fields: dict[str, Any]) -> Certificate:
    return Certificate(**(fields | {"online": tuple(fields["online"])}))
