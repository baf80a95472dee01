"""Render a report as a self-contained page: no script, no request, for paper, dark mode and screen readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, repeat
from typing import Any

import numpy as np

from embanon.anonymizer import Anonymized
from embanon.config import RiskLimits
from embanon.document import TYPES, entity_label
from embanon.linkage import Attackers
from embanon.report.charts import histogram, risk_strip
from embanon.report.markup import Cell, Mark, Table, render, text_pieces
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
    unnamed_caution,
)
from embanon.risk import describe_reason, explain_phrase
from embanon.scoring import ScoredDocument


def to_html(
    documents: Sequence[Anonymized], settings: Mapping[str, str], look: ReportVisibility = DEFAULT_VISIBILITY,
    attackers: Attackers | None = None, *, overview_only: bool = False, notes: Sequence[str] = (),
) -> Iterator[str]:  # fmt: skip
    """Return the page of documents, part by part: what must be known before, and of several an overview first."""
    reports = [build_report(document, number, look, attackers) for number, document in enumerate(documents, 1)]
    return render(
        "report.html", promise=DISCLAIMER, secret=SECRET if look.shows_originals else "", notes=notes,
        overview=_overview(reports, linked=not overview_only) if len(reports) != 1 or overview_only else None,
        sections=() if overview_only else map(_section, documents, reports, count(1), repeat(look)), settings=settings,
    )  # fmt: skip


def anonymized_page(document: Anonymized, *, original: bool = False) -> str:
    """Return the page of one document."""
    return "".join(to_html([document], document_settings(document), ReportVisibility(shows_originals=original)))


def scored_page(scored_document: ScoredDocument, limits: RiskLimits, *, original: bool = False) -> str:
    """Return the page of a document that is only scored."""
    scored, text = scored_document.scored, scored_document.analysis.document.text
    risks, starts, ends = np.nan_to_num(scored.risk, nan=1.0), scored.phrases.start, scored.phrases.end
    above = scored.at_least(limits)
    order = [place for place in np.argsort(-risks, kind="stable").tolist() if above[place]]
    marks = zip(starts.tolist(), ends.tolist(), risks.tolist(), ["span"] * len(risks), strict=True)
    types = ((name, int(here.sum()), float(risks[here].mean())) for code, name in enumerate(TYPES)
             if (here := scored.phrases.type == code).any())  # fmt: skip
    return "".join(render(
        "scores.html", promise=DISCLAIMER, secret=SECRET if original else "", name=scored_document.analysis.document.id,
        caution=unnamed_caution(scored), language=scored_document.analysis.language,
        summary=(
            ("language", scored_document.analysis.language), ("phrases", len(risks)),
            ("highest risk", scored.highest_risk),
            (f"at or above the limit of {limits}", int(above.sum())),
            ("of which nothing is known", scored.unknown_count),
        ),
        chart=histogram([("risk", risks.tolist())], limits.default, "Risks of phrases"),
        types=("By type", ("type", "phrases", "mean risk"), types),
        pieces=text_pieces(text, marks) if original else None,
        strip=risk_strip((starts / max(len(text), 1)).tolist(), risks.tolist()),
        phrases=("At or above the limit", ("risk", "type", "entity", "why", *(("original",) if original else ())),
                 (_phrase_row(scored_document, place, original) for place in order)),
    ))  # fmt: skip


def _overview(reports: Sequence[Report], *, linked: bool) -> dict[str, Any]:
    """Return what is shown of all documents, those that keep most risk first."""
    numbers = [report.numbers for report in reports]
    added = totals(numbers)
    series = [(name, [each[f"risk_{name}"] for each in numbers]) for name in ("before", "after")]
    ranked = any(each["anonymity"] for each in numbers)
    header = ("document", "language", "phrases", "replaced", "unknown", "highest risk before", "after", "words kept",
              *(("rank before", "after") if ranked else ()), "warnings")  # fmt: skip
    rows = (_overview_row(*numbered, ranked, linked) for numbered in sorted(enumerate(reports, 1), key=_by_risk))
    title = "Highest risk of each document before and after"
    return {
        "documents": added["documents"], "summary": summary_line(added), "above": added["above"],
        "chart": histogram(series, numbers[0]["limit"], title) if reports else "",
        "table": ("Documents, the riskiest first", header, rows),
    }  # fmt: skip


def _by_risk(numbered: tuple[int, Report]) -> tuple[bool, float, float, float, int]:
    """Put first what is above the limit, then whom an attacker finds soonest, then what keeps most risk."""
    number, numbers = numbered[0], numbered[1].numbers
    after, attack = numbers["risk_after"], numbers["anonymity"]
    rank = attack["written"] if attack else None
    return not numbers["above"], np.inf if rank is None else rank, -after, -numbers["risk_before"], number


def _overview_row(number: int, report: Report, ranked: bool, linked: bool) -> tuple[Any, ...]:
    numbers, attack = report.numbers, report.numbers["anonymity"]
    ranks = (_format_rank(attack["rank"]), _format_rank(attack["written"])) if attack else (None, None)
    return (
        Cell(report.name, anchor=f"d{number}" if linked else ""), numbers["language"], numbers["phrases"],
        numbers["replaced"], numbers["unknown"], numbers["risk_before"], numbers["risk_after"],
        report.baselines[0].share_kept,
        *(ranks if ranked else ()), len(report.cautions),
    )  # fmt: skip


def _section(document: Anonymized, report: Report, number: int, look: ReportVisibility) -> dict[str, Any]:
    """Return what is shown of a document."""
    numbers, outcome = report.numbers, PhraseOutcomes.from_anonymized(document)
    series = [("before", outcome.before.tolist()), ("after", outcome.after.tolist())]
    done = tuple(name for name in numbers["how"] if name in ALWAYS_COUNTED or numbers["how"][name])
    header = ("type", "phrases", "unknown", "replaced", *done, "mean risk before", "after")
    edits_header = ("replacement", "times", "coarser", "type", "entity", "risk before", "after", "by", "why",
                    *(("finer", "original") if look.shows_originals else ()))  # fmt: skip
    same = Counter(_edit_row(row, look) for row in report.edits)
    edits = ((cells[0], times, *cells[1:]) for cells, times in same.items())
    return {
        "anchor": f"d{number}", "name": report.name, "cautions": report.cautions, "language": numbers["language"],
        "summary": _summary_rows(numbers), "baselines": _baseline_table(report),
        "chart": histogram(series, document.limit, "Risks of phrases before and after"),
        "types": ("By type", header, (_type_row(row, done) for row in report.types)),
        "pieces": text_pieces(document.text, _marks(document, outcome)),
        "edits": ("Replacements in the order in which they first stand in the text", edits_header, edits),
    }  # fmt: skip


def _summary_rows(numbers: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "language", numbers["language"]
    yield "phrases", numbers["phrases"]
    limits = RiskLimits(numbers["limit"], tuple(numbers.get("limits", {}).items()))
    yield f"at or above the limit of {limits}", numbers["masked"]
    yield "replaced", numbers["replaced"]
    yield "of which nothing is known, so that they count as the riskiest", numbers["unknown"]
    yield "highest risk before", numbers["risk_before"]
    yield "highest risk after", numbers["risk_after"]
    attack = numbers["anonymity"]
    for name, attacked in (("as it is", attack), ("masked", attack["masked"])) if attack else ():
        low, high = attacked["bounds"]
        place = f"rank {attacked['rank']:g} of {attacked['candidates']}, as if among {attacked['effective']:g}"
        probability = f"found with probability {low:.2f} to {high:.2f}"
        yield f"anonymity against an attacker with the background, text {name}", f"{place}, {probability}"
    if attack and attack["written"] is not None:
        yield "the same, text as it is written now", f"rank {attack['written']:g} of {attack['candidates']}"


def _baseline_table(report: Report) -> Table:
    """Compare what was done with plain rules."""
    ranked = any(rule.rank is not None for rule in report.baselines)
    header = ("rule", "phrases masked", "words kept", *(("rank for the attacker",) if ranked else ()))
    rows = (
        (rule.name, rule.masked, rule.share_kept, *((_format_rank(rule.rank),) if ranked else ()))
        for rule in report.baselines
    )
    return "Beside what plain rules would mask", header, rows


def _type_row(row: Mapping[str, Any], done: Sequence[str]) -> tuple[Any, ...]:
    counts = (row["how"].get(name, 0) for name in done)
    return row["type"], row["phrases"], row["unknown"], row["replaced"], *counts, row["risk_before"], row["risk_after"]


def _edit_row(row: Mapping[str, Any], look: ReportVisibility) -> tuple[Any, ...]:
    before = "unknown" if row["risk"] is None else float(row["risk"])
    cells = (row["replacement"], " < ".join(row["above"]), row["type"], row["entity"], before, row["replacement_risk"],
             row["rung"], row["why"])  # fmt: skip
    return (*cells, ", ".join(row["finer"]), row["original"]) if look.shows_originals else cells


def _marks(document: Anonymized, outcome: PhraseOutcomes) -> list[Mark]:
    """Return the replacements, and the phrases that are left, by their places in the anonymized text."""
    solutions, scored = document.solutions, document.scored_document
    marks: list[Mark] = [(edit.at, edit.to, edit.replacement_risk, "ins") for edit in solutions]
    phrases = scored.scored.phrases
    ends = np.array([0, *(edit.end for edit in solutions)])
    moved = np.array([0, *(edit.to - edit.end for edit in solutions)])
    following = np.array([*(edit.start for edit in solutions), len(scored.analysis.document.text)])
    for place in np.flatnonzero(outcome.edit_numbers < 0).tolist():
        start, end = int(phrases.start[place]), int(phrases.end[place])
        last = int(np.searchsorted(ends, start, side="right")) - 1
        if end <= following[last]:  # else a replacement takes a part of it in
            by = int(moved[last])
            marks.append((start + by, end + by, float(outcome.after[place]), "span"))
    return sorted(marks)


def _phrase_row(scored_document: ScoredDocument, place: int, original: bool) -> tuple[Any, ...]:
    scored, phrase = scored_document.scored, scored_document.scored.phrases[place]
    entity = entity_label(int(scored.owner[place])) or ""
    risk = "unknown" if np.isnan(scored.risk[place]) else float(scored.risk[place])
    reason = explain_phrase(scored, place, scored_document.rarity.documents)
    cells = (risk, phrase.type, entity, describe_reason(reason, entity or "somebody"))
    return (*cells, scored_document.analysis.document.text[phrase.start : phrase.end]) if original else cells


def _format_rank(value: float | None) -> float | int | None:
    """Return a rank as a whole number, unless candidates tie."""
    return int(value) if value is not None and value.is_integer() else value
