"""Ladders that are computed from a phrase and its type, without any store: pure, and true by construction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from embanon.language import PERSON_CUES, PLACE_CUES, Cue, Lexicon, fold_name
from embanon.taxonomy.ladders.adjacent_nouns import adjacent_noun, work_steps
from embanon.taxonomy.ladders.dates import date_steps
from embanon.taxonomy.ladders.names import (
    code_steps,
    event_steps,
    is_excepted,
    organization_steps,
    place_steps,
    reference_steps,
)
from embanon.taxonomy.ladders.numerals import is_ordinal, is_truncated, percentage_steps
from embanon.taxonomy.ladders.people import PERSON, age_steps, kin_steps, person_steps, role_of
from embanon.taxonomy.ladders.quantities import (
    count_or_measure_steps,
    duration_steps,
    has_time_unit,
    is_rate,
    is_sum,
    measure_steps,
    money_steps,
    things_steps,
)
from embanon.taxonomy.ladders.tables import (
    MAX_PHRASE_LENGTH,
    NO_CONTEXT,
    ComputedRung,
    Context,
    Step,
    Tables,
    load_tables,
    split_steps,
)

__all__ = ["ComputedRung", "Context", "bracket_word", "is_excepted", "ladder", "simpler_forms"]


def ladder(phrase: str, type: str, kind: str, language: str, context: Context = NO_CONTEXT) -> tuple[ComputedRung, ...]:
    """Return true generalizations of a phrase, most specific first; empty when nothing true can be computed.

    `type` and `kind` are taken as they are; an empty kind is one that is not known.
    """
    text = " ".join(phrase.split())
    known = load_tables(language.lower().replace("_", "-").partition("-")[0])
    if not text or len(phrase) > MAX_PHRASE_LENGTH:
        return ()
    if known is None:
        return (ComputedRung(*PERSON),) if type == "PERSON" else ()
    return tuple(_distinct(text, _with_kind(_steps(text, type, kind, known, context), type, kind, known), known))


def _with_kind(steps: list[Step], type: str, kind: str, known: Tables) -> Iterator[Step]:
    """Yield steps with what is said of the kind before what is said of the type."""
    label = known.text("kinds", f"{type}.{kind}")
    yield from (step for step in steps if step[1] != "type")
    if label:
        yield label, "type"
    yield from (step for step in steps if step[1] == "type")


def bracket_word(type: str, kind: str, language: str) -> str:
    """Return what stands in brackets for a phrase of a type and kind (`LOC.city`) where no words fit; empty if nothing.

    For people it is what their numbers stand behind.
    """
    known = load_tables(language)
    if known is None:
        return ""
    return known.text("brackets", kind) or known.text("brackets", "person" if type == "PERSON" else type)


def _distinct(phrase: str, steps: Iterable[Step], known: Tables) -> Iterator[ComputedRung]:
    """Yield the steps without those that say what the phrase or a step before says."""
    labels = {known.bare(phrase)}
    for label, kind in steps:
        bare = known.bare(label)
        if bare and bare not in labels:
            labels.add(bare)
            yield ComputedRung(label, kind)


def _steps(phrase: str, type: str, kind: str, known: Tables, context: Context) -> list[Step]:
    """Return the steps of a type; those of some types depend on the kind."""
    match type:
        case "DATETIME":
            return _times(phrase, kind, known)
        case "QUANTITY":
            return _quantities(phrase, kind, known, context)
        case "PERSON":
            return person_steps(phrase, known, context)
        case "ORG":
            return organization_steps(phrase, kind, known, context)
        case "LOC":
            return place_steps(phrase, kind, known, context)
        case "CODE":
            return code_steps(kind, known)
        case "DEM":
            return _people(phrase, kind, known, context)
        case "MISC":
            return _others(phrase, kind, known, context)
    return []


def _times(phrase: str, kind: str, known: Tables) -> list[Step]:
    if kind == "duration":
        return measure_steps(phrase, known) if is_rate(phrase) else duration_steps(phrase, known)
    if steps := date_steps(phrase, known, kind):
        return steps
    if not kind and {fold_name(word) for word in phrase.split()} & known.words("ages", "prefixes"):
        return age_steps(phrase, known)
    if kind in ("decade", "weekday", "holiday", "century"):
        return []
    if kind:
        return [known.type(kind if kind in ("time", "season") else "date")]
    return duration_steps(phrase, known) if has_time_unit(phrase, known) else [known.type("date")]


SEVERAL: Final = 2
"""Steps of which one says more than the type."""


def _quantities(phrase: str, kind: str, known: Tables, context: Context) -> list[Step]:
    if is_truncated(context.before, context.after):
        return [known.type("number")]
    match kind:
        case "money" | "percentage":
            return (money_steps if kind == "money" else percentage_steps)(phrase, known)
        case "measure" | "count" if is_sum(phrase):
            return money_steps(phrase, known)
        case "count" if has_time_unit(phrase, known):
            return duration_steps(phrase, known)
        case "measure" | "count":
            steps = (measure_steps if kind == "measure" else count_or_measure_steps)(phrase, known, context.after)
            things = things_steps(phrase, known) if len(steps) < SEVERAL and kind == "count" else steps
            return things if len(things) >= SEVERAL else steps
        case "ordinal":
            return [(known.text("types", "ordinal"), "ordinal")]
    families = (family(phrase, known) for family in (count_or_measure_steps, money_steps, measure_steps, things_steps))
    return next((steps for steps in families if len(steps) >= SEVERAL), [known.type("number")])


def _people(phrase: str, kind: str, known: Tables, context: Context) -> list[Step]:
    match kind:
        case "age":
            return age_steps(phrase, known)
        case "kin":
            return kin_steps(phrase, known, context.head)
        case "nationality" | "language":
            lexicon = Lexicon.load(known.language)
            belief = lexicon.flags(phrase) & Cue.DEM and kind == "nationality"
            return [] if belief else [(known.text("types", kind), "kind")]
    if steps := event_steps(phrase, known):
        return steps
    label = known.text("types", kind) if kind == "illness" else role_of(phrase, known)
    return [(label, "kind")] if label else []


def _others(phrase: str, kind: str, known: Tables, context: Context) -> list[Step]:
    if kind == "reference":
        return reference_steps(phrase, known)
    if is_ordinal(phrase):
        return [(known.text("types", "ordinal"), "ordinal")]
    if steps := work_steps(phrase, kind, known, context):
        return steps
    if kind == "work":
        return []
    return event_steps(phrase, known) or split_steps(adjacent_noun(phrase, "named", known, context), "beside")


_NAMES: Final = int(PERSON_CUES | PLACE_CUES | Cue.ORG_NAME | Cue.ORG_SUFFIX | Cue.TITLE)


def simpler_forms(phrase: str, language: str, head: str = "", form: str = "common") -> tuple[str, ...]:
    """Return the forms that are left when modifiers are dropped, longest first, down to the head.

    English and German drop from the left; Spanish and Portuguese from the right, if the head is given. Nothing is
    dropped of a name, and nothing whose loss may turn the phrase false: a former, alleged or vice president is no
    president.
    """
    known = load_tables(language)
    words = phrase.split()
    if known is None or form != "common" or not 1 < len(words) <= 12 or len(phrase) > MAX_PHRASE_LENGTH:
        return ()
    while len(words) > 1 and (is_ordinal(words[0]) or fold_name(words[0]) in known.words("nouns", "determiners")):
        words = words[1:]  # the 38th president is a president
    if _may_be_name(words, known) or any(not _plain(word) for word in words):
        return ()
    if len(words) == 1:
        return (words[0],)
    kept = [shorter for shorter in _forms(words, head.strip(), known) if shorter != " ".join(words)]
    return tuple(dict.fromkeys(kept))


def _plain(word: str) -> bool:
    """Return whether a word is letters and hyphens, so that leaving others out keeps a phrase."""
    return all(part.isalpha() for part in word.replace("’", "'").replace("'", "").split("-") if part)


def _may_be_name(words: list[str], known: Tables) -> bool:
    """Return whether a word may be part of a name; German nouns have capitals, so that there the lexicon says it."""
    if not known.flag("nouns", "capitalized"):
        return any(word[1:] != word[1:].lower() or word[:1].isupper() for word in words)
    lexicon = Lexicon.load(known.language)
    return any(word[:1].isupper() and (lexicon.flags(word) & _NAMES or not word[1:].islower()) for word in words)


def _forms(words: list[str], head: str, known: Tables) -> Iterator[str]:
    """Drop words one by one, until one that must stay."""
    cut, stays = known.words("nouns", "cut"), known.words("nouns", "privative")
    if known.text("nouns", "position") == "first":
        first = next((place for place, word in enumerate(words) if head and word == head.split()[0]), -1)
        if first < 0 or any(fold_name(word) in stays for word in words):
            return  # without its head, an adjective in front cannot be told from it
        for size in range(len(words) - 1, first, -1):
            if fold_name(words[size - 1]) not in cut:
                yield " ".join(words[:size])
        yield words[first]
        return
    last = next((place for place, word in enumerate(words) if place and fold_name(word) in cut), len(words))
    if head and words[last - 1] != head.split()[-1]:
        return
    for place in range(last):
        if any(fold_name(part) in stays for word in words[:place] for part in (word, word.partition("-")[0])):
            return
        if known.flag("nouns", "capitalized") and not head and any(word[:1].isupper() for word in words[:place]):
            return  # perhaps a noun: a Reihe schlechter Investitionen is no investment
        yield " ".join(words[place:last])
