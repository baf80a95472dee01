"""Let one label stand for several phrases beside each other: lists that became the same, addresses, asides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from embanon.config import METHODS
from embanon.document import Phrase
from embanon.language import key
from embanon.replace.edit import Edit
from embanon.replace.grammar import DEFINITE_ARTICLE, INDEFINITE_ARTICLE, FittedLabel
from embanon.replace.slots import QUOTES, SLOT_CONTEXT

ADDRESS, POSTCODE = "LOC.address", "LOC.postcode"
KIND_IN_PLACE: Final = re.compile(r"an? [a-z ]+? in (.+)")
ADDRESS_JOINT: Final = re.compile(r",? | [·–] ")
POSTCODE_SHAPE: Final = re.compile(r"(?:[A-Z]{1,2}-)?\d{4,5}(?:-\d{3})?|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}")
ASIDE_OPENS: Final = re.compile(
    r" ?\([\"“„«‚‘']?|,? ?\(?(?:geb\.|geborene|née|nee|nascida|de soltera|born) ", re.IGNORECASE
)
ASIDE_CLOSES: Final = re.compile(r"[\"”“»‘’']?\)")
ASIDE_ENDS: Final = re.compile(r"(?=[,.;\s]|$)")
"""Around what is said of somebody by the way."""
CLOSING_QUOTE: Final = re.compile(r"[\"”“»‘’']")
BYNAME: Final = re.compile(
    r" (?:\"[^\"\n]{1,24}\"|[“„][^“”\n]{1,24}[“”]|«[^«»\n]{1,24}»|‘[^‘’\n]{1,24}’|'[^'\n]{1,24}'"
    r"|\([\"“]?(?:(?:[Tt]he|[Ll]a|[Ee]l|[Oo]|[Aa]|[Dd](?:er|ie)) )?[A-ZÀ-Þ][^()\n]{1,20}\)) "
)
"""Between a given name and a surname."""
NESTING_TYPES: Final = frozenset(("LOC", "DATETIME"))
NESTED_SEPARATOR: Final = re.compile(
    r"(?:, |/| ?[–—-] ?|,? (?:and|or|y|o|e|ou|und|oder) )((?:in|en|em|n[ao]s?) )?| (?:in|en|em) "
)
LIST_SEPARATOR: Final = re.compile(r", |/|,? (?:and|or|y|e|o|u|ou|und|oder|sowie) ")
"""Between phrases of a list; of places and times also a preposition, for one may lie in the other."""
PAIR_OPENER: Final = re.compile(r"\b(?:between|both|either|entre|zwischen|from|de|von)[ \u00a0]$", re.IGNORECASE)
PLURAL_VERB: Final = re.compile(r" (?:are|were|have|son|fueron|são|foram|sind|waren)\b")
"""Before and behind a list of which one must not be left."""


def closing_of_aside(text: str, last: Edit, fit: FittedLabel, phrase: Phrase) -> int:
    """Return where brackets end that only repeat who stands before them: Person 1 ("Person 1"); 0 of none."""
    between = text[last.end : fit.start]
    if fit.rung != "person" or fit.text != last.replacement:
        return 0
    if between == " " or (BYNAME.fullmatch(between) and not _written_alike(text, last, phrase)):
        return phrase.end
    if len(between) == len(' "') and between[0] == " " and between[1] in QUOTES.rstrip("("):  # Raymond "Biscuit" Tully
        match = CLOSING_QUOTE.match(text, phrase.end)
        return match.end() if match else 0
    if between == ", " and text[phrase.end : phrase.end + 1] in (",", ".", ";"):
        return phrase.end  # Kev Doyle, Big Kev, sent us a bucket
    if not ASIDE_OPENS.fullmatch(between):
        return 0
    match = ASIDE_CLOSES.match(text, phrase.end) if "(" in between else ASIDE_ENDS.match(text, phrase.end)
    return match.end() if match else 0


def surrounds_byname(text: str, edits: Sequence[Edit], fit: FittedLabel) -> bool:
    """Return whether what was taken for something else is a byname within the name of somebody: Ana "La Chispa" Gil."""
    if len(edits) < 2 or fit.rung != "person" or edits[-2].replacement != fit.text:
        return False
    return bool(BYNAME.fullmatch(text[edits[-2].end : fit.start]))


def _written_alike(text: str, last: Edit, phrase: Phrase) -> bool:
    """Return whether two names are the same whole name, rather than parts of one."""
    return text[last.start : last.end] == text[phrase.start : phrase.end]


def _comparable_label(fit: FittedLabel, type: str) -> str:
    """Return what is said without articles, to tell whether two say the same; of a place where it is."""
    if match := KIND_IN_PLACE.match(fit.text) if type == "LOC" else None:
        return DEFINITE_ARTICLE.sub("", key(match[1]), count=1)
    return key(fit.label or fit.bare) or DEFINITE_ARTICLE.sub(
        "", INDEFINITE_ARTICLE.sub("", key(fit.text), count=1), count=1
    )


def repeats_in_list(text: str, edit: Edit, last: tuple[FittedLabel, Phrase], fit: FittedLabel, phrase: Phrase) -> bool:
    """Return whether two beside each other became the same: an actor, producer and writer is an entertainer once.

    Places and times may be names, and have articles and prepositions. Two that each have an article are two.
    """
    if (
        edit.type != phrase.type
        or fit.rung in METHODS
        or _comparable_label(last[0], edit.type) != _comparable_label(fit, phrase.type)
        or fit.start < edit.end
    ):
        return False
    if phrase.type in NESTING_TYPES:
        between, joined = text[edit.end : fit.start], NESTED_SEPARATOR
    elif last[1].form == "common" == phrase.form:
        between, joined = text[edit.end : phrase.start], LIST_SEPARATOR
    else:
        return False
    match = joined.fullmatch(between)
    if not match:
        return False
    if match.lastindex and not (edit.replacement.startswith(match[1]) or text.endswith(match[1], 0, edit.start)):
        return False
    if between == ", ":
        return True
    return not (
        PAIR_OPENER.search(text[max(0, edit.start - SLOT_CONTEXT) : edit.start]) or PLURAL_VERB.match(text, phrase.end)
    )


def continues_address(
    text: str, edit: Edit, last: tuple[FittedLabel, Phrase] | None, fit: FittedLabel, phrase: Phrase
) -> bool:
    """Return whether a phrase goes on with the address that the one before it begins: 39110 Magdeburg, a street."""
    if last is None or fit.rung == "substitute" == edit.rung:  # each part has its own
        return False
    if fit.start < edit.end or not ADDRESS_JOINT.fullmatch(text[edit.end : fit.start]):
        return False
    before, is_place = last[1], phrase.type == "LOC" and phrase.kind != ADDRESS
    code_before = before.kind == POSTCODE or (
        before.type == "CODE" and bool(POSTCODE_SHAPE.fullmatch(text[before.start : before.end]))
    )
    code_behind = phrase.kind == POSTCODE or (
        phrase.type == "CODE" and bool(POSTCODE_SHAPE.fullmatch(text[phrase.start : phrase.end]))
    )
    if before.type == "LOC":
        return code_behind or (before.kind == ADDRESS and phrase.type == "LOC")
    return code_before and is_place


def merge_into_list(edit: Edit, end: int, risk: float | None, entity: int) -> Edit:
    """Return an edit that goes on to an end further behind."""
    risk = None if edit.risk is None or risk is None else max(edit.risk, risk)
    match = KIND_IN_PLACE.match(edit.replacement) if edit.type == "LOC" else None
    whole = match[1] if match else edit.replacement  # two cities in Norway are Norway, and not one city
    return replace(edit, end=end, replacement=whole, risk=risk, entity=max(edit.entity, entity))
