"""Say in a sentence what an alert is about: what was learnt, from which documents, against whose usual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from embanon.io import count_noun
from embanon.leak.access import format_day
from embanon.leak.alerts import Alert
from embanon.leak.surprise import WINDOWS

NAMED: Final = 2
"""Entities that are named; of others it is said how many they are."""
RARE: Final = 0.25
"""The share of outsiders in a folder up to which that is worth saying."""


def describe_alert(alert: Alert, entities: Sequence[str], folder: str) -> str:
    """Say an alert; entities are those learnt of, what is worth most first, as they are to be shown."""
    day = format_day(alert.day)
    if alert.rule not in WINDOWS:
        known = f" of {entities[0]}" if entities else ""
        return f"knows {alert.value:,.2f}{known} since {day}; the policy sets a limit of {alert.limit:,.2f}"
    when = f"on {day}" if alert.rule == "day" else f"from {format_day(alert.since)} to {day}"
    documents = count_noun(alert.documents, "document")
    learned = f"learned {alert.value:,.1f} of {_listed(entities)} from {documents} {when}, {_place(alert, folder)}"
    others = f"anybody else of {alert.group}" if alert.group else "anybody else"
    return f"{learned}; on their usual {alert.rule} {alert.limit:,.1f}, and {others} at most {alert.peers:,.1f}"


def _listed(entities: Sequence[str]) -> str:
    more = len(entities) - NAMED
    named = ", ".join(entities[:NAMED])
    return f"{named} and {more:,} more" if more > 0 else named


def _place(alert: Alert, folder: str) -> str:
    """Say where most of it lies that surprises, and how seldom others like this user open what is there."""
    all_of = alert.folder_documents == alert.documents
    where = f"in {folder}" if all_of else f"{alert.folder_documents:,} of them in {folder}"
    if alert.outsiders > RARE:
        return where
    return f"{where}, which people from elsewhere hardly open ({max(alert.outsiders, 0.01):.0%})"
