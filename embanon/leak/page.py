"""Render a ledger report as a self-contained page: no script, no request, readable on paper and by screen readers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from math import floor, log10
from typing import Any, Final

import numpy as np

from embanon.io import MAX_CELL_WIDTH, count_noun, replace_unsafe
from embanon.leak.access import format_day
from embanon.leak.findings import (
    MAX_ENTITIES,
    MAX_FOLDERS,
    Disclosure,
    ExplainedAlert,
    Findings,
    LearnedPhrase,
    QuotedPhrase,
    ReportedDocument,
    top_names,
)
from embanon.leak.ledger.report import HeatCell, UserHistory
from embanon.report import Cell, Series, Table, line_chart, render

DISCLAIMER: Final = (
    "This report says what documents disclose of what you protect, as far as embanon can tell. That something is not "
    "in it does not mean that it is safe."
)
SECRET_WARNING: Final = (
    "This page shows names and phrases of what you protect: it is as secret as the documents themselves."
)
VERIFY_COMMAND: Final = "embanon leak verify --computed"
DRAWN_USERS: Final = 4
"""Users that are drawn."""
DRAWN_DAYS: Final = 60
"""Days that are drawn."""
LISTED_ENTITIES: Final = 3
"""Entities that are listed of a document."""
CHANGES: Final = ("new", "changed", "gone", "risk up", "risk down")
SCALE_STEPS: Final = (1, 2, 2.5, 5, 10)


def to_html(findings: Findings) -> Iterator[str]:
    """Return the page, part by part: what must be known first, and what costs most before the rest."""
    opinions, changes = findings.opinions, findings.changes
    return render(
        "leak.html", promise=DISCLAIMER, secret=SECRET_WARNING if findings.original else "", findings=findings,
        cautions=cautions(findings), figures=key_figures(findings), entities=_entity_table(findings),
        alerts=_alert_table(findings), since=format_day(findings.since),
        top=_document_table(findings.top, "Documents by worth"),
        outside=_document_table(findings.outside, "Documents at or above a threshold, outside allowed folders"
                                f"{'' if findings.all_looked_through else ', among those worth most'}"),
        sensitive=(
            "Documents by sensitivity", ("document", "folder", "label", "sensitivity"),
            ((item.document, item.folder, item.label or "", item.sensitivity) for item in opinions.top),
        ),
        heat=_heat(findings), chart=_draw_users(findings.people[:DRAWN_USERS]), people=_people_table(findings),
        change_counts=(
            f"Since {format_time(changes.at or 0)}", ("documents", "number"),
            ((name, changes.counts.get(name, 0)) for name in CHANGES),
        ),
        changes=(
            "What changed most", ("document", "what", "worth before", "after"),
            ((change.document, change.what, change.before, change.after) for change in changes.rows),
        ),
    )  # fmt: skip


def cautions(findings: Findings) -> Iterator[str]:
    """Return what must be known before anything is read."""
    summary = findings.summary
    if findings.faults:
        yield (f"the ledger is not as it was written, in {findings.faults:,} cases: do not believe it; run: "
               f"{VERIFY_COMMAND}")  # fmt: skip
    if findings.changes.at is None:
        yield "nothing has been scanned yet; run: embanon leak scan"
    elif not findings.changes.ended:
        yield "the last scan has not ended: documents may be missing; run it again"
    if summary.unscanned:
        yield f"{summary.unscanned:,} documents were opened that no scan has seen: what they tell is not known"
    if summary.untold:
        yield (f"{count_noun(summary.untold, 'document')} of mostly unknown words, as of another language: names alone "
               "count there")  # fmt: skip
    if findings.violation_count:
        yield f"documents disclose what they may not in {findings.violation_count:,} cases"
    if findings.opinions.sensitive:
        yield f"{findings.opinions.sensitive:,} documents are sensitive by what is in them, of no entity of the policy"
    if findings.alerts:
        yield f"{findings.alerts:,} alerts since {format_day(findings.since)}"


def key_figures(findings: Findings) -> list[tuple[str, Any]]:
    """Return the numbers that sum everything up."""
    summary = findings.summary
    worst = f"{findings.top[0].worth:,.2f}" if findings.top else "0"
    return [
        ("documents", summary.documents), ("what the worst of them would cost", worst),
        ("entities", len(findings.entities)),
        ("cases of a document that discloses where it may not", findings.violation_count),
        ("users", summary.users), ("accesses", summary.accesses), ("scans", summary.scans),
        (f"alerts since {format_day(findings.since)}", findings.alerts), ("ledger", _describe_faults(findings.faults)),
        ("last scan", "none" if findings.changes.at is None else format_time(findings.changes.at)),
    ]  # fmt: skip


def _describe_faults(faults: int | None) -> str:
    """Return whether anybody has looked if the ledger is as it was written: what is shown is computed beforehand."""
    return "not verified" if faults is None else f"not whole: {faults:,} faults" if faults else "verified: whole"


def format_time(at: int) -> str:
    """Write a time, in UTC."""
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%d %H:%M")


def _entity_table(findings: Findings) -> Table:
    """Return what entities are worth; and their names with originals alone."""
    currency = f" ({findings.currency})" if findings.currency else ""
    header = ("entity", *(("name",) if findings.original else ()), f"value{currency}", "threshold", "")
    rows = (
        (entity.label, *((entity.name,) if findings.original else ()), entity.value, f"{entity.threshold:g}",
         "no longer in the policy" if entity.gone else "")
        for entity in findings.entities[: 5 * MAX_ENTITIES]
    )  # fmt: skip
    return "What is protected", header, rows


def _alert_table(findings: Findings) -> Table | None:
    shown = len(findings.alarms)
    rest = f" (the last {shown:,} of {findings.alerts:,})" if shown < findings.alerts else ""
    header = ("user", "day", "alert", "evidence")
    rows = map(_alert_row, reversed(findings.alarms))
    return (f"Alerts, the last ones first{rest}", header, rows) if findings.alarms else None


def _alert_row(explained: ExplainedAlert) -> tuple[Any, ...]:
    alert = explained.alert
    evidence = Cell(count_noun(len(explained.evidence), "phrase"), tuple(map(describe_learned, explained.evidence)))
    return explained.user, format_day(alert.day), explained.sentence, evidence


def describe_learned(phrase: LearnedPhrase) -> str:
    """Return what somebody learnt, and from which document."""
    source = f"{phrase.entity}, risk {phrase.risk:.2f}, since {format_day(phrase.day)}, from {phrase.document}"
    return source if phrase.text is None else f"{phrase.text} ({source})"


def _document_table(documents: Sequence[ReportedDocument], caption: str) -> Table | None:
    header = ("document", "folder", "label", "worth", "entities and risks")
    rows = (
        (document.title, document.folder, document.label or "",
         Cell(document.worth, describe_phrases(document.told)), _list_entities(document.told))
        for document in documents
    )  # fmt: skip
    return (caption, header, rows) if documents else None


def _list_entities(disclosures: Sequence[Disclosure]) -> str:
    shown = disclosures[:LISTED_ENTITIES]
    listed = ", ".join(f"{each.entity} {each.risk:.2f}{' (allowed)' if each.allowed else ''}" for each in shown)
    more = len(disclosures) - LISTED_ENTITIES
    return f"{listed} and {more} more" if more > 0 else listed


def describe_phrases(disclosures: Iterable[Disclosure]) -> tuple[str, ...]:
    """Return the phrases by which a document tells, each with its place; none without originals."""
    return tuple(_describe_place(disclosure, place) for disclosure in disclosures for place in disclosure.places)


def _describe_place(disclosure: Disclosure, place: QuotedPhrase) -> str:
    text = "(neither kept nor to be read again)" if place.text is None else place.text
    return f"{text} ({disclosure.entity}, risk {place.risk:.2f}, {place.start}-{place.end})"


def _heat(findings: Findings) -> dict[str, Any] | None:
    """Return folders × entities; where there are too many, those with most."""
    cells = {(cell.folder, cell.entity): cell for cell in findings.heat}
    folders = top_names(findings.heat, "folder", MAX_FOLDERS)
    entities = top_names(findings.heat, "entity", MAX_ENTITIES)
    ordered = [entity.label for entity in findings.entities if entity.label in entities]
    rows = ((folder, *(_heat_cell(cells.get((folder, label)), findings) for label in ordered)) for folder in folders)
    return {
        "table": ("Entities × folders", ("folder", *ordered), rows),
        "folders_left": len({folder for folder, _ in cells}) - len(folders),
        "entities_left": len({label for _, label in cells}) - len(ordered),
    } if cells else None  # fmt: skip


def _heat_cell(cell: HeatCell | None, findings: Findings) -> Cell | str:
    if cell is None:
        return ""
    lines = tuple(
        f"{document.document}: {phrase}"
        for document in findings.examples.get((cell.folder, cell.entity), ())
        for phrase in describe_phrases(document.told)
    )
    highest = max(place for place, count in enumerate(cell.bands) if count) / len(cell.bands)
    return Cell(f"{cell.above:,}/{cell.documents:,}", lines, highest)


def _people_table(findings: Findings) -> Table:
    labels = {entity.label for entity in findings.entities}
    known = defaultdict[str, list[str]](list)
    for knowledge in findings.knowers:
        if knowledge.entity in labels:
            known[knowledge.user].append(f"{knowledge.entity} {knowledge.known:.2f}")
    header = ("user", "worth", "sum over entities", "days", "last day", "accesses", "knows")
    rows = (
        (
            user.user, Cell(user.worth, tuple(map(describe_learned, findings.learnt.get(user.user, ())))),
            user.days[-1].total, len(user.days), format_day(user.days[-1].day), sum(day.opened for day in user.days),
            ", ".join(known[user.user][:LISTED_ENTITIES]),
        )
        for user in findings.people
    )  # fmt: skip
    return "Users by what they know", header, rows


def _draw_users(people: Sequence[UserHistory]) -> str:
    """Draw what users knew over time: only days on which one of them opened something, as clocks may jump."""
    if not any(user.worth > 0 for user in people):
        return ""
    days = np.unique([day.day for user in people for day in user.days])
    picked = days[np.unique(np.linspace(0, len(days) - 1, min(len(days), DRAWN_DAYS)).round().astype(int))]
    series = []
    for user in people:
        place = np.searchsorted([day.day for day in user.days], picked, side="right")
        worths = [0.0, *(day.worth for day in user.days)]
        series.append(Series(replace_unsafe(user.user)[:MAX_CELL_WIDTH], [worths[at] for at in place.tolist()]))
    top = _round_up(max(user.worth for user in people))
    places = [format_day(day) for day in picked.tolist()]
    return line_chart(places, series, None, "What the users who know most knew over time", top=top)


def _round_up(value: float) -> float:
    """Return a round number at or above a value, for a scale."""
    power = 10.0 ** floor(log10(value))
    return next(gap * power for gap in SCALE_STEPS if gap * power >= value * (1 - 1e-12))
