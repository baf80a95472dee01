"""Draw risks as pictures that are part of a page: no script, readable without color, and said in words as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from itertools import groupby
from typing import Final

import numpy as np

from embanon.errors import MissingExtraError

STEPS: Final = 10
LEFT, WIDE, HIGH, TOP = 30, 500, 100, 10
"""Where the axes are."""
STYLES: Final = ("b", "a")
"""Classes of the series: the first is filled, the second an outline."""
BLOCKS: Final = 50
"""Blocks that a text is cut into, however long it is."""
SHADES: Final = 5


def shade(risk: float) -> int:
    """Return the step of a risk, from harmless to risky."""
    return min(int(risk * SHADES), SHADES - 1)


def histogram(series: Sequence[tuple[str, Sequence[float]]], limit: float, label: str) -> str:
    """Draw how often which risk is, series beside each other, with the limit."""
    counts = [np.histogram(some, bins=STEPS, range=(0.0, 1.0))[0].tolist() for _, some in series]
    most = max((max(one) for one in counts), default=0) or 1
    step, thick = WIDE // STEPS, 18
    bars = [
        f'<rect class="{STYLES[number]}" x="{LEFT + place * step + 5 + number * (thick + 3)}" '
        f'y="{TOP + HIGH - HIGH * count / most:.1f}" width="{thick}" height="{HIGH * count / most:.1f}"/>'
        for number, bins in enumerate(counts)
        for place, count in enumerate(bins)
        if count
    ]
    names = [
        f'<rect class="{STYLES[number]}" x="{LEFT + number * 90}" y="138" width="10" height="10"/>'
        f'<text x="{LEFT + 15 + number * 90}" y="147">{escape(name)}</text>'
        for number, (name, _) in enumerate(series)
    ]
    axis = "".join(
        f'<text x="{LEFT - 5 + place * step}" y="126">{place / STEPS:g}</text>' for place in range(STEPS + 1)
    )
    bottom, line = TOP + HIGH, LEFT + limit * WIDE
    description = escape(f"{label}. {describe_histogram(series, counts)}", quote=True)
    return (
        f'<svg viewBox="0 0 560 155" role="img" aria-label="{description}">{"".join(bars)}'
        f'<path d="M{LEFT} {bottom}H{LEFT + WIDE}"/><path class="l" d="M{line:.1f} {TOP - 5}V{bottom}"/>'
        f'<text x="2" y="{TOP + 8}">{most}</text>{axis}{"".join(names)}'
        f'<text x="{LEFT + 200}" y="147">dashed: the limit, {limit:g}</text></svg>\n'
    )


def describe_histogram(series: Sequence[tuple[str, Sequence[float]]], counts: Sequence[Sequence[int]]) -> str:
    """Say a histogram in words."""
    parts = []
    for (name, _), bins in zip(series, counts, strict=True):
        filled = [f"{count} from {place / STEPS:g}" for place, count in enumerate(bins) if count]
        parts.append(f"{name}: {', '.join(filled) or 'none'}")
    return "; ".join(parts)


def risk_strip(places: Sequence[float], risks: Sequence[float]) -> str:
    """Draw where in a text its risks are, in blocks that tell neither words nor lengths; places are from 0 to 1."""
    highest = [-1.0] * BLOCKS
    for place, risk in zip(places, risks, strict=True):
        block = min(int(place * BLOCKS), BLOCKS - 1)
        highest[block] = max(highest[block], risk)
    wide = WIDE // BLOCKS
    blocks = [
        f'<rect class="s{shade(risk)}" x="{LEFT + place * wide}" y="5" width="{wide - 1}" height="24"/>'
        f'<text x="{LEFT + place * wide + 1}" y="42">{shade(risk)}</text>'
        for place, risk in enumerate(highest)
        if risk >= 0
    ]
    risky = [
        f"{100 * place // BLOCKS} %" for place, risk in enumerate(highest) if risk >= 0 and shade(risk) == SHADES - 1
    ]
    description = (
        f"The highest risks stand at {', '.join(risky)} of the text" if risky else "No risk is near the highest"
    )
    return f'<svg viewBox="0 0 560 50" role="img" aria-label="{description}">{"".join(blocks)}</svg>\n'


MARKS: Final = ("circle", "square", "diamond", "cross")
DASHES: Final = ("", "6 3", "2 2", "8 2 2 2")
"""How lines differ, without any color."""
ROW: Final = 16
TICKS: Final = 5
NAMED: Final = 30
"""Places that are named at most."""


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
    high, wide, left, under = 200, 480, 60, 85
    step = wide / max(len(places) - 1, 1)
    across = [left + place * step for place in range(len(places))]
    named = range(0, len(places), -(-len(places) // NAMED) or 1)
    description = escape(f"{label}. {_describe_lines(places, series, marked, named)}", quote=True)
    size = f'viewBox="0 0 560 {high + under + ROW * (len(series) + alone)}"'
    parts = [f'<svg{STANDALONE_ATTRIBUTES if alone else ""} {size} role="img" aria-label="{description}">']
    for tick in range(TICKS + 1):
        y = TOP + high - high * tick / TICKS
        parts.append(f'<path d="M{left} {y:g}H{left + wide}" opacity=".2" stroke="currentColor"/>')
        parts.append(f'<text x="{left - 5}" y="{y + 3:g}" text-anchor="end">{top * tick / TICKS:g}</text>')
    for x, name in ((across[place], places[place]) for place in named):
        at = f'x="{x:.1f}" y="{TOP + high + 14}" transform="rotate(-50 {x:.1f} {TOP + high + 14})"'
        parts.append(f'<text {at} text-anchor="end">{escape(name)}</text>')
    if around is not None:
        first, last = (across[place] for place in around)
        parts.append(f'<rect x="{first:.1f}" y="{TOP}" width="{last - first:.1f}" height="{high}" opacity=".1"/>')
    if marked is not None:
        parts.append(
            f'<path d="M{across[marked]:.1f} {TOP}V{TOP + high}" stroke="currentColor" stroke-width="3" opacity=".35"/>'
        )
    for number, line in enumerate(series):
        points = [(x, TOP + high - high * value / top) for x, value in zip(across, line.values, strict=True)]
        parts.extend(_line(points, number, named.step))
        y = high + under + ROW * number
        parts.extend(_line([(left, y), (left + 30, y)], number))
        parts.append(f'<text x="{left + 40}" y="{y + 3}">{escape(line.name)}</text>')
    if alone:
        parts.append(f'<text x="{left}" y="{high + under + ROW * len(series) + 3}">{escape(label)}</text>')
    return "".join(parts) + "</svg>\n"


STANDALONE_ATTRIBUTES: Final = (
    ' xmlns="http://www.w3.org/2000/svg" width="840" font-family="sans-serif" font-size="10" color="#111"'
)


def _line(points: Sequence[tuple[float, float]], number: int, step: int = 1) -> Iterator[str]:
    """Draw a line with a mark at every so many points, in pieces where there are gaps."""
    dash = DASHES[number % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    for known, piece in groupby(points, key=lambda point: point[1] == point[1]):
        if known:
            stretch = list(piece)
            way = "L".join(f"{x:.1f} {y:.1f}" for x, y in stretch)
            yield f'<path d="M{way}" fill="none" stroke="currentColor"{dashed}/>'
            yield from (_mark(x, y, MARKS[number % len(MARKS)]) for x, y in stretch[::step])


def _mark(x: float, y: float, shape: str) -> str:
    """Draw a mark at a point."""
    match shape:
        case "circle":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>'
        case "square":
            return f'<rect x="{x - 2.5:.1f}" y="{y - 2.5:.1f}" width="5" height="5"/>'
        case "diamond":
            return f'<path d="M{x:.1f} {y - 3.5:.1f}l3.5 3.5l-3.5 3.5l-3.5 -3.5z"/>'
    return f'<path d="M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6" stroke="currentColor"/>'


def _describe_lines(places: Sequence[str], series: Sequence[Series], marked: int | None, named: Sequence[int]) -> str:
    """Say lines in words."""
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
