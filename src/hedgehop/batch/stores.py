# SPDX-License-Identifier: BSD-3-Clause
"""Where results are kept: a folder of this machine, or anything that fsspec knows, such as s3:// or gs://."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from hedgehop._errors import need, said
from hedgehop.io.file_access import exclusive
from hedgehop.io.formats.uai import evidence_names

_HAS_HANDLES = sys.platform != "win32"  # functions of os that take the handle of a folder
_WHOLE = frozenset(
    {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "memory"}
)  # an object appears at once


class Store(Protocol):
    """Files by names with slashes; each is written completely or not at all."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file; it is safe when this returns."""

    def read(self, name: str) -> bytes | None:
        """Return what a file holds; None if there is none."""

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""

    def remove(self, name: str) -> None:
        """Remove a file or a whole folder, if it is there."""

    def names(self, folder: str) -> list[str]:
        """Return the files of a folder and of those below it, sorted."""

    def place(self, name: str) -> str:
        """Return where people find a file."""


def open_store(folder: str | os.PathLike[str], scratch: str = ".unfinished") -> Store:
    """Return the store of a folder or of an address such as s3://bucket/results."""
    if is_address(folder):
        return RemoteStore(str(folder))
    return LocalStore(Path(folder).absolute(), scratch)


@dataclass(frozen=True)
class LocalStore(Store):
    """A folder. Below it no link is followed: folders are opened by handles, files are new and renamed into place."""

    root: Path
    scratch: str = ".unfinished"  # where files are until they are complete

    def write(self, name: str, data: bytes) -> None:
        if not _HAS_HANDLES:
            self._write_by_name(name, data)
            return
        folder, _, last = name.rpartition("/")
        piece = secrets.token_hex(12)
        with _handle(self.root, self.scratch) as here, _handle(self.root, folder) as there:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            try:
                with os.fdopen(os.open(piece, flags, 0o666, dir_fd=here), "wb") as file:
                    _write_through(file, data)
                os.rename(piece, last, src_dir_fd=here, dst_dir_fd=there)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(piece, dir_fd=here)

    def _write_by_name(self, name: str, data: bytes) -> None:
        piece, target = self.root / self.scratch / secrets.token_hex(12), self.root / name
        for folder in (piece.parent, target.parent):
            folder.mkdir(parents=True, exist_ok=True)
        try:
            with exclusive(piece) as file:
                _write_through(file, data)
            piece.replace(target)
        finally:
            piece.unlink(missing_ok=True)

    def read(self, name: str) -> bytes | None:
        try:
            return (self.root / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def exists(self, name: str) -> bool:
        try:
            return (self.root / name).is_file()
        except OSError:  # a name too long
            return False

    def remove(self, name: str) -> None:
        path = self.root / name
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        except OSError:
            return

    def names(self, folder: str) -> list[str]:
        found = [
            (Path(where) / file).relative_to(self.root).as_posix()
            for where, _, files in os.walk(self.root / folder)
            for file in files
        ]
        return sorted(found)

    def place(self, name: str) -> str:
        return str(self.root / name)


@contextmanager
def _handle(root: Path, folder: str) -> Iterator[int]:
    """Open a folder below the root, both made if they are not there; a link on the way is an error."""
    try:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        root.mkdir(parents=True, exist_ok=True)
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in PurePosixPath(folder).parts:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=handle)
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle
    except OSError as error:
        error.filename = str(root / folder) if error.filename is None else os.path.join(root, folder)
        raise
    finally:
        os.close(handle)


def _write_through(file: Any, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


@dataclass(frozen=True)
class RemoteStore(Store):
    """What fsspec finds at an address. Stores of objects show whole ones only; elsewhere files are renamed."""

    url: str

    def _at(self, name: str) -> tuple[Any, str]:
        system, root = _system(self.url)
        return system, f"{root.rstrip('/')}/{name}"

    def write(self, name: str, data: bytes) -> None:
        system, path = self._at(name)
        protocols = {system.protocol} if isinstance(system.protocol, str) else set(system.protocol)
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        if protocols & _WHOLE:
            system.pipe_file(path, data)
            return
        piece = f"{path.rpartition('/')[0]}/.{secrets.token_hex(12)}.part"
        system.pipe_file(piece, data)
        system.mv(piece, path)

    def read(self, name: str) -> bytes | None:
        system, path = self._at(name)
        try:
            return bytes(system.cat_file(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def exists(self, name: str) -> bool:
        system, path = self._at(name)
        return bool(system.isfile(path))

    def remove(self, name: str) -> None:
        system, path = self._at(name)
        if system.exists(path):
            system.rm(path, recursive=True)

    def names(self, folder: str) -> list[str]:
        system, path = self._at(folder)
        base = len(system._strip_protocol(self._at("")[1]).rstrip("/")) + 1
        system.invalidate_cache()
        return sorted(found[base:] for found in system.find(path))

    def place(self, name: str) -> str:
        return f"{self.url.rstrip('/')}/{name}"


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether this is an address for fsspec, not a path of this machine."""
    return "://" in str(path)


def _system(url: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    core = need("fsspec.core", "batch", f"the address {url}")
    with _named(url):
        system, path = core.url_to_fs(url)
    return system, str(path)


@contextmanager
def _named(url: str) -> Iterator[None]:
    """Name the address in what a store raises, which may be anything; errors of the system stay what they are."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise ValueError(f"{url} cannot be opened: {said(error)}.") from error


def find_addresses(url: str) -> list[str]:
    """Return the addresses of all files at or below an address; in a pattern, * and ** stand for any names."""
    system, path = _system(url)
    with _named(url):
        found = system.glob(path) if "*" in path else system.find(path)
    scheme, _, rest = url.partition("://")
    _, mark, chain = rest.partition("::")
    return [f"{_address(system, scheme, file)}{mark}{chain}" for file in sorted(found)]


def _address(system: Any, scheme: str, place: str) -> str:
    """Return the address of a place that a file system told, as short as it understands it."""
    if is_address(place):  # web servers tell whole addresses
        return place
    short = f"{scheme}://{place.lstrip('/')}"
    return short if system._strip_protocol(short) == place else f"{scheme}://{place}"


@contextmanager
def local_copy(path: str) -> Iterator[str]:
    """Yield a file of this machine: the file itself or a copy of what is at an address, with its evidence."""
    if not is_address(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="hedgehop-") as folder:
        system, place = _system(path)
        target = os.path.join(folder, place.rpartition("/")[2] or "file")
        try:
            system.get_file(place, target)
            for evidence in filter(system.exists, evidence_names(place)):
                system.get_file(evidence, os.path.join(folder, evidence.rpartition("/")[2]))
        except (FileNotFoundError, NotADirectoryError):
            raise FileNotFoundError(2, "there is no such file", path) from None
        try:
            yield target
        except ValueError as error:  # messages name what people gave
            error.args = tuple(str(part).replace(target, path) for part in error.args)
            raise


def stamp(path: str) -> list[float | int | str] | None:
    """Return what changes whenever a file does, without reading it: size and time, or what the store knows."""
    if not is_address(path):
        try:
            status = os.stat(path)
        except OSError:
            return None
        return [status.st_size, status.st_mtime_ns]
    try:
        system, place = _system(path)
        info = system.info(place)
    except Exception:  # stores raise what they like; whoever reads the file says what is wrong
        return None
    known = next(
        (info[key] for key in ("ETag", "etag", "md5Hash", "mtime", "created", "LastModified") if info.get(key)), ""
    )
    return [int(info.get("size") or 0), str(known)]
