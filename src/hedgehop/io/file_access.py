# SPDX-License-Identifier: BSD-3-Clause
"""Files as bytes: plain, gzip or xz, read in blocks of bounded size, written completely or not at all."""

from __future__ import annotations

import errno
import gzip
import lzma
import os
import secrets
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from os.path import splitext
from pathlib import Path
from typing import IO, cast

from hedgehop._errors import UnsupportedError, said

FilePath = str | PathLike[str]

MAX_BYTES = 2**30  # of text after decompression, unless the caller allows more
_BLOCK_BYTES = 2**20
_LONGEST_REASON = 240  # characters of another library's message
_XZ_MEMORY = 2**28  # a header may ask for gigabytes; the largest preset needs 65 MB


def read_blocks(path: FilePath, max_bytes: int) -> Iterator[bytes]:
    """Contents of a file, decompressed by suffix, block by block; refuse more than `max_bytes` in total."""
    total, suffix = 0, splitext(path)[1].lower()  # a Path takes longer than reading a small file
    with open(path, "rb") as file:
        try:
            for block in _decompressed(file, suffix):
                total += len(block)
                if total > max_bytes:
                    raise ValueError(
                        f"{path} holds more than {max_bytes} bytes of text. Pass a larger max_bytes= to read it anyway."
                    )
                yield block
        except (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError) as error:
            raise ValueError(f"{path} is damaged and cannot be decompressed: {said(error)}.") from error


def _decompressed(file: IO[bytes], suffix: str) -> Iterator[bytes]:
    if suffix == ".xz":
        yield from _xz_blocks(file)
        return
    source = cast(IO[bytes], gzip.GzipFile(fileobj=file)) if suffix == ".gz" else file
    while block := source.read(_BLOCK_BYTES):
        yield block


def _xz_blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Like lzma.open, with a limit on memory; streams may follow each other."""
    decoder, data = lzma.LZMADecompressor(memlimit=_XZ_MEMORY), file.read(_BLOCK_BYTES)
    while True:
        yield decoder.decompress(data, _BLOCK_BYTES)
        data = b""
        if decoder.eof:
            data = decoder.unused_data.lstrip(b"\0") or file.read(_BLOCK_BYTES).lstrip(b"\0")
            if not data:
                return
            decoder = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
        elif decoder.needs_input:
            data = file.read(_BLOCK_BYTES)
            if not data:
                raise EOFError("it is truncated")


@contextmanager
def atomic_write(path: FilePath) -> Iterator[IO[bytes]]:
    """Write a file, compressed by suffix, completely or not at all; no link is followed, a link is replaced.

    The folder is held open, so that the file lands in it even if another folder gets its name in the meantime.
    """
    target = Path(path)
    refuse_special(target)
    temporary = f".{secrets.token_hex(12)}.part"
    try:
        with _held(target.parent) as folder:
            place = Path(temporary) if folder is not None else target.parent / temporary
            try:
                with exclusive(place, folder) as file, _compressing(file, target) as packed:
                    yield packed
                os.replace(place, target.name if folder is not None else target, src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(place, dir_fd=folder)
    except OSError as error:  # which should name the target, not the temporary file
        known = (None, temporary, str(target.parent / temporary), str(target.parent))
        error.filename = str(target) if error.filename in known else error.filename
        raise


@contextmanager
def _held(folder: Path) -> Iterator[int | None]:
    """Hold a folder open while the block runs, where the system can write by handles of folders."""
    if not {os.open, os.rename, os.unlink} <= os.supports_dir_fd:
        yield None
        return
    # A handle that only names the folder is enough, and needs no permission to read it.
    handle = os.open(folder, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _compressing(file: IO[bytes], target: Path) -> Iterator[IO[bytes]]:
    suffix = target.suffix.lower()
    if suffix == ".gz":
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
            yield cast(IO[bytes], packed)
    elif suffix == ".xz":
        with lzma.LZMAFile(file, "wb") as packed_xz:
            yield packed_xz
    else:
        yield file


def exclusive(path: Path, folder: int | None = None) -> IO[bytes]:
    """Create a new file, perhaps in a folder that is held open; a name that exists, even as a link, is refused."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, 0o666, dir_fd=folder), "wb")


def refuse_special(path: Path) -> None:
    """Refuse devices, pipes and the like: a file would take their place."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError(f"{path} must be an ordinary file; it is a device or a pipe. Use - to write to stdout.")


def write_text(path: FilePath, text: str) -> None:
    """Write a text file, completely or not at all."""
    with atomic_write(path) as file:
        file.write(text.encode())


class DamagedFileError(ValueError):
    """A file that cannot be read; ``why`` is what a library said about it."""

    def __init__(self, problem: str, why: str) -> None:
        super().__init__(f"{problem}: {why}.")
        self.why = why


@contextmanager
def damage_as(problem: str) -> Iterator[None]:
    """Turn what libraries raise for a damaged or foreign file into a clear message; other errors pass."""
    try:
        yield
    except (FileNotFoundError, IsADirectoryError, PermissionError, MemoryError, ImportError, UnsupportedError):
        raise
    except DamagedFileError as error:
        raise DamagedFileError(problem, error.why) from error
    except Exception as error:
        raise DamagedFileError(problem, _brief(error)) from error


def _brief(error: Exception) -> str:
    """Return the message of an error if users can read it: no bytes of the file, no names of Python types."""
    text = said(error)
    is_for_people = text.isprintable() and "\\x" not in text and "header" not in text and len(text) <= _LONGEST_REASON
    foreign = isinstance(error, (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, UnicodeError))
    foreign |= isinstance(error, OSError) and error.errno == errno.EINVAL  # a damaged archive leads before its begin
    return text if text and is_for_people and not foreign else "it is damaged, or another kind of file"
