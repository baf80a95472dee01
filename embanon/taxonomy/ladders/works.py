"""Compute the ladders of works: by the noun beside them, and by the year in brackets behind them."""

from __future__ import annotations

import re
from typing import Final

from embanon.taxonomy.ladders.adjacent_nouns import NOUN_WINDOW, QUOTES, adjacent_noun
from embanon.taxonomy.ladders.dates import FIRST_YEAR, LAST_YEAR, decade_label
from embanon.taxonomy.ladders.rung import Context, Step
from embanon.taxonomy.ladders.tables import Tables, split_steps

_YEAR: Final = re.compile(r"\((?:(\d{4})(?:\s[^\W\d_ ]+){0,3}|(?:[^\W\d_]+\s){0,3}(\d{4}))\)\s*$")
_DATED: Final = re.compile(r"[”\"»“’]?\s?\((?:19|20)\d\d\)")


def work_steps(phrase: str, kind: str, tables: Tables, context: Context) -> list[Step]:
    """Return the steps of a work; empty where nothing says that it is one."""
    if not any(sign.isupper() for sign in phrase):
        return []
    labels = adjacent_noun(phrase, "works", tables, context)
    found = split_steps(labels, "work")
    work = tables.text("types", "work"), "work"
    year = _year(phrase) if kind == "work" or labels else 0
    if year:
        first, form = labels.partition("|")[0].strip() or work[0], tables.text("works", "from")
        decade = decade_label(year, tables)
        # The decade is not claimed of a year alone whose century it could be: the 1900s.
        dated: list[Step] = [
            (form.format(work=first, date=year), "year"),
            (tables.text("works", "dated").format(work=first, decade=decade), "decade"),
        ]
        return [*dated, *(found or [work])]
    if found:
        return found
    if len(phrase) > 2 and phrase[0] in QUOTES and phrase[-1] in QUOTES:
        return [(tables.text("types", "title"), "work")] if kind == "work" else []
    quoted = context.before[-1:] in QUOTES and bool(context.before)
    return [work] if (kind == "work" and not quoted) or _DATED.match(context.after) else []


def _year(phrase: str) -> int:
    """Return the year in brackets at the end: Gia (1998)."""
    found = _YEAR.search(phrase[-NOUN_WINDOW:])
    year = int(found[1] or found[2]) if found else 0
    return year if FIRST_YEAR <= year <= LAST_YEAR and "/" not in phrase and not phrase.startswith("(") else 0
