"""Compute the ladders of what recurs: weekdays, months, seasons, holidays, times of day."""

from __future__ import annotations

import re
from typing import Final

from embanon.language import Cue, Lexicon
from embanon.taxonomy.ladders.rung import Step
from embanon.taxonomy.ladders.tables import Tables, Token

_CLOCK: Final = re.compile(r"(\d{1,2})\s*(?:([:.h])\s*(\d\d)?|(?=\s*[aApP]\.?\s?[mM])|(?=\s*(?:Uhr|o['’]clock)))")


def recurring_steps(tokens: list[Token], phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of what recurs: weekdays, months, seasons, holidays, times of day."""
    lexicon = Lexicon.load(tables.language)
    keys = [token.key for token in tokens]
    flags = lexicon.flags(phrase.strip())
    for token in tokens:
        flags |= lexicon.flags(token.text)
    if clock := _time(phrase, keys, tables):
        return clock
    if flags & Cue.HOLIDAY and not _is_holiday(phrase, tokens, lexicon):
        return []
    if flags & Cue.HOLIDAY and (any(sign.isupper() for sign in phrase) or tables.language in ("es", "pt")):
        name = "occasion" if tables.words("dates", "no_holiday").intersection(keys) else "holiday"
        return [(tables.text("dates", name), "holiday"), tables.type("date")]
    if flags & Cue.WEEKDAY and not any(token.text.isdecimal() for token in tokens):
        days = [key for key in keys if lexicon.flags(key.capitalize()) & Cue.WEEKDAY]
        if len(days) != 1:
            return [tables.type("date")]
        working = tables.words("dates", "workdays")
        name = (
            "workday" if days[0] in working else "weekend" if days[0] in tables.words("dates", "weekend_days") else ""
        )
        label = tables.text("dates", name) if name else ""
        return [*([(label, "weekday")] if label else []), tables.type("weekday")]
    if flags & Cue.MONTH and len(tokens) == 1:
        return [tables.type("month")]
    if flags & Cue.SEASON and not any(token.text.isdecimal() for token in tokens) and len(tokens) <= 2:
        return [tables.type("season")]
    return []


def _is_holiday(phrase: str, tokens: list[Token], lexicon: Lexicon) -> bool:
    """Return whether nothing but the name of a holiday stands there: not Saving Christmas."""
    known = int(Cue.HOLIDAY | Cue.STOP | Cue.DETERMINER | Cue.TIME_MODIFIER | Cue.DAYPART)
    return bool(lexicon.flags(phrase) & Cue.HOLIDAY) or all(lexicon.flags(token.text) & known for token in tokens)


def _time(phrase: str, keys: list[str], tables: Tables) -> list[Step]:
    """Read a time of day; the part of the day is said where 12 and 24 hours cannot be confused."""
    found = _CLOCK.match(phrase.strip())
    if not found or int(found[1]) > 24 or (found[2] == "." and "uhr" not in keys):
        return []
    hour, last = int(found[1]), tables.type("time")
    several = len([key for key in keys if key.isdecimal()]) > 2
    if found[2] == "h" and not found[3] and tables.text("dates", "clock24") != "h":
        return []
    if several:
        return [last]
    if tables.words("dates", "afternoon").intersection(keys):
        hour = hour % 12 + 12
    elif tables.words("dates", "morning").intersection(keys):
        hour %= 12
    elif 1 <= hour <= 12:
        return [last]
    if str(hour) in tables.words("dates", "unsure_hours"):
        return [last]
    parts = tables.content["dates"]["day_parts"]
    return [(parts[hour % 24 // 6], "part of the day"), last]
