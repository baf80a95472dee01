"""Fit a label into an English sentence: articles, number, prepositions of dates, and nothing twice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from embanon.language import Cue, inflect_noun
from embanon.replace.grammar import (
    TYPE_NOUNS,
    Rendering,
    Slot,
    lemma,
    listed_words,
    match_capital,
    replacement_table,
    word_flags,
)

ARTICLE: Final = re.compile(r"(an?|the) ")
WORDS: Final = re.compile(r"(?:(?:[^\W_]|\[(?=[A-Z]))[\w'’.\]-]*[ \u00a0]+){1,4}[\"“‘«„]?$")
COUNTED: Final = re.compile(r"[ \u00a0](?:(?!(?:a|i|hi|thi|it|wa|ha|alway)s\b)[^\W\d_-]+ ){0,2}?[^\W\d_]{3,}s\b")
"""A noun in the plural, up to two words further."""
A_OR_AN: Final = re.compile(r"\b(an?)([ \u00a0]+)$", re.IGNORECASE)
THE: Final = re.compile(r"\bthe[ \u00a0]+$", re.IGNORECASE)
PLACES_WITH_THE: Final = re.compile(
    r"(?:.+ )?(?:Kingdom|States|Netherlands|Philippines|Bahamas|Gambia|Maldives|Seychelles|Comoros|Americas|Balkans|"
    r"Caribbean|Republic|Islands|Emirates|Union|Middle East)|(?:.+ )?(?:United States|Republic) of .+"
)
"""Places that stand behind `the`."""
DATE_PREPOSITION: Final = re.compile(r"\b(on|at)([ \u00a0]+)(?:the )?$", re.IGNORECASE)
TIME_SPAN: Final = re.compile(
    r"the (?:(?:early |mid-|late )?\d+s|\w+ century|night|morning|afternoon|evening)|\d{4}"
    r"|(?:early |mid-|late )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{4})?"
)
AGE_DECADE: Final = re.compile(r"(?:early |mid-|late )?(?:\d0s|teens)")
AGE_AHEAD: Final = re.compile(
    r"\b(?:(?:(?:at|by|from) )?(?:the |an )?age (?:of )?|at (?:the |an )?(?:age of )?|aged )$", re.IGNORECASE
)
"""What stands before an age and not before *in her early 60s*."""
SUBJECT: Final = re.compile(r"\b(I|you|he|she|we)(?:['’](?:m|re|s|d|ve|ll))?(?: [a-z]+){0,2} $", re.IGNORECASE)
HER: Final = re.compile(
    r"\b(?:she|her|hers|Mrs|Ms|Miss|woman|lady|girl|wife|widow|mother|sister|daughter)\b", re.IGNORECASE
)
HIS: Final = re.compile(r"\b(?:he|his|him|Mr|man|boy|husband|widower|father|brother|son)\b", re.IGNORECASE)
"""Words near an age that tell whose it is."""
RELATIVE_AHEAD: Final = re.compile(
    r"\b(?:(wife|widow|mother|sister|daughter|aunt|niece|grandmother|granddaughter|girlfriend|fiancée|girl|[Nn]an|[Mm]um"
    r"|[Gg]ran(?:ny|dma)?)|(?:husband|widower|father|brother|son|uncle|nephew|grandfather|grandson|boyfriend|fiancé|boy"
    r"|[Dd]ad|[Gg]randa?pa))"
    r"(?: \(?[A-ZÀ-Þ\d][\w.'’-]*){0,3}(?:,| \(| d\.|, who (?:is|was)|, (?:now )?aged|, now) ?$"
)
"""A relative, perhaps by name, right before an age: her brother Jonas, who is …; the group is of women."""
OF_ANOTHER: Final = re.compile(
    r"\b(?:whose|my|your|our|their|(her|his)) (?:wife|mother|sister|daughter|husband|father|brother|son)\b"
)
"""Relatives who are not the one whose age it is: whose brother died."""
POSSESSIVES: Final = {"i": "my", "you": "your", "he": "his", "she": "her", "we": "our"}
NO_AGE_BEHIND: Final = frozenset(
    (
        "a",
        "an",
        "by",
        "from",
        "since",
        "turned",
        "nearly",
        "over",
        "almost",
        "under",
        "about",
        "of",
        "the",
        "his",
        "her",
        "my",
        "their",
    )
)
VOWEL: Final = re.compile(r"[aeiou]|hon(?:est|or|our)|heir|hour|8|18\d\d|1[18](?!\d)", re.IGNORECASE)
CONSONANT: Final = re.compile(
    r"eu|ewe|one\b|once\b|uni(?![nm])|u[sk]\b|us[eu]|ut[ei]|ur[aeiou]|ub[aeiou]|ukr|uv|ufo", re.IGNORECASE
)
POSTMODIFIER: Final = re.compile(r" (?:of|from|to|for|in|at|on|or|with|by) ")
"""What a label has behind its noun, which can then stand before no other noun."""
MODIFIERS: Final = int(Cue.NUMBER_WORD | Cue.ORDINAL_WORD | Cue.NATIONALITY | Cue.VAGUE)
SMALL: Final = int(Cue.STOP | Cue.CONNECTOR | Cue.PRONOUN)
EVENT_VERBS: Final = listed_words("en", "event_verbs")
UNCOUNTABLE: Final = listed_words("en", "uncountable")
"""Nouns without singular or without plural."""
IRREGULAR: Final[Mapping[str, str]] = replacement_table("en")["plurals"]
NUMBER: Final = "a number"
APPROXIMATORS: Final = listed_words("en", "approximators")
MAX_SEVERAL: Final = 20
"""What several are at most."""
ROUNDED: Final = ("about ", "more than ", "less than ", "fewer than ", "several ")
OPENING_WORD: Final = re.compile(r"(?:^|[.!?:] )[A-Z][a-z]+ $")
"""A word that opens a sentence before a name, and says nothing of whom it names: Later, Yesterday."""
POSSESSIVE: Final = re.compile(r"['’]s\b")
"""Behind what ends in -s only the apostrophe could stand."""
PRONOUN_DETERMINERS: Final = listed_words("en", "pronouns")
"""Determiners that often stand alone."""
DETERMINERS: Final = listed_words("en", "determiners")


@dataclass(frozen=True, slots=True)
class _EnglishContext:
    """What the words before a slot tell."""

    last: str = field(repr=False)
    determiner: str = field(repr=False)
    has_modifier: bool
    is_plural: bool


def fit_english(slot: Slot, label: str) -> Rendering | None:
    """Return the label, and how many preceding characters it replaces as well."""
    before = _read_context(slot.before)
    named, common = slot.phrase.form in ("name", "title"), label.islower()
    if label == NUMBER:
        return _fit_number(slot, before)
    if slot.phrase.type == "DEM" and AGE_DECADE.fullmatch(label):
        return _fit_age(slot, before, label)
    about_twice = label.startswith(ROUNDED) and before.last in APPROXIMATORS
    if about_twice or (label.endswith("s") and POSSESSIVE.match(slot.after)):
        return None
    article = match[1] if (match := ARTICLE.match(label)) else ""
    bare = label[len(article) + 1 :] if article else label
    if named and (before.last.endswith("]") or (before.last.islower() and word_flags(before.last) & TYPE_NOUNS)):
        return None  # the film X: what it is is said
    is_determined = before.determiner and not (THE.search(slot.before) and article)
    if POSTMODIFIER.search(bare) and (slot.is_modifier or (slot.phrase.type == "LOC" and is_determined)):
        return None
    plural = common and not slot.is_modifier and (_is_plural(slot) or (named and before.is_plural))
    if plural:
        bare, article = _plural(bare), ""
    uncounted = plural or not _is_countable(bare)
    if before.determiner in ("a", "an") and (uncounted or (article == "the" and not slot.is_modifier)) and common:
        return None
    if slot.phrase.type == "DATETIME" and not slot.is_modifier and (moment := _fit_time(slot, before, label)):
        return moment
    if before.last in ("at", "on") and TIME_SPAN.fullmatch(label):
        return None
    if slot.phrase.type == "LOC" and not (common or article or slot.is_modifier):
        if not PLACES_WITH_THE.fullmatch(bare):
            return _drop_the(slot, bare)  # the Faroe Islands are Northern Europe
        article = "" if before.determiner or before.has_modifier or slot.follows_phrase else "the "
        return _adjust_article(slot, f"{article}{bare}")
    if slot.phrase.type == "DEM" and bare.endswith("an") and not slot.is_modifier and slot.head.endswith("ns"):
        bare = f"{bare}s"  # two Norwegians are Europeans
    the = THE.search(slot.before)
    if the and named and article in ("a", "an") and not slot.is_modifier and len(the[0]) <= slot.editable_before:
        new = f"{'an' if takes_an(bare) else 'a'} {bare}"
        return Rendering(len(the[0]), match_capital(new, the[0]))  # the Royal Infirmary is a hospital
    has_modifier = before.has_modifier and not (slot.phrase.type == "PERSON" and OPENING_WORD.search(slot.before))
    if before.determiner or has_modifier or slot.follows_phrase or (slot.is_modifier and article != "the"):
        article = ""
    elif named and common and not article and not uncounted and slot.phrase.type != "DEM":
        article = "a"
    if article in ("a", "an"):
        article = "an" if takes_an(bare) else "a"
    return _adjust_article(slot, f"{article} {bare}" if article else bare)


def _fit_age(slot: Slot, before: _EnglishContext, label: str) -> Rendering | None:
    """Return an age as where somebody is in life: aged 61 is in their early 60s, and I am 61 in my early 60s."""
    ahead = AGE_AHEAD.search(slot.before)
    absorbed = len(ahead[0]) if ahead else 0
    if slot.is_modifier or absorbed > slot.editable_before or (not ahead and before.last.lower() in NO_AGE_BEHIND):
        return None
    written = slot.before[: len(slot.before) - absorbed]
    subject = SUBJECT.search(written)
    whose = POSSESSIVES[subject[1].lower()] if subject else _whose(written, slot.after)
    text = f"in {whose} {label}"
    return Rendering(absorbed, match_capital(text, ahead[0]) if ahead else text)


def _whose(before: str, after: str) -> str:
    """Return the pronoun of whom an age is of: of a relative right before it, else what the sentence speaks of."""
    if relative := RELATIVE_AHEAD.search(before):
        return "her" if relative[1] else "his"
    near = OF_ANOTHER.sub(r"\1", before + after.partition(". ")[0])
    whose = "her" if HER.search(near) else "their"
    return "his" if whose == "their" and HIS.search(near) else whose


def article_before(slot: Slot, text: str) -> tuple[int, str]:
    """Return the `a` or `an` before a slot as the sound of a text asks for it, if it changes, and its length now."""
    written = A_OR_AN.search(slot.before)
    article = "an" if takes_an(text) else "a"
    if not written or written[1].lower() == article or len(written[0]) > slot.editable_before:
        return 0, ""
    return len(written[0]), f"{match_capital(article, written[1])}{written[2]}"


def _adjust_article(slot: Slot, text: str) -> Rendering:
    length, article = article_before(slot, text)
    return Rendering(length, f"{article}{text}")


def _drop_the(slot: Slot, label: str) -> Rendering:
    match = THE.search(slot.before)
    if match and len(match[0]) <= slot.editable_before:
        return Rendering(len(match[0]), label)
    return _adjust_article(slot, label)


def _fit_number(slot: Slot, before: _EnglishContext) -> Rendering | None:
    """Return `several` before what is counted; behind a noun that is numbered, nothing fits."""
    if slot.phrase.type != "CODE" and COUNTED.match(slot.after) and slot.written.lower() not in ("1", "one"):
        fits = before.determiner not in ("a", "an") and before.last not in APPROXIMATORS
        return Rendering(0, _vague_count(slot.written.lower(), bool(before.determiner))) if fits else None
    alone = not before.last or word_flags(before.last) & SMALL
    alone = alone and not before.determiner and not before.has_modifier and not slot.is_modifier
    return Rendering(0, NUMBER) if alone else None


def _vague_count(number: str, determined: bool) -> str:
    """Return `a few` for two, `many` for more than twenty, else `several`."""
    digits = number.replace(",", "")
    if digits.isdecimal() and int(digits[:9]) > MAX_SEVERAL:
        return "many"
    return "a few" if number in ("2", "two") and not determined else "several"


def _fit_time(slot: Slot, before: _EnglishContext, label: str) -> Rendering | None:
    """Return a time that lasts, behind `in`: on 4 July 2003 is in the 2000s."""
    if not TIME_SPAN.fullmatch(label):
        return None
    match = DATE_PREPOSITION.search(slot.before)
    if match and len(match[0]) <= slot.editable_before:
        return Rendering(len(match[0]), f"{match_capital('in', match[1])}{match[2]}{label}")
    return Rendering(0, f"in {label}") if before.last.lower() in EVENT_VERBS else None


@lru_cache(maxsize=65_536)
def _read_context(text: str) -> _EnglishContext:
    """Read the determiner and the words between it and the slot."""
    match = WORDS.search(text)
    words = match[0].rstrip(' \u00a0"“‘«„').split() if match else []
    last, determiner, modified, several = words[-1] if words else "", "", False, False
    for place, word in enumerate(reversed(words)):
        ahead = words[-place - 2] if place + 2 <= len(words) else ""
        if word.lower() in DETERMINERS or word.endswith(("'s", "’s", "s'", "s’")):
            determiner = word.lower()
            break
        if word.endswith(".") or not _is_modifier(word, ahead):
            break
        modified = True
        several |= word not in ("1", "one", "One") and (word.isdecimal() or bool(word_flags(word) & Cue.NUMBER_WORD))
    several |= determiner in ("several", "many", "few", "both", "these", "those")
    year = last.isdecimal() and len(last) == 4  # in 1994 X won
    return _EnglishContext(last, determiner, modified and not (year and not determiner), several and not year)


def _is_modifier(word: str, ahead: str) -> bool:
    known = word_flags(word)
    if word.isdecimal() or known & MODIFIERS:
        return True
    # Whatever stands alone between an article and a noun modifies the noun: a leading X.
    determined = ahead.lower() in DETERMINERS - PRONOUN_DETERMINERS or ahead.endswith(("'s", "’s"))
    return word.islower() and determined and not known & (SMALL | TYPE_NOUNS)


def is_plural_noun(label: str) -> bool:
    """Return whether the noun of a label, which is before any preposition, is in the plural."""
    noun = POSTMODIFIER.split(f"{label} ")[0].split()[-1:] or [""]
    return noun[0].endswith("s") and not _is_countable(label)


def _is_countable(label: str) -> bool:
    """Return whether a label is a noun in the singular that takes `a`."""
    noun = POSTMODIFIER.split(f"{label} ")[0].split()[-1:] or [""]
    word = noun[0]
    if word in UNCOUNTABLE or word.endswith(("ism", "ology", "ness", "ware", "ics")):
        return False
    return not word.endswith("s") or word.endswith(("ss", "us", "is")) or lemma(word, "en") == word


def takes_an(text: str) -> bool:
    """Return whether a text asks for `an`."""
    return bool(VOWEL.match(text)) and not CONSONANT.match(text)


def _is_plural(slot: Slot) -> bool:
    head = slot.head
    return slot.phrase.form == "common" and head.endswith("s") and lemma(head, "en") != head.lower()


@lru_cache(maxsize=65_536)
def _plural(label: str) -> str:
    """Return a label in the plural: that of its noun, which is before any preposition."""
    match = POSTMODIFIER.search(label)
    noun, rest = (label[: match.start()], label[match.start() :]) if match else (label, "")
    *first, last = noun.split(" ")
    plural = last
    if last not in UNCOUNTABLE and _is_countable(last):
        plural = IRREGULAR.get(last) or next(iter(inflect_noun(last, "en")), last)
    return " ".join((*first, plural)) + rest
