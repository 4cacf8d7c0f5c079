# SPDX-License-Identifier: BSD-3-Clause
"""Reliability diagrams: what was said to be likely against how often it came true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hedgehop._errors import need
from hedgehop.metrics import Reliability
from hedgehop.palette import PALETTE
from hedgehop.plotting.style import FAINT_INK, INK
from hedgehop.probabilities.calibrating import Calibration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LARGEST_DOT = 220.0  # area in points of the bin that holds all events


def plot_reliability(
    subject: Reliability | Calibration | Mapping[str, Reliability], title: str | None = None
) -> Figure:
    """Draw how often events came true against their probability; on the diagonal, probabilities are right.

    Parameters
    ----------
    subject : Reliability, Calibration, or mapping of names to Reliability
        ``hh.metrics.reliability`` and ``hh.calibrate`` make them; of a calibration, before and after are drawn.
    title : str, optional
        Title of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The area of a dot is the share of the events in its bin. The legend says what the error is, and what it would
        be by chance if the probabilities were right.

    Examples
    --------
    >>> import hedgehop as hh
    >>> len(plot_reliability(hh.metrics.reliability([0.9, 0.2], [1, 0])).axes)
    1
    """
    need("matplotlib", "plot", "plot_reliability")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.4, 4.4 + 0.3 * (title is not None)), dpi=120, layout="constrained", facecolor="white")
    if title is not None:
        figure.suptitle(title, fontsize=12, color=INK)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color=FAINT_INK, linewidth=0.8, linestyle="--")
    for k, (name, curve) in enumerate(_curves(subject).items()):
        label = f"{name}: error {curve.error:.3f}, by chance {curve.noise[0]:.3f}"
        _draw(axes, curve, label, PALETTE[k % len(PALETTE)])
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="probability", ylabel="how often it came true")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    return figure


def _curves(subject: Reliability | Calibration | Mapping[str, Reliability]) -> Mapping[str, Reliability]:
    if isinstance(subject, Calibration):
        after = f"temperature {subject.temperature:.3g}"
        return {"temperature 1": subject.before.reliability, after: subject.after.reliability}
    if isinstance(subject, Reliability):
        return {"probabilities": subject}
    if not isinstance(subject, Mapping):
        raise TypeError(
            f"subject must be what hh.metrics.reliability or hh.calibrate returns; got {type(subject).__name__}."
        )
    return subject


def _draw(axes: Axes, curve: Reliability, label: str, color: str) -> None:
    some = curve.counts > 0
    shares = curve.counts[some] / curve.counts.sum()
    axes.plot(curve.said[some], curve.true[some], color=color, linewidth=1.2, label=label)
    axes.scatter(curve.said[some], curve.true[some], np.maximum(_LARGEST_DOT * shares, 6.0), color=color, alpha=0.7)
