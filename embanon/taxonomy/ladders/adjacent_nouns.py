"""Read what a name is from the noun that the text puts beside it: the band X, X (2003 film), the films X and Y.

Works are also known by the year in brackets behind them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from embanon.language import fold_name, inflect_noun
from embanon.taxonomy.ladders.dates import FIRST_YEAR, LAST_YEAR, decade_label
from embanon.taxonomy.ladders.tables import Context, Step, Tables, head_labels, split_steps

NOUN_WINDOW: Final = 60
"""Characters before and after a name that are looked at."""
LIST_WINDOW: Final = 240
"""Characters before a name in which a list that it is part of may begin."""
QUOTES: Final = '“”"„«»‘’'
LONGEST_NOUN: Final = 3
"""Words of a noun."""
ADJECTIVES: Final = 6
"""Words that may stand between an article and its noun."""

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_WORDS: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+|['’]s")
_BEHIND: Final = re.compile(r"\s*\((\d{4}\s)?([^\W\d_]+(?:\s[^\W\d_]+){0,2})\)")
_WORD: Final = r"[^\W\d_]+(?:[-'’][^\W\d_]+)*"
_APPOSED: Final = re.compile(rf"\s*,\s+((?:{_WORD}[ \t]){{1,6}}{_WORD})(?=[\s,.;:)]|$)")
_SENTENCE: Final = re.compile(r"(?<!\.)\.\s")


def adjacent_noun(phrase: str, section: str, tables: Tables, context: Context) -> str:
    """Return the labels of the noun beside a name; `section` names its table of nouns. Empty where there is none."""
    known = head_labels(tables, section)
    if not known:
        return ""
    after = context.after.lstrip(QUOTES).lstrip()
    after = after if after.startswith("(") else ""  # a bracket further on is of another name
    return (
        _noun_before(context.before, known, tables)
        or _noun_in_brackets(f"{phrase} {after}", known, tables)
        or _noun_in_apposition(context.after, known, tables)
        or _noun_of_list(context.before, section, known, tables)
    )


def _noun_before(before: str, known: dict[str, str], tables: Tables) -> str:
    """Return the labels of the noun that ends what stands before.

    `the film X`, `her second novel, X`, `the art of X`.
    """
    text = before[-NOUN_WINDOW:].rstrip(QUOTES)
    if text[-1:] not in (" ", "\u00a0"):
        return ""
    text = text.rstrip().removesuffix(",")
    if not text[-1:].isalnum():
        return ""
    words = _WORDS.findall(text)
    if not words or (words[-1][:1].isupper() and not tables.flag("nouns", "capitalized")):
        return ""  # of another name
    keys = [fold_name(word) for word in words]
    prepositions = tables.words("works", "of")
    if len(keys) > 1 and keys[-1] in prepositions and not before.rstrip().endswith(","):
        keys = keys[:-1]
        known = {noun: labels for noun, labels in known.items() if noun in tables.words("works", "before_of")}
    articles = tables.words("works", "articles")
    for size in range(LONGEST_NOUN, 0, -1):
        labels = known.get(" ".join(keys[len(keys) - size :])) if len(keys) >= size else None
        if labels:
            ahead = keys[max(0, len(keys) - size - ADJECTIVES) : len(keys) - size]
            return labels if articles.intersection(ahead) else ""
    return ""


def _noun_in_brackets(text: str, known: dict[str, str], tables: Tables) -> str:
    """Return the labels of the noun in brackets behind a title: `X (2003 film)`."""
    at = text.find("(")
    match = _BEHIND.match(text, at) if at >= 0 else None
    if not match:
        return ""
    words = fold_name(match[2]).split()
    position = tables.text("nouns", "position")
    return known.get(" ".join(words)) or known.get(words[0 if position == "first" else -1], "")


def _noun_in_apposition(after: str, known: dict[str, str], tables: Tables) -> str:
    """Return the labels of the noun in apposition: `X, a German record label,`.

    It must begin with an article for one.
    """
    match = _APPOSED.match(after[: 2 * NOUN_WINDOW])
    if not match:
        return ""
    words = fold_name(match[1]).split()
    if words[0] not in tables.words("persons", "indefinite"):
        return ""
    if tables.text("nouns", "position") == "first":
        words = words[:4]
    cut = tables.words("nouns", "cut")
    words = words[: next((place for place, word in enumerate(words) if place and word in cut), len(words))]
    for size in range(min(LONGEST_NOUN, len(words) - 1), 0, -1):
        place = slice(1, 1 + size) if tables.text("nouns", "position") == "first" else slice(-size, None)
        if labels := known.get(" ".join(words[place])):
            return labels
    return ""


@cache
def _plurals(tables: Tables, section: str) -> dict[str, str]:
    """Return the labels of the plural of each noun; one that ends in -s may be its own."""
    labels_by_plural: dict[str, str] = {}
    first = tables.text("nouns", "position") == "first"
    for noun, labels in head_labels(tables, section).items():
        words = noun.split()
        word = words[0 if first else -1]
        for form in (*inflect_noun(word, tables.language), *([word] if word.endswith("s") else [])):
            labels_by_plural[" ".join((form, *words[1:]) if first else (*words[:-1], form))] = labels
    return labels_by_plural


def _noun_of_list(before: str, section: str, known: dict[str, str], tables: Tables) -> str:
    """Return the labels of the plural that a list begins with: `the films X, Y (1998) and Z`."""
    text = before[-LIST_WINDOW:]
    plurals = _plurals(tables, section)
    if not plurals or text[-1:] not in (" ", "\u00a0", *QUOTES):
        return ""
    best, last = "", _last_words(tables, section)
    if last.isdisjoint(_LETTERS.findall(text.casefold())):
        return ""
    for match in _LETTERS.finditer(text):
        if fold_name(match[0]) not in last:
            continue
        keys = [fold_name(word) for word in _WORDS.findall(text[: match.end()])[-LONGEST_NOUN:]]
        nouns = (" ".join(keys[-size:]) for size in range(LONGEST_NOUN, 0, -1))
        labels = next((plurals[noun] for noun in nouns if noun in plurals), "")
        if labels and _is_list(text[match.end() :], tables):
            best = labels
    return best


@cache
def _last_words(tables: Tables, section: str) -> frozenset[str]:
    return frozenset(noun.split()[-1] for noun in _plurals(tables, section))


def _is_list(text: str, tables: Tables) -> bool:
    """Return whether a text is the beginning of a list.

    Names with commas or `and` between them, the last one behind all.
    """
    if text[:1] in ("'", "’"):
        return False  # the series' director
    opening = tables.words("works", "openings")
    joins = "|".join(map(re.escape, sorted(tables.words("works", "and"))))
    rest = re.sub(r"^\s*[:,]?\s*", "", text)
    for opened in sorted(opening, key=len, reverse=True):
        if fold_name(rest).startswith(f"{opened} "):
            rest = rest[len(opened) :].lstrip(" :,")
            break
    rest = rest.rstrip(QUOTES + " \u00a0")
    if not rest:
        return True
    parted = re.compile(rf",\s*(?:(?:{joins})\s+)?|\s+(?:{joins})(?:\s+|$)")
    items = parted.split(re.sub(r"\([^()\n]{0,60}\)", "", rest))
    if items and not items[-1].strip():
        items = items[:-1]
        ended = True
    else:
        ended = bool(re.search(rf"(?:,|\s(?:{joins}))$", rest))
    return ended and all(_is_name(item.strip(QUOTES + " "), tables) for item in items)


def _is_name(item: str, tables: Tables) -> bool:
    """Return whether an item of a list is a title: capitals but for small words."""
    words = item.split()
    if not words or len(words) > 10 or _SENTENCE.search(item) or not (words[0][:1].isupper() or words[0][:1].isdigit()):
        return False
    small = tables.words("nouns", "cut") | tables.words("", "articles") | tables.words("works", "articles")
    return all(not word[:1].islower() or fold_name(word) in small for word in words)


_YEAR: Final = re.compile(r"\((?:(\d{4})(?:\s[^\W\d_ ]+){0,3}|(?:[^\W\d_]+\s){0,3}(\d{4}))\)\s*$")
_DATED: Final = re.compile(r"[”\"»“’]?\s?\((?:19|20)\d\d\)")


def work_steps(phrase: str, kind: str, tables: Tables, context: Context) -> list[Step]:
    """Return the steps of a work; empty where nothing says that it is one."""
    if not any(sign.isupper() for sign in phrase):
        return []
    labels = adjacent_noun(phrase, "works", tables, context)
    steps = split_steps(labels, "work")
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
        return [*dated, *(steps or [work])]
    if steps:
        return steps
    if len(phrase) > 2 and phrase[0] in QUOTES and phrase[-1] in QUOTES:
        return [(tables.text("types", "title"), "work")] if kind == "work" else []
    quoted = context.before[-1:] in QUOTES and bool(context.before)
    return [work] if (kind == "work" and not quoted) or _DATED.match(context.after) else []


def _year(phrase: str) -> int:
    """Return the year in brackets at the end: Gia (1998)."""
    match = _YEAR.search(phrase[-NOUN_WINDOW:])
    year = int(match[1] or match[2]) if match else 0
    return year if FIRST_YEAR <= year <= LAST_YEAR and "/" not in phrase and not phrase.startswith("(") else 0
