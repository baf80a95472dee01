"""Show a report of a ledger as a page that stands alone: no script, no request, readable on paper and by ear."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
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
from embanon.report import END, ExpandableCell, Series, format_value, line_chart, page_head, table, warning_paragraph

DISCLAIMER: Final = (
    "This report says what documents disclose of what you protect, as far as embanon can tell. That something is not "
    "in it does not mean that it is safe."
)
SECRET_WARNING: Final = (
    "This page shows names and phrases of what you protect: it is as secret as the documents themselves."
)
GLOSSARY: Final = (
    ("e1, e2 …", "what you protect, in the order of the policy; names are not shown"),
    ("risk", "from 0 to 1: how well a document, by all its phrases together, points at what you protect"),
    ("threshold", "a document whose risk is at or above it discloses the entity"),
    ("worth", "sensitivity or cost of an entity × risk: what it would cost if the document got out"),
    ("sensitivity", "from 0 to 1: how likely a document is sensitive as a whole, whatever it is about, by what was "
        "learnt from labeled ones (embanon leak learn): a second opinion beside entities"),
    ("allowed", "that the policy lets the folder or label of a document mention the entity: it counts nothing then"),
    ("known", "from 0 to 1: what somebody knows of an entity by all distinct phrases that he has seen"),
    ("worth of a user", "the most that what he knows of any entity is worth; it never falls"),
    ("rule worth", "somebody came to know more than the policy lets anybody know"),
    ("rule own past", "somebody learnt far more in a day than on his own days before"),
    ("rule group", "somebody learnt far more in a day than is usual among his peers"),
)  # fmt: skip
HEAT_LEGEND: Final = (
    "A cell says how many documents are at or above the threshold / how many tell anything at all. Its shade and small "
    "digit are the highest risk among them, in fifths: none below .2, 1 from .2, 2 from .4, 3 from .6, 4 from .8."
)
VERIFY_COMMAND: Final = "embanon leak verify --computed"
DRAWN_USERS: Final = 4
"""Users that are drawn."""
DRAWN_DAYS: Final = 60
"""Days that are drawn."""
LISTED_ENTITIES: Final = 3
"""Entities that are listed of a document."""
SCALE_STEPS: Final = (1, 2, 2.5, 5, 10)


def to_html(found: Findings) -> Iterator[str]:
    """Return the page, part by part: what must be known first, and what costs most before the rest."""
    yield page_head("Leak report", DISCLAIMER, SECRET_WARNING if found.original else "")
    yield from map(warning_paragraph, cautions(found))
    yield table("In short", ("measure", "value"), ((name, format_value(value)) for name, value in key_figures(found)))
    yield from _entity_table(found)
    yield "<h2>Alerts</h2>\n"
    yield from _alert_table(found)
    yield "<h2>Documents that would cost most</h2>\n"
    yield _documents(found.top, "Documents by worth", found)
    yield "<h2>Documents that disclose outside allowed folders</h2>\n"
    yield from _outside(found)
    yield from _sensitive_table(found)
    yield "<h2>Where it lies</h2>\n"
    yield from _heat(found)
    yield "<h2>Who knows how much</h2>\n"
    yield from _people(found)
    yield "<h2>What has changed</h2>\n"
    yield from _changes(found)
    yield "<h2>Words</h2>\n" + table("What the words of this report mean", ("word", "meaning"), GLOSSARY)
    yield END


def cautions(found: Findings) -> Iterator[str]:
    """Return what must be known before anything is read."""
    summary = found.summary
    if found.faults:
        where = f"in {found.faults:,} cases"
        yield f"the ledger is not as it was written, {where}: do not believe it; run: {VERIFY_COMMAND}"
    if found.changes.at is None:
        yield "nothing has been scanned yet; run: embanon leak scan"
    elif not found.changes.ended:
        yield "the last scan has not ended: documents may be missing; run it again"
    if summary.unscanned:
        yield f"{summary.unscanned:,} documents were opened that no scan has seen: what they tell is not known"
    if summary.untold:
        yield (f"{count_noun(summary.untold, 'document')} of mostly unknown words, as of another language: names alone "
               "count there")  # fmt: skip
    if found.violation_count:
        yield f"documents disclose what they may not in {found.violation_count:,} cases"
    if found.opinions.sensitive:
        yield f"{found.opinions.sensitive:,} documents are sensitive by what is in them, of no entity of the policy"
    if found.alerts:
        yield f"{found.alerts:,} alerts since {format_day(found.since)}"


def key_figures(found: Findings) -> list[tuple[str, Any]]:
    """Return the numbers that sum everything up."""
    summary, worst = found.summary, found.top[:1]
    return [
        ("documents", summary.documents), ("what the worst of them would cost", _highest_worth(worst)),
        ("entities", len(found.entities)), ("cases of a document that discloses where it may not",
        found.violation_count),
        ("users", summary.users), ("accesses", summary.accesses), ("scans", summary.scans),
        (f"alerts since {format_day(found.since)}", found.alerts), ("ledger", _describe_faults(found.faults)),
        ("last scan", "none" if found.changes.at is None else format_time(found.changes.at)),
    ]  # fmt: skip


def _describe_faults(faults: int | None) -> str:
    """Return whether anybody has looked if the ledger is as it was written: what is shown is computed beforehand."""
    return "not verified" if faults is None else f"not whole: {faults:,} faults" if faults else "verified: whole"


def _highest_worth(worst: Sequence[ReportedDocument]) -> str:
    return f"{worst[0].worth:,.2f}" if worst else "0"


def format_time(at: int) -> str:
    """Write a time, in UTC."""
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%d %H:%M")


def _entity_table(found: Findings) -> Iterator[str]:
    """Say what entities are worth; and their names with originals alone."""
    of = f" ({found.currency})" if found.currency else ""
    header = ("entity", *(("name",) if found.original else ()), f"value{of}", "threshold", "")
    rows = (
        (one.label, *((one.name,) if found.original else ()), one.value, f"{one.threshold:g}",
         "no longer in the policy" if one.gone else "")
        for one in found.entities[: 5 * MAX_ENTITIES]
    )  # fmt: skip
    yield table("What is protected", header, rows)


# Alerts


def _alert_table(found: Findings) -> Iterator[str]:
    if not found.alarms:
        yield f"<p>No alert since {format_day(found.since)}.</p>\n"
        return
    header = ("user", "day", "rule", "entity", "value", "limit", "evidence")
    rest = f" (the last {len(found.alarms):,} of {found.alerts:,})" if len(found.alarms) < found.alerts else ""
    yield table(f"Alerts, the last ones first{rest}", header, (_alert_row(one) for one in reversed(found.alarms)))


def _alert_row(one: ExplainedAlert) -> tuple[Any, ...]:
    alert, count = one.alert, len(one.evidence)
    said = f"{count} {'phrase' if count == 1 else 'phrases'}"
    evidence = ExpandableCell(said, tuple(map(describe_learned, one.evidence)))
    return one.user, format_day(alert.day), alert.rule, one.entity, alert.value, float(alert.limit), evidence


def describe_learned(one: LearnedPhrase) -> str:
    """Say what somebody learnt, from which document."""
    said = f"{one.entity}, risk {one.risk:.2f}, since {format_day(one.day)}, from {one.document}"
    return said if one.text is None else f"{one.text} ({said})"


# Documents


def _documents(documents: Sequence[ReportedDocument], caption: str, found: Findings) -> str:
    header = ("document", "folder", "label", "worth", "entities and risks")
    if not documents:
        return f"<p>No document is worth anything{'' if found.summary.documents else ' yet'}.</p>\n"
    rows = (
        (
            one.document,
            one.folder,
            one.label or "",
            ExpandableCell(one.worth, describe_phrases(one.told)),
            _entities(one.told),
        )
        for one in documents
    )
    return table(caption, header, rows)


def _entities(told: Sequence[Disclosure]) -> str:
    some = ", ".join(
        f"{one.entity} {one.risk:.2f}{' (allowed)' if one.allowed else ''}" for one in told[:LISTED_ENTITIES]
    )
    return some if len(told) <= LISTED_ENTITIES else f"{some} and {len(told) - LISTED_ENTITIES} more"


def describe_phrases(told: Iterable[Disclosure]) -> tuple[str, ...]:
    """Say the phrases by which a document tells, each with its place; none without originals."""
    return tuple(_describe_place(one, place) for one in told for place in one.places)


def _describe_place(told: Disclosure, place: QuotedPhrase) -> str:
    text = "(neither kept nor to be read again)" if place.text is None else place.text
    return f"{text} ({told.entity}, risk {place.risk:.2f}, {place.start}-{place.end})"


def _outside(found: Findings) -> Iterator[str]:
    if not found.violation_count:
        yield "<p>No document discloses anything outside of where it may.</p>\n"
        return
    rest = "" if found.all_looked_through else ", among those worth most"
    yield _documents(found.outside, f"Documents at or above a threshold, outside allowed folders{rest}", found)


def _sensitive_table(found: Findings) -> Iterator[str]:
    """List what is sensitive as a whole, if anybody asked."""
    said = found.opinions
    if not said.documents:
        return
    yield "<h2>Sensitive by what is in it, of no entity of the policy</h2>\n"
    unknown = f" Of {said.unknown:,} nothing can be said." if said.unknown else ""
    yield (f'<p class="note">{said.sensitive:,} of {said.documents:,} documents are sensitive with a probability of '
           f"{said.limit:g} or more, and disclose no entity.{unknown}</p>\n")  # fmt: skip
    if said.top:
        rows = ((one.document, one.folder, one.label or "", one.sensitivity) for one in said.top)
        yield table("Documents by sensitivity", ("document", "folder", "label", "sensitivity"), rows)


# Heat map


def _heat(found: Findings) -> Iterator[str]:
    """Draw folders × entities; where there are too many, those with most."""
    if not found.heat:
        yield "<p>No document tells of anything that is protected.</p>\n"
        return
    cells = {(cell.folder, cell.entity): cell for cell in found.heat}
    folders, entities = top_names(found.heat, "folder", MAX_FOLDERS), top_names(found.heat, "entity", MAX_ENTITIES)
    ordered = [one.label for one in found.entities if one.label in entities]
    yield f'<p class="note">{escape(HEAT_LEGEND)}</p>\n'
    rows = ((folder, *(_cell(cells.get((folder, one)), found) for one in ordered)) for folder in folders)
    yield f'<div class="wide">{table("Entities × folders", ("folder", *ordered), rows)}</div>\n'
    rows_left = len({cell.folder for cell in found.heat}) - len(folders)
    columns_left = len({cell.entity for cell in found.heat}) - len(ordered)
    if rows_left or columns_left:
        yield f'<p class="note">Not shown: {rows_left:,} folders and {columns_left:,} entities with less.</p>\n'


def _cell(cell: HeatCell | None, found: Findings) -> Any:
    if cell is None:
        return ""
    lines = tuple(
        f"{one.document}: {said}"
        for one in found.examples.get((cell.folder, cell.entity), ())
        for said in describe_phrases(one.told)
    )
    highest = max(place for place, count in enumerate(cell.bands) if count) / len(cell.bands)
    return ExpandableCell(f"{cell.above:,}/{cell.documents:,}", lines, highest)


# Users


def _people(found: Findings) -> Iterator[str]:
    if not found.people:
        yield "<p>Nobody has opened anything yet.</p>\n"
        return
    if any(one.worth > 0 for one in found.people):
        yield _draw_users(found.people[:DRAWN_USERS])
    labels = {one.label: one for one in found.entities}
    most = defaultdict[str, list[str]](list)
    for one in found.knowers:
        if one.entity in labels:
            most[one.user].append(f"{one.entity} {one.known:.2f}")
    header = ("user", "worth", "sum over entities", "days", "last day", "accesses", "knows")
    rows = (
        (
            one.user, ExpandableCell(one.worth, tuple(map(describe_learned, found.learnt.get(one.user, ())))),
            one.days[-1].total,
            len(one.days), format_day(one.days[-1].day), sum(day.opened for day in one.days),
            ", ".join(most[one.user][:LISTED_ENTITIES]),
        )
        for one in found.people
    )  # fmt: skip
    yield table("Users by what they know", header, rows)


def _draw_users(people: Sequence[UserHistory]) -> str:
    """Draw what users knew over time: only days on which one of them opened something, as clocks may jump."""
    days = np.unique([day.day for one in people for day in one.days])
    picked = days[np.unique(np.linspace(0, len(days) - 1, min(len(days), DRAWN_DAYS)).round().astype(int))]
    series = []
    for one in people:
        place = np.searchsorted([day.day for day in one.days], picked, side="right")
        worths = [0.0, *(day.worth for day in one.days)]
        series.append(Series(replace_unsafe(one.user)[:MAX_CELL_WIDTH], [worths[at] for at in place.tolist()]))
    top = _round_up(max(one.worth for one in people))
    places = [format_day(day) for day in picked.tolist()]
    return line_chart(places, series, None, "What the users who know most knew over time", top=top)


def _round_up(value: float) -> float:
    """Return a round number at or above a value, for a scale."""
    power = 10.0 ** floor(log10(value))
    return next(gap * power for gap in SCALE_STEPS if gap * power >= value * (1 - 1e-12))


# Changes


def _changes(found: Findings) -> Iterator[str]:
    changes = found.changes
    if changes.at is None or changes.first or not changes.counts:
        said = "Nothing has been scanned yet" if changes.at is None else "Nothing since the scan before"
        said = "Everything is new: there was no scan before" if changes.first else said
        yield f"<p>{said}.</p>\n"
        return
    yield table(f"Since {format_time(changes.at)}", ("documents", "number"), _count_rows(changes.counts))
    header = ("document", "what", "worth before", "after")
    yield table("What changed most", header, ((one.document, one.what, one.before, one.after) for one in changes.rows))


def _count_rows(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    names = ("new", "changed", "gone", "risk up", "risk down")
    return [(name, counts.get(name, 0)) for name in names]
