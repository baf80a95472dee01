"""Compute the ladders of works: by the noun beside them, and by the year in brackets behind them."""

from __future__ import annotations

import re
from typing import Final

from embanon.lexicon import fold
from embanon.taxonomy.computed.dates import FIRST, LAST, decade_label
from embanon.taxonomy.computed.names import heads
from embanon.taxonomy.computed.rung import Context, Step
from embanon.taxonomy.computed.tables import Tables, steps

NEAR: Final = 60
"""Characters before and after a title that are looked at."""
QUOTES: Final = '“”"„«»‘’'

_YEAR: Final = re.compile(r"\((?:(\d{4})(?:\s[^\W\d_ ]+){0,3}|(?:[^\W\d_]+\s){0,3}(\d{4}))\)\s*$")
_BEHIND: Final = re.compile(r"\s*\((\d{4}\s)?([^\W\d_]+(?:\s[^\W\d_]+){0,2})\)")


def works(phrase: str, kind: str, tables: Tables, context: Context) -> list[Step]:
    """Give the steps of a work; empty where nothing says that it is one."""
    if not any(sign.isupper() for sign in phrase):
        return []
    labels = _noun_before(context.before, tables) or _noun_behind(f"{phrase} {context.after}", tables)
    found = steps(labels, "work")
    work = tables.type("work")
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
    quoted = len(phrase) > 2 and phrase[0] in QUOTES and phrase[-1] in QUOTES
    return [tables.type("title")] if quoted and kind == "work" else []


def _year(phrase: str) -> int:
    """Give the year in brackets at the end: Gia (1998)."""
    found = _YEAR.search(phrase[-NEAR:])
    year = int(found[1] or found[2]) if found else 0
    return year if FIRST <= year <= LAST and "/" not in phrase and not phrase.startswith("(") else 0


def _noun_before(before: str, tables: Tables) -> str:
    """Give the labels of the noun that ends what stands before: `the film X`, `her second novel X`."""
    text = before[-NEAR:].rstrip(QUOTES)
    if not text or text[-1:] not in " \u00a0":
        return ""
    words = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+|['’]s", text)
    if not words or not text.rstrip()[-1:].isalnum():
        return ""
    known = heads(tables, "works")
    articles = tables.words("works", "articles")
    keys = [fold(word) for word in words]
    for size in (3, 2, 1):
        labels = known.get(" ".join(keys[len(keys) - size :])) if len(keys) >= size else None
        if labels:
            return (
                labels if any(key in articles for key in keys[max(0, len(keys) - size - 4) : len(keys) - size]) else ""
            )
    return ""


def _noun_behind(text: str, tables: Tables) -> str:
    """Give the labels of the noun in brackets behind a title: `X (2003 film)`."""
    at = text.rfind("(", 0, len(text)) if text.count("(") == 1 else text.find("(")
    found = _BEHIND.match(text, at) if at >= 0 else None
    if not found:
        return ""
    known, words = heads(tables, "works"), fold(found[2]).split()
    position = tables.text("nouns", "position")
    return known.get(" ".join(words)) or known.get(words[0 if position == "first" else -1], "")
