"""Show a report as a page that stands alone: no script, no request, readable on paper, in the dark and by ear."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from typing import Any, Final

import numpy as np

from embanon.anonymizer import Anonymized
from embanon.charts import histogram, shade, strip
from embanon.document import TYPES
from embanon.explain import sentence, why
from embanon.exposure import Attackers
from embanon.judging import Judged
from embanon.report import ALWAYS, PLAIN, PROMISE, SECRET, Look, Outcome, Report, line, reported, settled, totals
from embanon.view import safe

STYLE: Final = """
:root{color-scheme:light dark;--ink:#1c1c1c;--page:#fff;--line:#c4c4c4;--dim:#555;--b:#a33a36;--a:#1f5f9e;
--h0:#e9f3e9;--h1:#f4f3c4;--h2:#fde3a7;--h3:#fbc79c;--h4:#f5aaa6}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--page:#161616;--line:#4a4a4a;--dim:#b5b5b5;--b:#e07f7a;
--a:#7fb4ea;--h0:#1d2b1d;--h1:#3a3a12;--h2:#4d3a08;--h3:#5c3410;--h4:#6b2320}}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem;color:var(--ink);
background:var(--page)}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
h3{font-size:1rem}a{color:inherit}
section{content-visibility:auto;contain-intrinsic-size:auto 60rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem;font-size:.9rem}
caption{text-align:left;font-weight:600;padding:.3rem 0}
td,th{border-bottom:1px solid var(--line);padding:.2rem .5rem;text-align:left;vertical-align:top;
unicode-bidi:plaintext;overflow-wrap:anywhere}
th{font-weight:600}tbody th{font-weight:400}.n{text-align:right;font-variant-numeric:tabular-nums}
.text{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);padding:1rem;border-radius:.3rem;
unicode-bidi:plaintext}
ins{text-decoration:none;border:1px solid var(--dim);border-radius:.2rem;padding:0 .15rem;unicode-bidi:isolate}
span.h1,span.h2,span.h3,span.h4{unicode-bidi:isolate;border-bottom:2px dotted var(--dim)}
.h0{background:var(--h0)}.h1{background:var(--h1)}.h2{background:var(--h2)}.h3{background:var(--h3)}
.h4{background:var(--h4)}
.h1::after{content:"1"}.h2::after{content:"2"}.h3::after{content:"3"}.h4::after{content:"4"}
.h1::after,.h2::after,.h3::after,.h4::after{font-size:.65em;vertical-align:super;color:var(--dim)}
.note{color:var(--dim);font-size:.9rem}.caution{border-left:.3rem solid var(--b);padding-left:.7rem}
svg{max-width:100%;height:auto;font-size:10px;fill:var(--ink)}svg path{stroke:var(--ink)}.l{stroke-dasharray:3}
.b{fill:var(--b)}.a{fill:none;stroke:var(--a);stroke-width:2}
.s0{fill:var(--h0)}.s1{fill:var(--h1)}.s2{fill:var(--h2)}.s3{fill:var(--h3)}.s4{fill:var(--h4)}
@media print{body{margin:0;max-width:none;font-size:10pt}section{content-visibility:visible}
h2,h3,caption{break-after:avoid}tr,svg,.caution{break-inside:avoid}
ins,span,rect{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
HASH: Final = base64.b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY: Final = f"default-src 'none'; style-src 'sha256-{HASH}'; base-uri 'none'; form-action 'none'"
"""What a browser may load for the page: its own style, and nothing else."""
LEGEND: Final = (
    "Replacements have a frame; other phrases stand as they stood. The small digit, and the shade, is the risk of what "
    "stands there now, in fifths: none below .2, 1 from .2, 2 from .4, 3 from .6, 4 from .8."
)
BLOCKED: Final = (
    "The text is shown only when originals are asked for. Here it is in blocks of equal size, each with the highest "
    "risk of a phrase that starts there, in fifths: 0 below .2, 4 from .8."
)


def to_html(
    documents: Sequence[Anonymized], settings: Mapping[str, str], look: Look = PLAIN,
    attackers: Attackers | None = None, *, overview_only: bool = False,
) -> Iterator[str]:  # fmt: skip
    """Give the page of documents, part by part: of several an overview first."""
    reports = [reported(one, number, look, attackers) for number, one in enumerate(documents, 1)]
    yield from _head("Risk report", original=look.original)
    if len(reports) != 1 or overview_only:
        yield from _overview(reports, linked=not overview_only)
    if not overview_only:
        for number, (one, report) in enumerate(zip(documents, reports, strict=True), 1):
            yield from _section(one, report, number, look)
    yield "<h2>Settings</h2>\n" + table("What this was made with", ("setting", "value"), settings.items())
    yield "</main>\n</body></html>\n"


def of_anonymized(one: Anonymized, *, original: bool = False) -> str:
    """Give the page of one document."""
    return "".join(to_html([one], settled(one), Look(original=original)))


def of_judged(judged: Judged, limit: float, *, original: bool = False) -> str:
    """Give the page of a document that is only scored."""
    return "".join(_judged(judged, limit, original))


def _head(title: str, *, original: bool) -> Iterator[str]:
    yield (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">'
        '<meta name="viewport" content="width=device-width">\n'
        f"<style>{STYLE}</style></head>\n<body><main>\n<h1>{title}</h1>\n"
        f'<p class="note">{escape(PROMISE)}</p>\n'
    )
    if original:
        yield f'<p class="caution"><strong>{escape(SECRET)}</strong></p>\n'


def _overview(reports: Sequence[Report], *, linked: bool) -> Iterator[str]:
    """Show all documents, those that keep most risk first."""
    yield "<h2>Overview</h2>\n"
    added = totals(reports)
    yield f"<p>{added['documents']} documents: {escape(line(added))}.</p>\n"
    if added["above"]:
        yield _caution(f"{added['above']} documents keep a risk at or above the limit")
    if reports:
        series = [(name, [one.numbers[f"risk_{name}"] for one in reports]) for name in ("before", "after")]
        yield histogram(series, reports[0].numbers["limit"], "Highest risk of each document before and after")
    ranked = any(one.numbers["anonymity"] for one in reports)
    header = ("document", "language", "phrases", "replaced", "unknown", "highest risk before", "after", "words kept",
              *(("rank before", "after") if ranked else ()), "warnings")  # fmt: skip
    order = sorted(enumerate(reports, 1), key=_by_risk)
    yield table("Documents, the riskiest first", header, (_about(*one, ranked, linked) for one in order))


def _by_risk(one: tuple[int, Report]) -> tuple[float, float, int]:
    return -one[1].numbers["risk_after"], -one[1].numbers["risk_before"], one[0]


def _about(number: int, report: Report, ranked: bool, linked: bool) -> tuple[Any, ...]:
    numbers, attack = report.numbers, report.numbers["anonymity"]
    ranks = (attack["rank"], attack["written"]) if attack else (None, None)
    return (
        Link(f"d{number}", report.name) if linked else report.name, numbers["language"], numbers["phrases"],
        numbers["replaced"], numbers["unknown"], numbers["risk_before"], numbers["risk_after"], report.floors[0].kept,
        *(ranks if ranked else ()), len(report.cautions),
    )  # fmt: skip


def _section(one: Anonymized, report: Report, number: int, look: Look) -> Iterator[str]:
    numbers, outcome = report.numbers, Outcome.of(one)
    yield f'<section aria-labelledby="d{number}"><h2 id="d{number}">{shown(report.name)}</h2>\n'
    yield from map(_caution, report.cautions)
    yield table("In short", ("measure", "value"), _short(numbers))
    yield from _floors(report)
    yield "<h3>Risks of phrases</h3>\n"
    series = [("before", outcome.before.tolist()), ("after", outcome.after.tolist())]
    yield histogram(series, one.limit, "Risks of phrases before and after")
    done = tuple(name for name in numbers["how"] if name in ALWAYS or numbers["how"][name])
    header = ("type", "phrases", "unknown", "replaced", *done, "mean risk before", "after")
    yield table("By type", header, (_type(row, done) for row in report.types))
    yield f'<h3>The anonymized text</h3>\n<p class="note">{LEGEND}</p>\n'
    yield f'<div class="text" dir="auto" lang="{shown(numbers["language"])}">'
    yield from heat(one.text, _marks(one, outcome))
    yield "</div>\n<h3>What was replaced, and why</h3>\n"
    header = ("replacement", "also true", "type", "entity", "risk before", "after", "by", "why",
              *(("finer", "original") if look.original else ()))  # fmt: skip
    yield table("Replacements in the order of the text", header, (_edit(row, look) for row in report.edits))
    yield "</section>\n"


def _short(numbers: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "language", numbers["language"]
    yield "phrases", numbers["phrases"]
    yield f"at or above the limit of {numbers['limit']:g}", numbers["masked"]
    yield "replaced", numbers["replaced"]
    yield "of which nothing is known, so that they count as the riskiest", numbers["unknown"]
    yield "highest risk before", numbers["risk_before"]
    yield "highest risk after", numbers["risk_after"]
    attack = numbers["anonymity"]
    for name, one in (("as it is", attack), ("masked", attack["masked"])) if attack else ():
        low, high = one["bounds"]
        said = (
            f"rank {one['rank']:g} of {one['candidates']}, as if among {one['effective']:g}, found with probability "
            f"{low:.2f} to {high:.2f}"
        )
        yield f"anonymity against an attacker with the background, text {name}", said
    if attack and attack["written"] is not None:
        yield "the same, text as it is written now", f"rank {attack['written']:g} of {attack['candidates']}"


def _floors(report: Report) -> Iterator[str]:
    """Set what was done beside plain rules."""
    ranked = any(one.rank is not None for one in report.floors)
    header = ("rule", "phrases masked", "words kept", *(("rank for the attacker",) if ranked else ()))
    rows = ((one.name, one.masked, one.kept, *((one.rank,) if ranked else ())) for one in report.floors)
    yield table("Beside what plain rules would mask", header, rows)


def _type(row: Mapping[str, Any], done: Sequence[str]) -> tuple[Any, ...]:
    counts = (row["how"].get(name, 0) for name in done)
    return row["type"], row["phrases"], row["unknown"], row["replaced"], *counts, row["risk_before"], row["risk_after"]


def _edit(row: Mapping[str, Any], look: Look) -> tuple[Any, ...]:
    before = "unknown" if row["risk"] is None else float(row["risk"])
    cells = (row["replacement"], " < ".join(row["above"]), row["type"], row["entity"], before, row["replacement_risk"],
             row["rung"], row["why"])  # fmt: skip
    return (*cells, " < ".join(row["finer"]), row["original"]) if look.original else cells


Mark = tuple[int, int, float, str]
"""What is marked in a text: from where to where, its risk, and the element that does it."""


def _marks(one: Anonymized, outcome: Outcome) -> list[Mark]:
    """Give the replacements, and the phrases that are left, by their places in the anonymized text."""
    marks: list[Mark] = [(some.at, some.to, some.replacement_risk, "ins") for some in one.solutions]
    phrases = one.judged.scored.phrases
    ends = np.array([0, *(some.end for some in one.solutions)])
    moved = np.array([0, *(some.to - some.end for some in one.solutions)])
    following = np.array([*(some.start for some in one.solutions), len(one.judged.analysis.document.text)])
    for place in np.flatnonzero(outcome.edit < 0).tolist():
        start, end = int(phrases.start[place]), int(phrases.end[place])
        last = int(np.searchsorted(ends, start, side="right")) - 1
        if end <= following[last]:  # else a replacement takes a part of it in
            by = int(moved[last])
            marks.append((start + by, end + by, float(outcome.after[place]), "span"))
    return sorted(marks)


def heat(text: str, marks: Iterable[Mark]) -> Iterator[str]:
    """Shade what is marked by its risk; where marks overlap, the first counts."""
    last = 0
    for start, end, risk, element in marks:
        if start >= last:
            yield shown(text[last:start])
            yield f'<{element} class="h{shade(risk)}">{shown(text[start:end])}</{element}>'
            last = end
    yield shown(text[last:])


def _judged(judged: Judged, limit: float, original: bool) -> Iterator[str]:
    scored, text = judged.scored, judged.analysis.document.text
    risks, starts, ends = np.nan_to_num(scored.risk, nan=1.0), scored.phrases.start, scored.phrases.end
    yield from _head("Risks of a text", original=original)
    yield f"<h2>{shown(judged.analysis.document.id)}</h2>\n"
    if scored.missing:
        yield _caution(f"the text does not name {', '.join(f'e{number + 1}' for number in scored.missing)}")
    said = (("language", judged.analysis.language), ("phrases", len(risks)), ("highest risk", scored.highest),
            (f"at or above the limit of {limit:g}", int(scored.at_least(limit).sum())),
            ("of which nothing is known", scored.unknown))  # fmt: skip
    yield table("In short", ("measure", "value"), said)
    yield histogram([("risk", risks.tolist())], limit, "Risks of phrases")
    types = ((name, int(here.sum()), float(risks[here].mean())) for code, name in enumerate(TYPES)
             if (here := scored.phrases.type == code).any())  # fmt: skip
    yield table("By type", ("type", "phrases", "mean risk"), types)
    yield "<h3>Where the risks are</h3>\n"
    if original:
        yield f'<div class="text" dir="auto" lang="{shown(judged.analysis.language)}">'
        marks = zip(starts.tolist(), ends.tolist(), risks.tolist(), ["span"] * len(risks), strict=True)
        yield from heat(text, marks)
        yield "</div>\n"
    else:
        yield f'<p class="note">{BLOCKED}</p>\n' + strip((starts / max(len(text), 1)).tolist(), risks.tolist())
    above = scored.at_least(limit)
    order = [place for place in np.argsort(-risks, kind="stable").tolist() if above[place]]
    header = ("risk", "type", "entity", "why", *(("original",) if original else ()))
    yield table("At or above the limit", header, (_phrase(judged, place, original) for place in order))
    yield "</main>\n</body></html>\n"


def _phrase(judged: Judged, place: int, original: bool) -> tuple[Any, ...]:
    scored, phrase = judged.scored, judged.scored.phrases[place]
    entity = f"e{int(scored.owner[place]) + 1}" if scored.owner[place] >= 0 else ""
    risk = "unknown" if np.isnan(scored.risk[place]) else float(scored.risk[place])
    cells = (risk, phrase.type, entity, sentence(why(scored, place, judged.rarity.documents), entity or "somebody"))
    return (*cells, judged.analysis.document.text[phrase.start : phrase.end]) if original else cells


@dataclass(frozen=True, slots=True)
class Link:
    """A cell that leads to a place on the same page."""

    to: str
    said: str


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lay out rows under their caption; the first cell of a row names it."""
    head = "".join(f'<th scope="col">{shown(one)}</th>' for one in header)
    body = "".join(f"<tr>{_cell(row[0], row=True)}{''.join(map(_cell, row[1:]))}</tr>\n" for row in rows)
    return f"<table><caption>{shown(caption)}</caption><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>\n"


def _cell(value: Any, *, row: bool = False) -> str:
    opening, closing = ('th scope="row"', "th") if row else ("td", "td")
    if isinstance(value, Link):
        return f'<{opening}><a href="#{value.to}">{shown(value.said)}</a></{closing}>'
    if value is None:
        value = "not known"
    elif isinstance(value, (int, float)):
        said = f"{value:.2f}" if isinstance(value, float) else f"{value:,}"
        return f'<{opening} class="n">{said}</{closing}>'
    return f"<{opening}>{shown(value)}</{closing}>"


def _caution(said: str) -> str:
    return f'<p class="caution"><strong>Warning:</strong> {shown(said)}.</p>\n'


def shown(value: Any) -> str:
    """Give a value as it may stand in a page."""
    return escape(safe(str(value)))
