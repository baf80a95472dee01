"""Fit a label into a German sentence: preposition and determiner say the case, the label the gender.

A determiner has several readings (der: nominative of a masculine, dative or genitive of a feminine, genitive of a
plural). The preposition before it, and what is known of the phrase's own noun, leave one; in it the label is written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from embanon.language import Lexicon, article_gender, is_known_noun, noun_gender
from embanon.replace.grammar import (
    TYPE_NOUNS,
    ContextBefore,
    Rendering,
    Slot,
    listed_words,
    rewrite_determiners,
    word_flags,
    words_before,
)
from embanon.replace.grammar.declension import (
    BEHIND_EIN,
    CASES,
    CONTRACTIONS,
    DEFINITE,
    ENDING,
    EXPANSIONS,
    GENDERS,
    PREPOSITIONS,
    READINGS,
    WEAK,
    CaseReading,
    GermanLabel,
    decline,
    inflect_adjective,
    inflect_determiner,
    is_plural_form,
    parse_determiner,
    parse_label,
    singular,
)

MANY: Final = listed_words("de", "many")
TIME_NOUNS: Final = listed_words("de", "time_nouns")
NUMBER: Final = "eine Zahl"
COUNTED: Final = re.compile(r"[ \u00a0](?:[a-zäöüß]+ )?[A-ZÄÖÜ]")
NUMERIC: Final = re.compile(r"\d|weniger als |mehr als |etwa |Hunderte|Tausende|Zehntausende|Hunderttausende|Millionen")
PART_OF_TIME: Final = re.compile(
    r"(?:Anfang|Mitte|Ende) (?:der \d)?|\d{4}$"
    r"|(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?: \d{4})?$"
)
PARTS: Final = ("Anfang ", "Mitte ", "Ende ")
AGED: Final = re.compile(r"jährig(e[nmrs]?)?$")
"""An age as an adjective, with its ending."""
PREDICATE: Final = re.compile(r".* Jahre (?:alt|oder älter)$|(?:Anfang|Mitte|Ende) \d0$")
DATIVE_PLURAL: Final = re.compile(r"\b(mehrere|Jahre|Tage|Monate|Quartale|Jahrzehnte|Jahrhunderte|Nächte|Semester)\b")
APPROXIMATORS: Final = listed_words("de", "approximators")
TAGGED_DETERMINER: Final = re.compile(r"([^\W\d_]+) \[[A-Z]+ \d+\] $")
"""A determiner that a tag parts from its noun."""
STRONG_DATIVE: Final = re.compile(r"(?!(?:\w*dem|einem|keinem|wem)\b)[a-zäöüß]{2,}em $")
PARTITIVE_PRONOUN: Final = re.compile(r"(?:ein|kein|jed)(?:e[rmns]?)$", re.IGNORECASE)
WHOLE: Final = listed_words("de", "whole")
NATIONAL: Final = "Nationalität"
INFLECTED_ADJECTIVE: Final = re.compile(r"^[a-zäöüß]{2,}(?:e|en|er|es|em)$")
WITHIN: Final = "im "
SOMEBODY: Final = "jemand"
SOMEBODY_ENDINGS: Final = {"n": "", "a": "en", "d": "em", "g": "es"}
TOWARDS: Final = "nach"
NO_TOWNS: Final = frozenset("Insel Halbinsel Berg Gebirge Kontinent".split())
NOT_TOWARDS: Final = re.compile(
    r"(?:^|frag\w*|such\w*|sehn\w*|benann\w*|heiß\w*|verlang\w*) nach $|^nach $", re.IGNORECASE
)
"""Before *nach* where nobody goes anywhere."""
INTO: Final = {"m": "einen", "f": "eine", "n": "ein"}
NEUTER_NAMES: Final = frozenset("Vereinigtes Nördliches Südliches".split())


@dataclass(frozen=True, slots=True)
class _GermanContext(ContextBefore):
    kind: str
    """definite, ein, der or nothing."""
    stem: str
    """What the endings of a determiner hang on."""
    adjectives: tuple[str, ...] = field(repr=False)
    readings: tuple[CaseReading, ...]
    outer_word: str = field(repr=False)
    """The word before all of it."""


def fit_german(slot: Slot, label: str) -> Rendering | None:
    """Return a label as fitted into a slot; nothing where it does not fit."""
    if slot.follows_phrase and (fixed := TAGGED_DETERMINER.search(slot.before)):  # what is before a tag cannot change
        slot = replace(slot, before=f"{slot.before[: fixed.end(1)]} ", editable_before=0)
    ahead = _read_context(words_before(slot))
    if ahead.words and ahead.words[0].lower() in MANY and label.startswith("mehrere"):
        return None
    if slot.phrase.kind.endswith(".age") and slot.is_modifier and (aged := AGED.search(slot.written)):
        if label.islower() and " " not in label:
            return Rendering(0, f"{label}{aged[1] or ''}")
        young = label == "eine minderjährige Person"
        adult = young or label == "eine volljährige Person"
        return Rendering(0, f"{'minder' if young else 'voll'}jährig{aged[1]}") if adult else None
    if PREDICATE.match(label):
        is_bound = ahead.kind or (ahead.preposition and label.endswith("alt"))
        return None if is_bound else Rendering(0, label)
    if slot.phrase.type == "DATETIME" and label.isdecimal():  # am Ostermontag 2019 is 2019
        return _fit_part_of_time(slot, ahead, label)
    if NUMERIC.match(label) or label.startswith("mehrere "):
        return _fit_number(slot, ahead, label)
    if label == NUMBER and slot.phrase.type != "CODE" and COUNTED.match(slot.after):
        return None if ahead.kind else Rendering(0, "mehreren" if ahead.readings[0].case == "d" else "mehrere")
    if label.startswith(WITHIN):  # im Jugendalter
        return None if slot.is_modifier or ahead.kind or ahead.preposition else Rendering(0, label)
    if label.startswith(SOMEBODY):  # jemand aus dem Gastgewerbe
        form = f"{SOMEBODY}{SOMEBODY_ENDINGS[ahead.readings[0].case]}{label.removeprefix(SOMEBODY)}"
        return None if ahead.kind or ahead.adjectives else Rendering(0, form)
    parsed = parse_label(label)
    if slot.phrase.kind.endswith("nationality") and (parsed.noun == NATIONAL or label.islower()):
        return _fit_nationality(slot, label)
    if slot.phrase.type == "LOC" and ahead.preposition == TOWARDS and not ahead.kind and not _is_name(parsed):
        return _fit_destination(slot, parsed) or _fit_noun(slot, ahead, parsed)
    named = slot.phrase.form in ("name", "title")
    if named and (parsed.article or parsed.gender) and (slot.is_modifier or _is_described(slot, ahead)):
        return None  # der Fluss X: what it is is said; the article before is that of what follows
    whole = ahead.words and ahead.words[0] in WHOLE and not ahead.adjectives and not _is_name(parsed)
    if whole or (STRONG_DATIVE.search(slot.before) and parsed.gender not in ("m", "n")):
        return None
    if slot.phrase.type == "DATETIME" and PART_OF_TIME.match(label):
        return _fit_part_of_time(slot, ahead, label)
    if slot.phrase.type == "DATETIME" and parsed.article:
        return _fit_time(slot, ahead, parsed)
    if slot.phrase.type == "LOC" and not parsed.article and _is_name(parsed):
        return _fit_place_name(slot, ahead, label)
    return _fit_noun(slot, ahead, parsed)


def _fit_destination(slot: Slot, parsed: GermanLabel) -> Rendering | None:
    """Return a label as where one goes: nach Hanau, but in eine Stadt."""
    article, size = INTO.get(parsed.gender), len(f"{TOWARDS} ")
    is_lettered = len(parsed.rest) == 1  # nach Ort C
    is_far = parsed.noun in NO_TOWNS or bool(NOT_TOWARDS.search(slot.before))
    if article is None or is_lettered or is_far or parsed.adjectives or parsed.is_plural or size > slot.editable_before:
        return None
    noun = f"{parsed.noun} {parsed.rest}".rstrip()
    return Rendering(size, f"{'In' if slot.before[-size].isupper() else 'in'} {article} {noun}", noun)


def _fit_nationality(slot: Slot, label: str) -> Rendering | None:
    """Return an adjective for a people the ending that stood there; nothing that is a noun, or for a noun."""
    if not (label.islower() and slot.head[:1].islower()):
        return None
    match = ENDING.search(slot.written)
    return Rendering(0, label + (match[0] if match else ""), label)


def _is_name(parsed: GermanLabel) -> bool:
    """Return whether a label for a place is its name: Deutschland is no Land as others."""
    return not is_known_noun(parsed.noun, "de")


def _is_described(slot: Slot, ahead: _GermanContext) -> bool:
    """Return whether a noun before a name says what it is: der Fluss X."""
    if ahead.preposition or ahead.kind or not ahead.words:
        return False
    return slot.follows_phrase or (ahead.words[0][:1].isupper() and bool(word_flags(ahead.words[0], "de") & TYPE_NOUNS))


@lru_cache(maxsize=65_536)
def _read_context(words: tuple[tuple[str, int], ...]) -> _GermanContext:
    """Read the words before a slot, from the right."""
    adjectives, place, size = list[str](), 0, 0
    is_bent = len(words) > 1 and INFLECTED_ADJECTIVE.search(words[0][0]) and not parse_determiner(words[0][0])
    if is_bent and parse_determiner(words[1][0].lower()):
        adjectives, place, size = [words[0][0]], 1, words[0][1]
    word, length = (words[place][0].lower(), words[place][1]) if place < len(words) else ("", 0)
    kind = stem = preposition = ""
    readings, contracted = READINGS, word in EXPANSIONS
    if determiner := parse_determiner(word):
        kind, stem, readings = determiner
        preposition = EXPANSIONS[word][0] if contracted else ""
        size, place = length, place + 1
        word, length = (words[place][0].lower(), words[place][1]) if place < len(words) else ("", 0)
    whole = size
    if not contracted and word in PREPOSITIONS:
        preposition, whole = word, length
    if preposition:
        cases = PREPOSITIONS[preposition]
        readings = tuple(one for case in cases for one in readings if one.case == case) or readings
    return _GermanContext(
        words=tuple(word for word, _ in words), preposition=preposition, contracted=contracted, length=size,
        length_with_preposition=whole, kind=kind, stem=stem, adjectives=tuple(adjectives), readings=readings,
        outer_word=words[place][0] if place < len(words) else "",
    )  # fmt: skip


def _choose_reading(slot: Slot, ahead: _GermanContext) -> CaseReading:
    """Choose the reading that fits what is known of the phrase's own noun, and the words before it."""
    head, common = slot.head, slot.phrase.form == "common"
    many = common and _is_plural(slot, ahead)
    if not ahead.preposition and _follows_noun(slot, ahead):  # das Haus der X
        genitives = [one for one in ahead.readings if one.case == "g"]
        if genitives:
            fitting = (one for one in genitives if (one.gender == "p") == many)
            return next(fitting, genitives[0]) if common else CaseReading("g", "")
    if not common:  # nobody knows the gender of a name, and what stands for it is one
        return CaseReading(ahead.readings[0].case, "")
    gender = noun_gender(singular(head), "de")
    alike = (one for one in ahead.readings if (one.gender == "p") == many and (many or one.gender == gender))
    return next(alike, ahead.readings[0])


def _is_plural(slot: Slot, ahead: _GermanContext) -> bool:
    alone = not ahead.kind or not any(one.gender == "m" and one.case != "n" for one in ahead.readings)
    return is_plural_form(slot.head, alone)


def _follows_noun(slot: Slot, ahead: _GermanContext) -> bool:
    before = slot.before[: len(slot.before) - ahead.length].rstrip()
    return before.endswith("]") or (len(before) > len(ahead.outer_word) > 0 and ahead.outer_word[:1].isupper())


def _rewrite_determiner(
    slot: Slot, ahead: _GermanContext, preposition: str, article: str, bare: str
) -> Rendering | None:
    """Write preposition and determiner anew, as far as they change."""
    contraction = CONTRACTIONS.get((preposition, article), "") if article != "das" or ahead.contracted else ""
    return rewrite_determiners(slot, ahead, preposition, article, bare, contraction)


def _fit_noun(slot: Slot, ahead: _GermanContext, parsed: GermanLabel) -> Rendering | None:
    """Decline the words before a noun, and the noun."""
    reading = _choose_reading(slot, ahead)
    many = reading.gender == "p" if ahead.kind else (slot.phrase.form == "common" and is_plural_form(slot.head, True))
    many |= bool(ahead.words) and not ahead.kind and ahead.words[0].lower() in MANY
    if not ahead.kind:
        case = ahead.readings[0].case
        named = parsed.gender and (slot.phrase.form in ("name", "title") or slot.phrase.type == "LOC")
        bare = slot.phrase.form == "common" and slot.phrase.type in ("DEM", "MISC", "ORG") and not ahead.adjectives
        bare |= len(parsed.rest) == 1  # Krankenhaus B
        if many or parsed.is_plural or bare or not (parsed.article or named):
            shown = decline(parsed, CaseReading(case, "p" if many or parsed.is_plural else parsed.gender or "n"), "")
            return Rendering(0, shown) if shown else None
        if not parsed.gender:
            return None
        shown = decline(parsed, CaseReading(case, parsed.gender), parsed.article or "ein")
        article = inflect_determiner(parsed.article or "ein", "ein", CaseReading(case, ""), parsed.gender)
        return _rewrite_determiner(slot, ahead, ahead.preposition, article, shown) if shown else None
    is_unknown = not parsed.gender and not parsed.is_plural
    if is_unknown or parsed.is_plural > many or (many and slot.phrase.type == "QUANTITY"):
        return None
    target = CaseReading(reading.case, "p" if many else parsed.gender)
    is_partitive = target == ("g", "p") and PARTITIVE_PRONOUN.match(ahead.outer_word)
    if is_partitive and noun_gender(singular(slot.head), "de") != parsed.gender:
        return None  # einer der Ärzte
    is_new = ahead.kind == "definite" and slot.phrase.form in ("name", "title") and parsed.article == "ein" and not many
    kind, stem = ("ein", "ein") if is_new else (ahead.kind, ahead.stem)
    shown = decline(parsed, target, kind)
    if shown is None or (many and stem == "ein"):
        return None
    endings = WEAK if kind != "ein" else BEHIND_EIN
    place = CASES.index(target.case) * len(GENDERS) + GENDERS.index(target.gender)
    adjectives = [inflect_adjective(word, endings[place]) for word in ahead.adjectives]
    article = inflect_determiner(kind, stem, target, target.gender)
    rendering = _rewrite_determiner(slot, ahead, ahead.preposition, article, " ".join((*adjectives, shown)))
    return rendering._replace(bare=shown) if rendering else None


def _fit_place_name(slot: Slot, ahead: _GermanContext, label: str) -> Rendering | None:
    """Return the name of a place, which has an article in a few cases."""
    if ahead.kind not in ("", "definite") or ahead.adjectives:
        return None
    gender = article_gender(label) or ("p" if label.startswith("Vereinigte ") else "")
    first = label.split(" ")[0]
    case = _choose_reading(slot, ahead).case if ahead.kind else ahead.readings[0].case
    if gender or first in NEUTER_NAMES:
        *adjectives, noun = label.split(" ") if gender == "p" or first in NEUTER_NAMES else (label,)
        place = CASES.index(case) * len(GENDERS) + GENDERS.index(gender or "n")
        noun += "n" if gender == "p" and case == "d" and not noun.endswith(("n", "s", "A")) else ""
        bare = " ".join((*(inflect_adjective(word, WEAK[place]) for word in adjectives), noun))
        return _rewrite_determiner(slot, ahead, ahead.preposition, DEFINITE[place], bare)
    if ahead.kind and not ahead.preposition and case == "g":
        return _rewrite_determiner(slot, ahead, "", "", label if label.endswith(("s", "x", "z")) else f"{label}s")
    is_whole = Lexicon.load("de").place_cues(slot.written)  # von Lagos ist von keinem Lago
    if not ahead.kind and slot.is_modifier and slot.written.endswith("s") and not is_whole:
        return Rendering(0, f"{label}s") if not label.endswith(("s", "x", "z")) else None
    return _rewrite_determiner(slot, ahead, ahead.preposition, "", label)


def place_within(place: str, language: str) -> str:
    """Return a place as where something is: in Deutschland, in der Schweiz; empty where its declension is unsure."""
    gender = article_gender(place)
    if " " in place or (not gender and noun_gender(place, language) and is_known_noun(place, language)):
        return ""
    return (
        f"in {inflect_determiner('definite', '', CaseReading('d', gender), gender)} {place}"
        if gender
        else f"in {place}"
    )


def _fit_time(slot: Slot, ahead: _GermanContext, parsed: GermanLabel) -> Rendering | None:
    """Return a time with its preposition: am 4. Juli is in den 2000er Jahren, im 20. Jahrhundert, an einem Tag."""
    if (ahead.words and ahead.words[0] in TIME_NOUNS) or slot.after.startswith(" Jahr"):
        return None
    if ahead.adjectives or ahead.kind in ("ein", "der"):
        return _fit_noun(slot, ahead, parsed) if parsed.article == "ein" else None
    decade = parsed.article == "definite" and parsed.is_plural
    preposition = ahead.preposition
    if parsed.article == "definite":
        part = parsed.noun in ("Nacht", "Vormittag", "Nachmittag", "Abend")
        at = "in" if parsed.noun == "Nacht" or not part else "an"
        if preposition in ("an", "in", "um", "gegen"):
            preposition = at
        elif preposition == "von" and decade and _follows_noun(slot, ahead):
            preposition = "aus"
        if not preposition and not slot.before.rstrip().endswith(("(", "-", "–", "*", ":")):
            preposition = at if not ahead.words or ahead.words[0] not in ("und", "oder") else ""
    if preposition == "bis":
        preposition, case = ("bis in", "a") if decade else ("bis zu", "d")
    elif preposition:
        case = PREPOSITIONS[preposition][0]
    else:
        case = "d" if ahead.words and ahead.words[0] in ("und", "oder") and "wischen" in slot.before else "n"
    return _rewrite_determiner(slot, ahead, preposition, *_decline_time(parsed, case))


def _fit_part_of_time(slot: Slot, ahead: _GermanContext, label: str) -> Rendering | None:
    """Return a month or a part of a decade or month, without article: am 4. Juli is Anfang Juli, im Juli, seit Juli."""
    if ahead.adjectives or ahead.kind in ("ein", "der") or (ahead.words and ahead.words[0] in TIME_NOUNS):
        return None
    is_month = not label.startswith(PARTS) and not label.isdecimal()
    if ahead.preposition in ("", "an", "in", "um", "gegen"):
        preposition = "im" if is_month and ahead.preposition else ""
    elif is_month and ahead.contracted and ahead.preposition == "von":
        preposition = "vom"  # a letter of a day is one of its month
    elif ahead.contracted and ahead.preposition == "zu" and ahead.outer_word.lower() == "bis":
        return _rewrite_determiner(slot, replace(ahead, preposition=""), "", "", label)
    else:
        preposition = ahead.preposition
    return _rewrite_determiner(slot, ahead, preposition, "", label)


def _decline_time(parsed: GermanLabel, case: str) -> tuple[str, str]:
    """Return the determiner of a time and the rest of it, in a case."""
    reading = CaseReading(case, "p" if parsed.is_plural else parsed.gender)
    rest = decline(parsed, reading, parsed.article) or parsed.noun
    return inflect_determiner(parsed.article, "ein", reading, reading.gender), rest


def _fit_number(slot: Slot, ahead: _GermanContext, label: str) -> Rendering | None:
    """Return a rounded number, its unit in the dative where that is asked for."""
    if ahead.kind and not label[:1].isdecimal():
        if not label.startswith("mehrere "):
            return None
        label = label.removeprefix("mehrere ")
    about = ahead.words and ahead.words[0].lower() in APPROXIMATORS
    if about and label.startswith(("weniger", "mehr ", "etwa")):
        return None
    reading = _choose_reading(slot, ahead) if ahead.kind else ahead.readings[0]
    if reading.case == "d":
        label = DATIVE_PLURAL.sub(lambda found: found[1] if found[1].endswith("r") else f"{found[1]}n", label)
    return Rendering(0, label)
