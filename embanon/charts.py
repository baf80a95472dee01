"""Draw risks as pictures that are part of a page: no script, readable without color, and said in words as well."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np

STEPS: Final = 10
LEFT, WIDE, HIGH, TOP = 30, 500, 100, 10
"""Where the axes are."""
STYLES: Final = ("b", "a")
"""Classes of the series: the first is filled, the second an outline."""
BLOCKS: Final = 50
"""Blocks that a text is cut into, however long it is."""
SHADES: Final = 5


def shade(risk: float) -> int:
    """Give the step of a risk, from harmless to risky."""
    return min(int(risk * SHADES), SHADES - 1)


def histogram(series: Sequence[tuple[str, Sequence[float]]], limit: float, label: str) -> str:
    """Draw how often which risk is, series beside each other, with the limit."""
    counts = [np.histogram(some, bins=STEPS, range=(0.0, 1.0))[0].tolist() for _, some in series]
    most = max((max(one) for one in counts), default=0) or 1
    step, thick = WIDE // STEPS, 18
    bars = [
        f'<rect class="{STYLES[number]}" x="{LEFT + place * step + 5 + number * (thick + 3)}" '
        f'y="{TOP + HIGH - HIGH * count / most:.1f}" width="{thick}" height="{HIGH * count / most:.1f}"/>'
        for number, one in enumerate(counts)
        for place, count in enumerate(one)
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
    said = escape(f"{label}. {said_of(series, counts)}", quote=True)
    return (
        f'<svg viewBox="0 0 560 155" role="img" aria-label="{said}">{"".join(bars)}'
        f'<path d="M{LEFT} {bottom}H{LEFT + WIDE}"/><path class="l" d="M{line:.1f} {TOP - 5}V{bottom}"/>'
        f'<text x="2" y="{TOP + 8}">{most}</text>{axis}{"".join(names)}'
        f'<text x="{LEFT + 200}" y="147">dashed: the limit, {limit:g}</text></svg>\n'
    )


def said_of(series: Sequence[tuple[str, Sequence[float]]], counts: Sequence[Sequence[int]]) -> str:
    """Say a histogram in words."""
    said = []
    for (name, _), one in zip(series, counts, strict=True):
        some = [f"{count} from {place / STEPS:g}" for place, count in enumerate(one) if count]
        said.append(f"{name}: {', '.join(some) or 'none'}")
    return "; ".join(said)


def strip(places: Sequence[float], risks: Sequence[float]) -> str:
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
    said = f"The highest risks stand at {', '.join(risky)} of the text" if risky else "No risk is near the highest"
    return f'<svg viewBox="0 0 560 50" role="img" aria-label="{said}">{"".join(blocks)}</svg>\n'
