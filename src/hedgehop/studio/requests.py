# SPDX-License-Identifier: BSD-3-Clause
"""What the page asks for: strokes, labels, and how the list should be."""

from __future__ import annotations

import colorsys
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

MOST_LABELS = 32
MOST_RUN_VALUES = 1_500_000  # of a label map
_MOST_POINTS = 100_000
_Coordinate = Annotated[float, Field(ge=-1e5, le=1e5, allow_inf_nan=False)]

Kind = Literal["default", "anywhere", "labels", "neighbours", "regions"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Stroke(_Strict):
    """One movement of a brush, in pixels of the image.

    A label k >= 1 paints label k-1 (1 is background, 2 the object); 0 erases.
    """

    label: int = Field(ge=0, le=MOST_LABELS)
    radius: float = Field(gt=0, le=5000, allow_inf_nan=False)
    points: list[tuple[_Coordinate, _Coordinate]] = Field(min_length=1, max_length=20_000)


class CandidateRef(_Strict):
    """A candidate of an earlier list."""

    list: int = Field(ge=0, le=2**53)
    index: int = Field(ge=0, le=100)


class DrawnMap(_Strict):
    """A label map of the size that is solved, such as one that was edited: label, length, ... row by row."""

    runs: list[int] = Field(min_length=2, max_length=MOST_RUN_VALUES)


AnyMap = CandidateRef | DrawnMap


class SolveRequest(_Strict):
    """A list to be found."""

    strokes: list[Stroke] = Field(default_factory=list[Stroke], max_length=2000)
    m: int = Field(default=6, ge=1, le=9, description="how many candidates")
    kind: Kind = Field(default="default", description="what makes candidates different")
    distance: float = Field(
        default=0.05, gt=0, le=0.5, allow_inf_nan=False, description="share in which the second differs from the first"
    )
    smoothness: float = Field(default=1.0, ge=0, le=10, allow_inf_nan=False)
    box: tuple[_Coordinate, _Coordinate, _Coordinate, _Coordinate] | None = Field(
        default=None, description="left, top, right, bottom, in pixels of the image: everything outside is background"
    )
    base: AnyMap | None = Field(default=None, description="label map to stay close to")
    chosen: bool = Field(default=True, description="whether a person chose the base, or only saw it")
    after: int | None = Field(
        default=None, ge=0, le=2**53, description="the list that was on show before these strokes"
    )

    @field_validator("kind", mode="before")
    @classmethod
    def _former_name(cls, kind: object) -> object:
        return "default" if kind == "likely" else kind  # its name in files of version 1

    @field_validator("strokes")
    @classmethod
    def _not_endless(cls, strokes: list[Stroke]) -> list[Stroke]:
        if sum(len(stroke.points) for stroke in strokes) > _MOST_POINTS:
            raise ValueError(f"strokes have at most {_MOST_POINTS} points together")
        return strokes


class Label(_Strict):
    """A brush."""

    name: str = Field(min_length=1, max_length=60)
    color: str = Field(pattern=r"^#[0-9a-fA-F]{6}$")


def default_labels() -> list[Label]:
    """Return the two brushes everybody starts with."""
    return [Label(name="Background", color="#4f8ef7"), Label(name="Object", color="#e5484d")]


def class_labels(count: int) -> list[Label]:
    """Return names and colours of classes: hues far from each other, the first class grey."""
    colors = ["#8a8f98"] + [_hue(k) for k in range(1, count)]
    return [Label(name=f"class {k}", color=color) for k, color in enumerate(colors)]


def _hue(k: int) -> str:
    """Steps of the golden ratio never come close to an earlier hue."""
    rgb = colorsys.hls_to_rgb((0.07 + 0.618034 * k) % 1.0, (0.5, 0.62, 0.4)[k % 3], 0.72)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in rgb)


class Document(_Strict):
    """All that a person has made of an image, as kept in a session file."""

    request: SolveRequest = Field(default_factory=SolveRequest, alias="wish")  # its name in files of version 1
    labels: list[Label] = Field(default_factory=default_labels, min_length=2, max_length=MOST_LABELS)
