"""Answers to whether somebody may open a document: yes or no, why, and what they would learn by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from embanon.leak.access import format_day
from embanon.leak.people import ALWAYS, Grant


@dataclass(frozen=True, slots=True)
class EntityAnswer:
    """What a document would teach somebody of an entity, and whether they may know it."""

    entity: str
    """Its place in the policy: e1, e2 …"""
    risk: float
    threshold: float
    may: bool
    why: str
    """By which name in the policy they may know it, and until when; or why not."""
    known: tuple[float, float]
    """What they know of it before and after."""
    worth: tuple[float, float]
    """What of that counts against them, and is worth something."""
    name: str = field(default="", repr=False)

    @property
    def is_disclosed(self) -> bool:
        """Return whether the document discloses it at or above its threshold."""
        return self.risk >= self.threshold

    def describe(self, *, original: bool = False) -> str:
        """Return it as a line."""
        before, after = self.known
        entity = f"{self.entity} ({self.name})" if original else self.entity
        known = f"would know {after:.2f} of it, now {before:.2f}" if after > before else f"knows {before:.2f} by now"
        return f"{entity}: risk {self.risk:.2f}, threshold {self.threshold:g}; {self.why}; {known}"

    def row(self, *, original: bool = False) -> dict[str, Any]:
        """Return it as JSON has it; names with originals alone."""
        return {
            "entity": self.entity, "risk": round(self.risk, 4), "threshold": self.threshold,
            "disclosed": self.is_disclosed, "may": self.may, "why": self.why, "known": _change(self.known),
            "worth": _change(self.worth), **({"name": self.name} if original else {}),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether somebody may open a document, and why not."""

    document: str
    day: int
    entities: tuple[EntityAnswer, ...]
    """Those that it tells of; what costs most first."""
    worth: tuple[float, float]
    """What counts against them before and after: of the entity that is worth most, …"""
    total: tuple[float, float]
    """… and of all together."""
    limit: float
    """The worth from which the policy alerts; infinite where it sets none."""
    is_new_user: bool
    """Whether the ledger does not know the user, who has seen nothing."""
    from_ledger: bool
    problems: tuple[str, ...] = ()
    """Why not all can be said of it."""

    @property
    def crosses_limit(self) -> bool:
        """Return whether they would know too much by it, and more than now."""
        return self.worth[1] >= self.limit and self.worth[1] > self.worth[0]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why they may not open it; none where they may."""
        refused = (one for one in self.entities if one.is_disclosed and not one.may)
        reasons = [f"{one.entity}, risk {one.risk:.2f}: {one.why}" for one in refused]
        if self.crosses_limit:
            reasons.append(f"would know too much: worth {self.worth[1]:.2f}, limit {self.limit:g}")
        return (*reasons, *self.problems)

    @property
    def yes(self) -> bool:
        """Return whether they may open it."""
        return not self.reasons

    def describe(self, *, original: bool = False) -> tuple[str, ...]:
        """Return it in lines: yes or no, what is disclosed or new of entities, and what else speaks against it."""
        shown = (one for one in self.entities if one.is_disclosed or one in self.learnt)
        lines = [f"{self.document}: {'yes' if self.yes else 'no'}", *(one.describe(original=original) for one in shown)]
        if self.worth[1] > self.worth[0]:
            crossed = "; that is too much" if self.crosses_limit else ""
            limit = f"; limit {self.limit:g}{crossed}" if isfinite(self.limit) else ""
            lines.append(f"worth {self.worth[1]:.2f} then, now {self.worth[0]:.2f}{limit}")
        lines += self.problems if self.learnt else ("nothing new to them", *self.problems)
        return tuple(lines)

    @property
    def learnt(self) -> tuple[EntityAnswer, ...]:
        """Return the entities of which they would learn something anew."""
        return tuple(one for one in self.entities if one.known[1] > one.known[0])

    def row(self, *, original: bool = False) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "document": self.document, "may": self.yes, "why": list(self.reasons), "day": format_day(self.day),
            "from": "ledger" if self.from_ledger else "file", "new_user": self.is_new_user,
            "learns": bool(self.learnt), "worth": _change(self.worth), "total": _change(self.total),
            "limit": self.limit if isfinite(self.limit) else None, "crosses_limit": self.crosses_limit,
            "entities": [one.row(original=original) for one in self.entities],
        }  # fmt: skip


def _change(values: tuple[float, float]) -> dict[str, float]:
    return {"before": round(values[0], 4), "after": round(values[1], 4)}


def explain_permission(grants: Sequence[Grant], day: int) -> tuple[bool, str]:
    """Return whether somebody may know an entity on a day, and by what."""
    holding = max((grant for grant in grants if grant.covers(day)), key=lambda grant: grant.until, default=None)
    if holding:
        ends = "" if holding.until == ALWAYS[1] else f" until {format_day(holding.until)}"
        return True, f"may know it as {holding.who}{ends}"
    ended = max((grant for grant in grants if grant.until < day), key=lambda grant: grant.until, default=None)
    if ended:
        return False, f"might know it as {ended.who} until {format_day(ended.until)}"
    if grants:
        first = min(grants, key=lambda grant: grant.since)
        return False, f"may know it as {first.who} from {format_day(first.since)} on"
    return False, "may not know it"
