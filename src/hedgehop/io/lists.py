"""Lists in .npz files: plain arrays and one line of JSON, no pickle, with a format version."""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import own
from hedgehop.certificate import Certificate
from hedgehop.result import DiverseList

FORMAT = 1
_ARRAYS = ("labelings", "relevance", "gains", "bounds", "exact", "seconds")
_TEXTS = ("oracles", "tradeoff", "diversity", "method", "model", "sources")


def save(found: DiverseList, path: str | PathLike[str]) -> None:
    """Write a list; the file is complete or not there at all."""
    header = {name: getattr(found, name) for name in _TEXTS}
    header |= {"format": FORMAT, "certificate": asdict(found.certificate)}
    arrays: dict[str, NDArray[Any]] = {name: getattr(found, name) for name in _ARRAYS}
    if found.indices is not None:
        arrays["indices"] = found.indices
    target = Path(path)
    temporary = target.with_name(f".{target.name}.part")
    try:
        with temporary.open("wb") as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


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
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"][()]))
            version = header.get("format")
            if not isinstance(version, int) or version > FORMAT:
                raise ValueError(f"{path} has format {version!r}; this hedgehop reads up to {FORMAT}. Update hedgehop.")
            arrays = {name: own(file[name]) for name in _ARRAYS}
            indices = own(file["indices"]) if "indices" in file else None
    except (KeyError, AttributeError, TypeError, zipfile.BadZipFile, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is not a list saved by hedgehop.") from error
    return DiverseList(
        **arrays,
        **{name: tuple(v) if isinstance(v := header[name], list) else v for name in _TEXTS},
        certificate=_certificate(header["certificate"]),
        indices=indices,
    )


def _certificate(fields: dict[str, Any]) -> Certificate:
    return Certificate(**(fields | {"online": tuple(fields["online"])}))
