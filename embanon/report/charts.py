"""Charts of risks inside a page: no script, readable without color, with a description in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from typing import Final

import numpy as np

from embanon.errors import MissingExtraError
from embanon.report.markup import SHADES, draw, shade

STEPS: Final = 10
BLOCKS: Final = 50
"""Blocks that a text is cut into, however long it is."""
NAMED: Final = 30
"""Places that are named at most."""


def histogram(series: Sequence[tuple[str, Sequence[float]]], limit: float, label: str) -> str:
    """Draw how often which risk is, series beside each other, with the limit."""
    counts = [np.histogram(values, bins=STEPS, range=(0.0, 1.0))[0].tolist() for _, values in series]
    most = max(map(max, counts), default=0) or 1
    description = f"{label}. {_describe_histogram(series, counts)}"
    return draw("histogram", [name for name, _ in series], counts, most, limit, description)


def _describe_histogram(series: Sequence[tuple[str, Sequence[float]]], counts: Sequence[Sequence[int]]) -> str:
    """Return a histogram in words."""
    parts = []
    for (name, _), bins in zip(series, counts, strict=True):
        filled = [f"{count} from {place / STEPS:g}" for place, count in enumerate(bins) if count]
        parts.append(f"{name}: {', '.join(filled) or 'none'}")
    return "; ".join(parts)


def risk_strip(places: Sequence[float], risks: Sequence[float]) -> str:
    """Draw where in a text its risks are, in blocks that tell neither words nor lengths; places are from 0 to 1."""
    shades: list[int | None] = [None] * BLOCKS
    for place, risk in zip(places, risks, strict=True):
        block = min(int(place * BLOCKS), BLOCKS - 1)
        shades[block] = max(shades[block] or 0, shade(risk))
    risky = ", ".join(f"{100 * place // BLOCKS} %" for place, step in enumerate(shades) if step == SHADES - 1)
    description = f"The highest risks stand at {risky} of the text" if risky else "No risk is near the highest"
    return draw("strip", shades, description)


@dataclass(frozen=True, slots=True)
class Series:
    """A line: its name and a value from 0 to the top of the scale at each place; NaN is a gap."""

    name: str
    values: Sequence[float]


def line_chart(
    places: Sequence[str], series: Sequence[Series], marked: int | None, label: str, *, alone: bool = False,
    top: float = 1.0, around: tuple[int, int] | None = None,
) -> str:  # fmt: skip
    """Draw values over places, a line each, with the place that is marked, and the bounds `around` it as a band.

    Of many places only some are named, marked and said. `alone` is for a file of its own, which shows its label.
    """
    step = 480 / max(len(places) - 1, 1)
    across = [60 + place * step for place in range(len(places))]
    named = range(0, len(places), -(-len(places) // NAMED) or 1)
    lines = []
    for line in series:
        points = [(x, 210 - 200 * value / top) for x, value in zip(across, line.values, strict=True)]
        stretches = [list(stretch) for known, stretch in groupby(points, lambda point: point[1] == point[1]) if known]
        lines.append((line.name, stretches, named.step))
    return draw(
        "lines", label, f"{label}. {_describe_lines(places, series, marked, named)}",
        [(across[place], places[place]) for place in named], lines, None if marked is None else across[marked],
        around and [across[place] for place in around], top, alone,
    )  # fmt: skip


def _describe_lines(places: Sequence[str], series: Sequence[Series], marked: int | None, named: Sequence[int]) -> str:
    """Return a line chart in words."""
    chosen = "" if marked is None else f"Marked: {places[marked]}. "
    lines = (
        f"{line.name}: "
        + ", ".join(f"{line.values[at]:.2f} at {places[at]}" for at in named if line.values[at] == line.values[at])
        for line in series
    )
    return chosen + "; ".join(lines)


def line_chart_png(
    places: Sequence[str], series: Sequence[Series], marked: int | None, label: str, *,
    around: tuple[int, int] | None = None,
) -> bytes:  # fmt: skip
    """Draw the same as a picture of dots."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as exc:
        raise MissingExtraError("matplotlib", "plots") from exc
    figure = Figure(figsize=(8, 5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for line, mark, dash in zip(series, "osDx", ("-", "--", ":", "-."), strict=False):
        axes.plot(
            range(len(places)), line.values, color="black", marker=mark, linestyle=dash, label=line.name, markersize=4
        )
    if around is not None:
        axes.axvspan(*around, color="black", alpha=0.1, linewidth=0)
    if marked is not None:
        axes.axvline(marked, color="black", linewidth=3, alpha=0.3)
    axes.set_xticks(range(len(places)), places, rotation=50, ha="right")
    axes.set_ylim(0, 1)
    axes.set_title(label)
    axes.legend()
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    return picture.getvalue()
