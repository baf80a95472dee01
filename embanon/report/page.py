"""Show a report as a page that stands alone: no script, no request, readable on paper, in the dark and by ear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

import numpy as np

from embanon.anonymizer import Anonymized
from embanon.document import TYPES
from embanon.linkage import Attackers
from embanon.report.charts import histogram, risk_strip
from embanon.report.markup import (
    END,
    LinkCell,
    Mark,
    escape_text,
    format_value,
    highlight_risks,
    page_head,
    table,
    warning_paragraph,
)
from embanon.report.report import (
    ALWAYS_COUNTED,
    DEFAULT_VISIBILITY,
    DISCLAIMER,
    SECRET,
    PhraseOutcomes,
    Report,
    ReportVisibility,
    build_report,
    document_settings,
    summary_line,
    totals,
)
from embanon.risk import describe_reason, explain_phrase
from embanon.scoring import ScoredDocument

LEGEND: Final = (
    "Replacements have a frame; other phrases stand as they stood. The small digit, and the shade, is the risk of what "
    "stands there now, in fifths: none below .2, 1 from .2, 2 from .4, 3 from .6, 4 from .8."
)
GLOSSARY: Final = (
    ("phrase", "a name, a date, a number or another expression that could be replaced"),
    ("e1, e2 …", "whom you protect, in the order in which you named them; their names are not shown"),
    ("risk", "from 0 to 1: how much a phrase gives away of whom you protect, as far as embanon can tell"),
    ("limit", "a phrase whose risk is at or above it is replaced"),
    ("unknown", "nothing is known of the words of a phrase: it counts as the riskiest, and is replaced"),
    ("generalized", "something true that says less stands instead, such as the country for a town"),
    ("tagged", "a mark such as PERSON 1 or [MISC 2] stands instead"),
    ("suppressed", "nothing is left but a sign that something stood there"),
    ("coarser", "what could stand instead and would say even less"),
    ("by", "how the replacement was found"),
    ("words kept", "the share of the words of the text that stand as they stood"),
    ("rank", "the place at which an attacker who has the background finds the right one; 1 is found at once"),
    ("PERSON, ORG, LOC, DATETIME", "persons; organizations; places; dates and times"),
    ("DEM, CODE, QUANTITY, MISC", "what people are (age, origin, profession); numbers and addresses that stand for one "
     "person or thing; amounts; anything else"),
)  # fmt: skip
BLOCKED: Final = (
    "The text is shown only when originals are asked for. Here it is in blocks of equal size, each with the highest "
    "risk of a phrase that starts there, in fifths: 0 below .2, 4 from .8."
)


def to_html(
    documents: Sequence[Anonymized], settings: Mapping[str, str], look: ReportVisibility = DEFAULT_VISIBILITY,
    attackers: Attackers | None = None, *, overview_only: bool = False, notes: Sequence[str] = (),
) -> Iterator[str]:  # fmt: skip
    """Return the page of documents, part by part: what must be known before, and of several an overview first."""
    reports = [build_report(one, number, look, attackers) for number, one in enumerate(documents, 1)]
    yield page_head("Risk report", DISCLAIMER, SECRET if look.shows_originals else "")
    yield from map(warning_paragraph, notes)
    if len(reports) != 1 or overview_only:
        yield from _overview(reports, linked=not overview_only)
    if not overview_only:
        for number, (one, report) in enumerate(zip(documents, reports, strict=True), 1):
            yield from _section(one, report, number, look)
    yield "<h2>Words</h2>\n" + table("What the words of this report mean", ("word", "meaning"), GLOSSARY)
    yield "<h2>Settings</h2>\n" + table("What this was made with", ("setting", "value"), settings.items())
    yield END


def anonymized_page(one: Anonymized, *, original: bool = False) -> str:
    """Return the page of one document."""
    return "".join(to_html([one], document_settings(one), ReportVisibility(shows_originals=original)))


def scored_page(judged: ScoredDocument, limit: float, *, original: bool = False) -> str:
    """Return the page of a document that is only scored."""
    return "".join(_scored_parts(judged, limit, original))


def _overview(reports: Sequence[Report], *, linked: bool) -> Iterator[str]:
    """Show all documents, those that keep most risk first."""
    yield "<h2>Overview</h2>\n"
    added = totals([one.numbers for one in reports])
    yield f"<p>Documents: {added['documents']:,}; {escape(summary_line(added))}.</p>\n"
    if added["above"]:
        yield warning_paragraph(f"{added['above']} of {added['documents']} documents keep a risk at or above the limit")
    if reports:
        series = [(name, [one.numbers[f"risk_{name}"] for one in reports]) for name in ("before", "after")]
        yield histogram(series, reports[0].numbers["limit"], "Highest risk of each document before and after")
    ranked = any(one.numbers["anonymity"] for one in reports)
    header = ("document", "language", "phrases", "replaced", "unknown", "highest risk before", "after", "words kept",
              *(("rank before", "after") if ranked else ()), "warnings")  # fmt: skip
    order = sorted(enumerate(reports, 1), key=_by_risk)
    yield table("Documents, the riskiest first", header, (_overview_row(*one, ranked, linked) for one in order))


def _by_risk(one: tuple[int, Report]) -> tuple[bool, float, float, float, int]:
    """Put first what is above the limit, then whom an attacker finds soonest, then what keeps most risk."""
    number, numbers = one[0], one[1].numbers
    after, attack = numbers["risk_after"], numbers["anonymity"]
    rank = attack["written"] if attack else None
    return after < numbers["limit"], np.inf if rank is None else rank, -after, -numbers["risk_before"], number


def _overview_row(number: int, report: Report, ranked: bool, linked: bool) -> tuple[Any, ...]:
    numbers, attack = report.numbers, report.numbers["anonymity"]
    ranks = (_format_rank(attack["rank"]), _format_rank(attack["written"])) if attack else (None, None)
    return (
        LinkCell(f"d{number}", report.name) if linked else report.name, numbers["language"], numbers["phrases"],
        numbers["replaced"], numbers["unknown"], numbers["risk_before"], numbers["risk_after"],
        report.baselines[0].share_kept,
        *(ranks if ranked else ()), len(report.cautions),
    )  # fmt: skip


def _section(one: Anonymized, report: Report, number: int, look: ReportVisibility) -> Iterator[str]:
    numbers, outcome = report.numbers, PhraseOutcomes.from_anonymized(one)
    yield f'<section aria-labelledby="d{number}"><h2 id="d{number}">{escape_text(report.name)}</h2>\n'
    yield from map(warning_paragraph, report.cautions)
    yield table(
        "In short", ("measure", "value"), ((name, format_value(value)) for name, value in _summary_rows(numbers))
    )
    yield from _baseline_table(report)
    yield "<h3>Risks of phrases</h3>\n"
    series = [("before", outcome.before.tolist()), ("after", outcome.after.tolist())]
    yield histogram(series, one.limit, "Risks of phrases before and after")
    done = tuple(name for name in numbers["how"] if name in ALWAYS_COUNTED or numbers["how"][name])
    header = ("type", "phrases", "unknown", "replaced", *done, "mean risk before", "after")
    yield table("By type", header, (_type_row(row, done) for row in report.types))
    yield f'<h3>The anonymized text</h3>\n<p class="note">{LEGEND}</p>\n'
    yield f'<div class="text" dir="auto" lang="{escape_text(numbers["language"])}">'
    yield from highlight_risks(one.text, _marks(one, outcome))
    yield "</div>\n<h3>What was replaced, and why</h3>\n"
    header = ("replacement", "times", "coarser", "type", "entity", "risk before", "after", "by", "why",
              *(("finer", "original") if look.shows_originals else ()))  # fmt: skip
    same = Counter(_edit_row(row, look) for row in report.edits)
    rows = ((cells[0], count, *cells[1:]) for cells, count in same.items())
    yield table("Replacements in the order in which they first stand in the text", header, rows)
    yield "</section>\n"


def _summary_rows(numbers: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
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


def _baseline_table(report: Report) -> Iterator[str]:
    """Set what was done beside plain rules."""
    ranked = any(one.rank is not None for one in report.baselines)
    header = ("rule", "phrases masked", "words kept", *(("rank for the attacker",) if ranked else ()))
    rows = (
        (one.name, one.masked, one.share_kept, *((_format_rank(one.rank),) if ranked else ()))
        for one in report.baselines
    )
    yield table("Beside what plain rules would mask", header, rows)


def _type_row(row: Mapping[str, Any], done: Sequence[str]) -> tuple[Any, ...]:
    counts = (row["how"].get(name, 0) for name in done)
    return row["type"], row["phrases"], row["unknown"], row["replaced"], *counts, row["risk_before"], row["risk_after"]


def _edit_row(row: Mapping[str, Any], look: ReportVisibility) -> tuple[Any, ...]:
    before = "unknown" if row["risk"] is None else float(row["risk"])
    cells = (row["replacement"], " < ".join(row["above"]), row["type"], row["entity"], before, row["replacement_risk"],
             row["rung"], row["why"])  # fmt: skip
    return (*cells, ", ".join(row["finer"]), row["original"]) if look.shows_originals else cells


def _marks(one: Anonymized, outcome: PhraseOutcomes) -> list[Mark]:
    """Return the replacements, and the phrases that are left, by their places in the anonymized text."""
    marks: list[Mark] = [(some.at, some.to, some.replacement_risk, "ins") for some in one.solutions]
    phrases = one.scored_document.scored.phrases
    ends = np.array([0, *(some.end for some in one.solutions)])
    moved = np.array([0, *(some.to - some.end for some in one.solutions)])
    following = np.array([*(some.start for some in one.solutions), len(one.scored_document.analysis.document.text)])
    for place in np.flatnonzero(outcome.edit_numbers < 0).tolist():
        start, end = int(phrases.start[place]), int(phrases.end[place])
        last = int(np.searchsorted(ends, start, side="right")) - 1
        if end <= following[last]:  # else a replacement takes a part of it in
            by = int(moved[last])
            marks.append((start + by, end + by, float(outcome.after[place]), "span"))
    return sorted(marks)


def _scored_parts(judged: ScoredDocument, limit: float, original: bool) -> Iterator[str]:
    scored, text = judged.scored, judged.analysis.document.text
    risks, starts, ends = np.nan_to_num(scored.risk, nan=1.0), scored.phrases.start, scored.phrases.end
    yield page_head("Risks of a text", DISCLAIMER, SECRET if original else "")
    yield f"<h2>{escape_text(judged.analysis.document.id)}</h2>\n"
    if scored.unmentioned:
        yield warning_paragraph(
            f"the text does not name {', '.join(f'e{number + 1}' for number in scored.unmentioned)}"
        )
    said = (("language", judged.analysis.language), ("phrases", len(risks)), ("highest risk", scored.highest_risk),
            (f"at or above the limit of {limit:g}", int(scored.at_least(limit).sum())),
            ("of which nothing is known", scored.unknown_count))  # fmt: skip
    yield table("In short", ("measure", "value"), ((name, format_value(value)) for name, value in said))
    yield histogram([("risk", risks.tolist())], limit, "Risks of phrases")
    types = ((name, int(here.sum()), float(risks[here].mean())) for code, name in enumerate(TYPES)
             if (here := scored.phrases.type == code).any())  # fmt: skip
    yield table("By type", ("type", "phrases", "mean risk"), types)
    yield "<h3>Where the risks are</h3>\n"
    if original:
        yield f'<div class="text" dir="auto" lang="{escape_text(judged.analysis.language)}">'
        marks = zip(starts.tolist(), ends.tolist(), risks.tolist(), ["span"] * len(risks), strict=True)
        yield from highlight_risks(text, marks)
        yield "</div>\n"
    else:
        yield f'<p class="note">{BLOCKED}</p>\n' + risk_strip((starts / max(len(text), 1)).tolist(), risks.tolist())
    above = scored.at_least(limit)
    order = [place for place in np.argsort(-risks, kind="stable").tolist() if above[place]]
    header = ("risk", "type", "entity", "why", *(("original",) if original else ()))
    yield table("At or above the limit", header, (_phrase_row(judged, place, original) for place in order))
    yield END


def _phrase_row(judged: ScoredDocument, place: int, original: bool) -> tuple[Any, ...]:
    scored, phrase = judged.scored, judged.scored.phrases[place]
    entity = f"e{int(scored.owner[place]) + 1}" if scored.owner[place] >= 0 else ""
    risk = "unknown" if np.isnan(scored.risk[place]) else float(scored.risk[place])
    cells = (
        risk,
        phrase.type,
        entity,
        describe_reason(explain_phrase(scored, place, judged.rarity.documents), entity or "somebody"),
    )
    return (*cells, judged.analysis.document.text[phrase.start : phrase.end]) if original else cells


def _format_rank(value: float | None) -> float | int | None:
    """Return a rank as a whole number, unless candidates tie."""
    return int(value) if value is not None and value.is_integer() else value
