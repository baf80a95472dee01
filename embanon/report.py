"""Write what was found and done as a page that stands alone: no script, no request, originals only if asked for.

The page shows the anonymized text, what stands where, why, and how risks were before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

import numpy as np

from embanon.anonymizer import Anonymized
from embanon.document import TYPES
from embanon.explain import sentence, why
from embanon.view import safe

STEPS: Final = 10
STYLE: Final = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem;border-bottom:1px solid #ccc}h3{font-size:1rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0;font-size:.9rem}
td,th{border-bottom:1px solid #ddd;padding:.2rem .5rem;text-align:left;vertical-align:top}td.n,th.n{text-align:right}
.text{white-space:pre-wrap;border:1px solid #ddd;padding:1rem;border-radius:.3rem}
mark{border-radius:.2rem;padding:0 .15rem}.h0{background:#e3f1e3}.h1{background:#f0f0c8}.h2{background:#fbe0a8}
.h3{background:#f8c39a}.h4{background:#f2a3a0}.note{color:#555;font-size:.85rem}
svg{max-width:100%}@media print{body{margin:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}}
"""
PROMISE: Final = (
    "This page says what embanon found, and what it did. It is no verdict, legal or other, that a text is anonymous: "
    "an attacker may know more than the texts that were compared here."
)


def summary(one: Anonymized) -> dict[str, Any]:
    """Give the numbers of a document."""
    risks = np.nan_to_num(one.judged.scored.risk, nan=1.0)
    masked = one.judged.scored.at_least(one.limit)
    left = risks[~masked]
    after = [*left.tolist(), *(edit.replacement_risk for edit in one.edits)]
    return {
        "id": one.id, "language": one.judged.analysis.language, "phrases": len(risks), "masked": int(masked.sum()),
        "unknown": one.judged.scored.unknown, "risk_before": round(float(np.max(risks, initial=0.0)), 4),
        "risk_after": round(max(after, default=0.0), 4), "limit": one.limit,
        "anonymity": one.judged.exposure.to_dict() if one.judged.exposure else None,
    }  # fmt: skip


def rows(one: Anonymized, *, original: bool) -> Iterator[dict[str, Any]]:
    """Give each edit with its reason."""
    # An edit may take in the word before its phrase, or several phrases: the reason is that of the riskiest.
    starts, ends = one.judged.scored.phrases.start, one.judged.scored.phrases.end
    risks = np.nan_to_num(one.judged.scored.risk, nan=1.0)
    scored, counted = one.judged.scored, one.judged.rarity.documents
    for edit, solution in zip(one.edits, one.solutions, strict=True):
        first, last = int(np.searchsorted(ends, edit.start, side="right")), int(np.searchsorted(starts, edit.end))
        place = first + int(np.argmax(risks[first:last]))
        entity = f"e{edit.entity + 1}" if edit.entity >= 0 else ""
        row: dict[str, Any] = {
            "document": one.id, "at": solution.at, "to": solution.to, "type": edit.type, "entity": entity,
            "replacement": edit.replacement, "risk": edit.risk, "replacement_risk": edit.replacement_risk,
            "rung": edit.rung, "why": sentence(why(scored, place, counted), entity or "somebody"),
        }  # fmt: skip
        if original:
            row["original"] = solution.original
        yield row


def to_html(documents: Iterable[Anonymized], settings: Mapping[str, str], *, original: bool = False) -> Iterator[str]:
    """Give the page, part by part."""
    yield f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>Risk report</title><style>{STYLE}</style>\n'
    yield "<h1>Risk report</h1>\n"
    yield f'<p class="note">{escape(PROMISE)}</p>\n'
    if original:
        yield "<p><strong>This page shows originals: it is as secret as the texts.</strong></p>\n"
    for one in documents:
        yield from _document(one, original)
    yield "<h2>Settings</h2>\n" + _table(("setting", "value"), settings.items())
    yield "</html>\n"


def _document(one: Anonymized, original: bool) -> Iterator[str]:
    numbers = summary(one)
    yield f"<h2>{_shown(one.id)} ({_shown(one.judged.analysis.language)})</h2>\n"
    told = [
        ("phrases", numbers["phrases"]), ("at or above the limit, replaced", numbers["masked"]),
        ("of which nothing is known", numbers["unknown"]), ("highest risk before", f"{numbers['risk_before']:.2f}"),
        ("highest risk after", f"{numbers['risk_after']:.2f}"),
    ]  # fmt: skip
    if one.judged.exposure:
        for label, attack in (("as it is", one.judged.exposure.open), ("masked", one.judged.exposure.masked)):
            low, high = attack["bounds"]
            said = f"rank {attack['rank']:g} of {attack['candidates']}, found with probability {low:.2f} to {high:.2f}"
            told.append((f"an attacker with the background, text {label}", said))
    yield _table(("", ""), told)
    risks = np.nan_to_num(one.judged.scored.risk, nan=1.0)
    left = [*risks[~one.judged.scored.at_least(one.limit)].tolist(), *(edit.replacement_risk for edit in one.edits)]
    yield "<h3>Risks of phrases, before and after</h3>\n" + chart((risks.tolist(), left), one.limit)
    yield "<h3>By type</h3>\n" + _table(("type", "phrases", "replaced", "mean risk before"), _by_type(one))
    yield '<h3>The anonymized text</h3>\n<div class="text">'
    yield from _heat(one)
    yield "</div>\n<h3>What was replaced</h3>\n"
    header = ("replacement", "type", "entity", "before", "after", "by", "why", *(("original",) if original else ()))
    yield _table(header, (_cells(row, original) for row in rows(one, original=original)))


def _cells(row: Mapping[str, Any], original: bool) -> tuple[str, ...]:
    before = "unknown" if row["risk"] is None else f"{row['risk']:.2f}"
    cells = (
        row["replacement"], row["type"], row["entity"], before, f"{row['replacement_risk']:.2f}", row["rung"],
        row["why"],
    )  # fmt: skip
    return (*cells, row["original"]) if original else cells


def _by_type(one: Anonymized) -> Iterator[tuple[str, int, int, str]]:
    risks, masked = np.nan_to_num(one.judged.scored.risk, nan=1.0), one.judged.scored.at_least(one.limit)
    for code, name in enumerate(TYPES):
        here = one.judged.scored.phrases.type == code
        if here.any():
            yield name, int(here.sum()), int(masked[here].sum()), f"{risks[here].mean():.2f}"


def _heat(one: Anonymized) -> Iterator[str]:
    """Mark the replacements in the anonymized text by the risk that is left."""
    last = 0
    for solution in one.solutions:
        step = min(int(solution.replacement_risk * 5), 4)
        yield _shown(one.text[last : solution.at])
        yield f'<mark class="h{step}">{_shown(one.text[solution.at : solution.to])}</mark>'
        last = solution.to
    yield _shown(one.text[last:])


def chart(series: Sequence[Sequence[float]], limit: float) -> str:
    """Draw histograms beside each other, with the limit."""
    counts = [np.histogram(some, bins=STEPS, range=(0.0, 1.0))[0].tolist() for some in series]
    most = max(max(one) for one in counts) or 1
    bars = []
    for number, (one, color) in enumerate(zip(counts, ("#c0504d", "#4f81bd"), strict=False)):
        for step, count in enumerate(one):
            height = 100 * count / most
            x, y = 30 + step * 50 + number * 20, 110 - height
            bars.append(f'<rect x="{x}" y="{y:.1f}" width="18" height="{height:.1f}" fill="{color}"/>')
    line = 30 + limit * STEPS * 50
    axis = "".join(
        f'<text x="{25 + step * 50}" y="126" font-size="10">{step / STEPS:g}</text>' for step in range(STEPS + 1)
    )
    return (
        '<svg viewBox="0 0 560 145" role="img" aria-label="Histogram of risks before and after">'
        f'{"".join(bars)}<line x1="30" y1="110" x2="530" y2="110" stroke="#888"/>'
        f'<line x1="{line:.1f}" y1="5" x2="{line:.1f}" y2="110" stroke="#222" stroke-dasharray="3"/>{axis}'
        '<text x="30" y="142" font-size="10" fill="#c0504d">before</text>'
        '<text x="80" y="142" font-size="10" fill="#4f81bd">after</text>'
        '<text x="120" y="142" font-size="10">dashed: the limit</text></svg>\n'
    )


def _table(header: Sequence[str], cells: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{_shown(one)}</th>" for one in header) if any(header) else ""
    body = "".join(f"<tr>{''.join(f'<td>{_shown(cell)}</td>' for cell in row)}</tr>\n" for row in cells)
    return f"<table>{f'<tr>{head}</tr>' if head else ''}\n{body}</table>\n"


def _shown(value: Any) -> str:
    """Give a value as it may stand in a page."""
    return escape(safe(str(value)))
