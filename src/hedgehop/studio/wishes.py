# SPDX-License-Identifier: BSD-3-Clause
"""What the page asks for: strokes, labels, and how the list should be."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

MOST_LABELS = 32
_MOST_POINTS = 100_000
_Coordinate = Annotated[float, Field(ge=-1e5, le=1e5, allow_inf_nan=False)]

Kind = Literal["likely", "anywhere", "labels", "neighbours", "regions"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Stroke(_Part):
    """One movement of a brush, in pixels of the image.

    A label k >= 1 paints label k-1 (1 is background, 2 the object); 0 erases.
    """

    label: int = Field(ge=0, le=MOST_LABELS)
    radius: float = Field(gt=0, le=5000, allow_inf_nan=False)
    points: list[tuple[_Coordinate, _Coordinate]] = Field(min_length=1, max_length=20_000)


class Base(_Part):
    """A candidate of an earlier list."""

    list: int = Field(ge=0)
    index: int = Field(ge=0, le=100)


def _strokes() -> list[Stroke]:
    return []


class Wish(_Part):
    """A list to be found."""

    strokes: list[Stroke] = Field(default_factory=_strokes, max_length=2000)
    m: int = Field(default=6, ge=1, le=9, description="how many candidates")
    kind: Kind = Field(default="likely", description="what makes candidates different")
    distance: float = Field(
        default=0.05, gt=0, le=0.5, allow_inf_nan=False, description="share in which the second differs from the first"
    )
    smoothness: float = Field(default=1.0, ge=0, le=10, allow_inf_nan=False)
    base: Base | None = Field(default=None, description="candidate to refine")

    @field_validator("strokes")
    @classmethod
    def _not_endless(cls, strokes: list[Stroke]) -> list[Stroke]:
        if sum(len(stroke.points) for stroke in strokes) > _MOST_POINTS:
            raise ValueError(f"strokes have at most {_MOST_POINTS} points together")
        return strokes


class Label(_Part):
    """A brush."""

    name: str = Field(min_length=1, max_length=60)
    color: str = Field(pattern=r"^#[0-9a-fA-F]{6}$")


def default_labels() -> list[Label]:
    """Return the two brushes everybody starts with."""
    return [Label(name="Background", color="#4f8ef7"), Label(name="Object", color="#f2b632")]


class Document(_Part):
    """All that a person has made of an image, as kept in a session file."""

    wish: Wish = Field(default_factory=Wish)
    labels: list[Label] = Field(default_factory=default_labels, min_length=2, max_length=MOST_LABELS)
