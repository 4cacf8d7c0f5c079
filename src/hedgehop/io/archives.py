# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in .npy and .npz files: plain ones, never pickled. Archives of our own have a line of JSON as header."""

from __future__ import annotations

import json
import zipfile
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import own
from hedgehop.io.file_access import MAX_BYTES, FilePath, atomic_write, damage_as
from hedgehop.io.small_archives import archive

Arrays = dict[str, NDArray[Any]]
_NUMBERS = "biufc"  # kinds of dtypes
_SMALL = 2**16  # bytes of all arrays, up to which the overhead of numpy and zipfile is most of the time


def write_archive(path: FilePath, header: dict[str, Any], arrays: Arrays) -> None:
    """Write arrays and a header as an .npz file."""
    with atomic_write(path) as file:
        pack(file, header, arrays)


def pack(file: IO[bytes], header: dict[str, Any], arrays: Arrays) -> None:
    """Write arrays and a header into an open file."""
    whole: Arrays = {"header": np.array(json.dumps(header))} | arrays
    if sum(array.nbytes for array in whole.values()) <= _SMALL:
        file.write(archive(whole))
    else:
        np.savez_compressed(file, **whole)  # type: ignore[arg-type]


def read_archive(path: FilePath, max_bytes: int = MAX_BYTES) -> tuple[dict[str, Any], Arrays]:
    """Read the header and the arrays of an .npz file that :func:`write_archive` wrote."""
    arrays = read_arrays(path, max_bytes)
    return dict(json.loads(str(arrays.pop("header")[()]))), arrays


def read_arrays(path: FilePath, max_bytes: int = MAX_BYTES) -> Arrays:
    """All arrays of an .npz file, which must be plain ones and no more than `max_bytes` together."""
    with damage_as(f"{path} is not an .npz file of plain arrays"), zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        _check_size(sum(entry.file_size for entry in entries), max_bytes)
        return {entry.filename.removesuffix(".npy"): _entry(archive, entry) for entry in entries}


def read_array(path: FilePath, max_bytes: int = MAX_BYTES) -> NDArray[Any]:
    """Return the array of an .npy file, which must be a plain one of numbers of at most `max_bytes`."""
    size = Path(path).stat().st_size
    with damage_as(f"{path} is not an .npy file of a plain array"), Path(path).open("rb") as file:
        _check_size(size, max_bytes)
        found = _array(file, size)
        if found.dtype.kind not in _NUMBERS:
            raise ValueError("it does not hold numbers")
        return found


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(entry) as file:
        return _array(file, entry.file_size)


def _check_size(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise ValueError(f"it holds more than {max_bytes} bytes. Pass a larger max_bytes= to read it anyway")


@lru_cache(maxsize=256)
def _header(text: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read shape, order and type; small files of a batch have the same ones, and are read in less time than these."""
    return np.lib.format.read_array_header_1_0(BytesIO(text))


def _array(file: IO[bytes], size: int) -> NDArray[Any]:
    """Read an array; refuse objects, and shapes that do not fit the bytes that are there."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("it is not a plain array")
    length = file.read(2)
    shape, by_columns, dtype = _header(length + file.read(int.from_bytes(length, "little")))
    wanted = dtype.itemsize * float(np.prod(shape, dtype=float))
    if dtype.hasobject or wanted > size:
        raise ValueError("it is not a plain array")
    data = file.read()  # to the end, where the checksum is compared
    if len(data) < wanted:
        raise ValueError("it is shorter than its header says")
    return own(np.ndarray(shape, dtype, data, order="F" if by_columns else "C") if wanted else np.zeros(shape, dtype))
