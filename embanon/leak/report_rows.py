"""A report of a ledger as JSON, as lines for a terminal, and as a table of documents × entities."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from embanon.io import format_table, replace_unsafe
from embanon.leak.access import format_day
from embanon.leak.findings import Findings, ReportedDocument
from embanon.leak.ledger.store import Ledger
from embanon.leak.originals import DocumentReader, NameHider, Originals, PhraseQuoter
from embanon.leak.page import cautions, key_figures
from embanon.leak.policy import Policy
from embanon.leak.report import LeakReportOptions, hide_names, label_entities, top_documents
from embanon.report import format_value

COLUMNS: Final = ("document", "folder", "label", "entity", "risk", "strength", "phrases", "worth", "allowed", "above",
                  "sensitivity")  # fmt: skip
ORIGINAL_COLUMNS: Final = ("name", "texts")
FORMULA: Final = re.compile("(^|[;\t])(?=[-=+@\t\r\n\uff1d\uff0b\uff0d\uff20])")
"""Where a formula begins, in wide characters as well; some spreadsheets part cells at other signs than commas."""
ROWS_AT_ONCE: Final = 500
"""Documents that are written at once."""
LISTED: Final = 10
"""Rows of each table in a terminal."""


def to_dict(findings: Findings) -> dict[str, Any]:
    """Return all that a report says; without originals neither names nor texts."""
    made = asdict(findings)
    made["since"] = format_day(findings.since)
    made["above"] = findings.violation_count
    made["examples"] = [
        {"folder": folder, "entity": entity, "documents": [asdict(one) for one in documents]}
        for (folder, entity), documents in findings.examples.items()
    ]
    for alarm in made["alarms"]:
        alarm["alert"]["day"] = format_day(alarm["alert"]["day"])
        alarm["alert"]["since"] = format_day(alarm["alert"]["since"])
        alarm |= {name: alarm["alert"][name] for name in ("rule", "since", "day", "value", "limit", "documents")}
        del alarm["alert"]
    _strip(made, findings.original)
    return made


INTERNAL_KEYS: Final = frozenset({"number", "version"})
"""Numbers of a ledger that say nothing outside of it."""
ONLY_WITH_ORIGINALS: Final = frozenset({"name", "text", "places", "examples", "learnt"})


def _strip(value: Any, original: bool) -> None:
    """Take out what is not to be said; days are dates."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        _strip(item, original)
    if isinstance(value, dict):
        for name in INTERNAL_KEYS | (frozenset() if original else ONLY_WITH_ORIGINALS):
            value.pop(name, None)
        if isinstance(value.get("day"), int):
            value["day"] = format_day(value["day"])
        if "opened" in value:  # of a day: the user is said above it
            for name in ("user", "entity"):
                value.pop(name)


def to_text(findings: Findings) -> Iterator[str]:
    """Sum a report up for a terminal."""
    for caution in cautions(findings):
        yield f"warning: {caution}\n"
    yield format_table(("measure", "value"), [(name, format_value(value)) for name, value in key_figures(findings)])
    if findings.alarms:
        yield "\n"
        for alarm in findings.alarms[-LISTED:]:
            yield replace_unsafe(f"{format_day(alarm.alert.day)}: {alarm.user} {alarm.sentence}") + "\n"
    if findings.top:
        yield "\n" + format_table(
            ("document", "worth", "entity", "risk", "outside"), map(_document_row, findings.top[:LISTED])
        )
    if findings.opinions.top:
        sensed = [(one.document, f"{one.sensitivity:.2f}") for one in findings.opinions.top[:LISTED]]
        yield "\n" + format_table(("sensitive, of no entity", "sensitivity"), sensed)
    if findings.people:
        people = [(one.user, f"{one.worth:,.2f}", format_day(one.days[-1].day)) for one in findings.people[:LISTED]]
        yield "\n" + format_table(("user", "worth", "last day"), people)
    if findings.changes.counts:
        changed = [(name, f"{count:,}") for name, count in findings.changes.counts.items()]
        yield "\n" + format_table(("since the scan before", "documents"), changed)


def _document_row(document: ReportedDocument) -> tuple[str, ...]:
    first = document.told[0]
    outside = ", ".join(told.entity for told in document.disallowed)
    return document.title, f"{document.worth:,.2f}", first.entity, f"{first.risk:.2f}", outside


def to_csv(
    ledger: Ledger,
    policy: Policy,
    look: LeakReportOptions,
    reread: DocumentReader | None = None,
    most: int | None = None,
) -> Iterator[str]:
    """Return a row of each document and entity that it tells of, those worth most first, some at a time."""
    columns = (*COLUMNS, *ORIGINAL_COLUMNS) if look.original else COLUMNS
    yield _lines([columns])
    with ledger.reading() as connection:
        entities = label_entities(ledger, connection, policy)
        names = {one.label: one.name for one in entities.values()}
        hide = NameHider() if look.original else NameHider.from_policy(policy)
        phrases = PhraseQuoter(connection, Originals(ledger, connection, reread) if look.original else None)
        held = list[ReportedDocument]()
        for document in top_documents(connection, entities, most, least=-1.0):
            held.append(hide_names(document, hide))
            if len(held) >= ROWS_AT_ONCE:
                yield _lines(_rows(phrases.quote(held), names, look.original))
                held = []
        yield _lines(_rows(phrases.quote(held), names, look.original))


def _rows(
    documents: tuple[ReportedDocument, ...], names: dict[str, str | None], original: bool
) -> Iterator[tuple[Any, ...]]:
    for document in documents:
        stated = "" if document.sensitivity is None else round(document.sensitivity, 4)
        if not document.told and document.sensitivity is not None:  # of no entity at all
            row = (document.document, document.folder, document.label or "", *([""] * 5), 0, 0, stated)
            yield (*row, "", "") if original else row
        for disclosure in document.told:
            row = (
                document.document, document.folder, document.label or "", disclosure.entity,
                *(round(value, 4) for value in (disclosure.risk, disclosure.strength)), disclosure.phrases,
                round(disclosure.worth, 4), int(disclosure.allowed), int(disclosure.above), stated,
            )  # fmt: skip
            texts = " | ".join(place.text for place in disclosure.places if place.text is not None)
            yield (*row, names[disclosure.entity] or "", texts) if original else row


def _lines(rows: Any) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[_escape_formula(value) for value in row] for row in rows])
    return out.getvalue()


def _escape_formula(value: Any) -> Any:
    """Keep a spreadsheet from running a cell as a formula."""
    if not isinstance(value, str):
        return value
    return FORMULA.sub(r"\1'", value.replace("\0", "\ufffd"))
