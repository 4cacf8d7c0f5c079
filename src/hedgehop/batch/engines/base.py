# SPDX-License-Identifier: BSD-3-Clause
"""What solves chunks of items, as the scheduler sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from hedgehop.batch.items import Item
from hedgehop.batch.outcomes import Outcome

Work = Callable[[Sequence[Item]], tuple[list[Outcome], float]]
# Of an item whose process is gone: it crashed; somebody ended it; it took too long; an executor's own error.
Cause = Literal["crash", "killed", "limit", "error"]


@dataclass(frozen=True)
class ChunkReport:
    """What became of items: outcomes, items to do again, and those that were being solved when a process ended."""

    outcomes: list[Outcome] = field(default_factory=list)
    finished: int = 0  # items of a whole chunk, and the seconds it took
    seconds: float = 0.0
    lost: list[Item] = field(default_factory=list)
    suspects: list[Item] = field(default_factory=list)
    cause: Cause = "error"
    said: str = ""
    trouble: OSError | None = None  # of the disk: no item is to blame, and nothing can go on


@dataclass(frozen=True)
class Running:
    """An item that is being solved, and for how long."""

    item: str
    seconds: float


class Engine(Protocol):
    """Takes chunks of items and reports what became of them."""

    def room(self) -> int:
        """How many more chunks it takes now."""

    def busy(self) -> bool:
        """Whether there is something to wait for."""

    def broken(self) -> bool:
        """Whether it cannot go on."""

    def submit(self, items: list[Item], alone: bool) -> None:
        """Take a chunk; alone: in a process that has done nothing before."""

    def wait(self, seconds: float) -> list[ChunkReport]:
        """Return what has happened, or nothing after so many seconds."""

    def running(self) -> list[Running]:
        """What is being solved now, as far as is known."""
