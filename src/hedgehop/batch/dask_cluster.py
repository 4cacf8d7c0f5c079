# SPDX-License-Identifier: BSD-3-Clause
"""A Dask cluster as an executor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from hedgehop._errors import need, said

_COUNT_SECONDS = 5.0  # for which a count of threads is believed


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Yield an executor on the cluster of a scheduler, and a function that tells how many threads it has now.

    Tasks of workers that are lost go to others; a task that kills several workers comes back as an error.
    """
    distributed = need("distributed", "batch", "a Dask cluster")
    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"there is no Dask scheduler at {address!r}: {said(error)}.") from error
    try:
        yield client.get_executor(pure=False), _Threads(client)
    finally:
        client.close(timeout=5)


class _Threads:
    """Number of threads of a cluster, asked for now and then: clusters grow and shrink."""

    def __init__(self, client: Any) -> None:
        self._client, self._count, self._time = client, 1, -_COUNT_SECONDS

    def __call__(self) -> int:
        now = time.monotonic()
        if now - self._time >= _COUNT_SECONDS:
            try:
                self._count, self._time = max(1, sum(self._client.nthreads().values())), now
            except (OSError, TimeoutError):  # the scheduler is away; its futures will tell
                self._time = now
        return self._count
