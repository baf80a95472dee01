"""Compute the ladders of what is said about people: how old they are, and how they are related."""

from __future__ import annotations

import re
from functools import cache

from embanon.language import fold_name
from embanon.taxonomy.ladders.numerals import find_number
from embanon.taxonomy.ladders.rung import Step
from embanon.taxonomy.ladders.tables import Tables, labels_by_word

ADULT, CHILD, OLD, OLDEST = 18, 13, 90, 120


def age_steps(phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of an age: five years, ten years, whether of age.

    From 90 on there are so few people that nothing narrower than `90 or older` is said.
    """
    number, last = find_number(phrase, tables), tables.type("age")
    if number is None or number.has_others or number.value != int(number.value):
        return [last]
    words = {fold_name(word) for word in re.findall(r"[^\W\d_]+", phrase)}
    value = int(number.value)
    if words & tables.words("ages", "months") or words & tables.words("ages", "weeks"):
        years = value / 12 if words & tables.words("ages", "months") else value / 52
        young = "child" if years < CHILD else "minor" if years < ADULT else ""
        found: list[Step] = [(tables.text("ages", young), "stage")] if young else []
        return [*found, *_stage("minor" if young else "", tables), last]
    if value > OLDEST:
        return [last]
    frame = _frame(phrase, number.start, words, tables)
    return [*_ranges(value, frame, tables), last]


def _stage(name: str, tables: Tables) -> list[Step]:
    return [(tables.text("ages", name), "stage")] if name else []


def _ranges(value: int, frame: str, tables: Tables) -> list[Step]:
    """Return the ranges that hold an age; none begins or ends with it."""
    if value >= OLD:
        return [(tables.text("ages", "oldest"), "range"), *_stage("adult", tables)]
    spans: list[tuple[int, int]]
    stages = ["adult"]
    if value >= 20:
        spans = [(value // 5 * 5, value // 5 * 5 + 4), (value // 10 * 10, value // 10 * 10 + 9)]
    elif value >= ADULT:
        spans = [(18, 29)]
    elif value >= CHILD:
        spans, stages = [(13, 17)], ["minor"]
    else:
        spans, stages = [(value // 5 * 5, min(value // 5 * 5 + 4, CHILD - 1))], ["child", "minor"]
    found: list[Step] = []
    for low, high in spans:
        if (low, high) == (value // 10 * 10, value // 10 * 10 + 9) and (decade := tables.text("ages", "decade")):
            found.append((decade.format(decade=low), "range"))
        elif value not in (low, high):
            span = tables.text("ages", "range").format(low=low, high=high)
            found.append((frame.format(range=span), "range"))
    return found + [(tables.text("ages", stage), "stage") for stage in stages]


def _frame(phrase: str, start: int, words: set[str], tables: Tables) -> str:
    """Return what stands around the range, so that it fits where the age stood."""
    before = fold_name(" ".join(phrase[:start].split()))
    if before in tables.words("ages", "prefixes"):
        return f"{before} {{range}}"
    if before:
        return "{range}"
    if words & tables.words("ages", "old_words"):
        return tables.text("ages", "old")
    if words & tables.words("ages", "year_words"):
        return tables.text("ages", "years")
    return tables.text("ages", "old") if words else "{range}"


@cache
def _kin(tables: Tables) -> dict[str, str]:
    return labels_by_word(tables.rows("kin"))


def kin_steps(phrase: str, tables: Tables, head: str = "") -> list[Step]:
    """Return the steps of a relation, without the gender."""
    words = phrase.split()
    if not words:
        return []
    if any(fold_name(word) in tables.words("nouns", "privative") for word in words):
        return []
    word = fold_name(head or words[0 if tables.text("nouns", "position") == "first" else -1])
    label = _kin(tables).get(word)
    if label is None:
        return []
    return [*([(label, "relation")] if label else []), tables.type("kin")]
