"""Ladders that are computed from a phrase and its type, without any store: pure, and true by construction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from embanon.language.lexicon import Cue, Lexicon, fold
from embanon.taxonomy.ladders.beside import beside
from embanon.taxonomy.ladders.codes import codes
from embanon.taxonomy.ladders.dates import dates
from embanon.taxonomy.ladders.names import is_excepted, others, places, references
from embanon.taxonomy.ladders.numbers import is_ordinal, is_torn, percentages
from embanon.taxonomy.ladders.organizations import organizations
from embanon.taxonomy.ladders.people import ages, kin
from embanon.taxonomy.ladders.persons import PERSON, persons, role_of
from embanon.taxonomy.ladders.quantities import counted, durations, has_unit, is_rate, measures, money
from embanon.taxonomy.ladders.rung import NOWHERE, Context, Rung, Step
from embanon.taxonomy.ladders.simpler import simpler
from embanon.taxonomy.ladders.tables import LONGEST, Tables, steps, tables
from embanon.taxonomy.ladders.works import works

__all__ = ["Context", "Rung", "anything", "is_excepted", "ladder", "simpler"]


def ladder(phrase: str, type: str, kind: str, language: str, context: Context = NOWHERE) -> tuple[Rung, ...]:
    """Give true generalizations of a phrase, most specific first; empty when nothing true can be computed.

    `type` and `kind` are taken as they are; an empty kind is one that is not known.
    """
    text = " ".join(phrase.split())
    known = tables(language.lower().replace("_", "-").partition("-")[0])
    if not text or len(phrase) > LONGEST:
        return ()
    if known is None:
        return (Rung(PERSON[0], 1, PERSON[1]),) if type == "PERSON" else ()
    return tuple(_rungs(text, _steps(text, type, kind, known, context), known))


def anything(type: str, language: str) -> str:
    """Give what can be said of whatever has a type, where no ladder knows more: something."""
    known = tables(language)
    return known.text("types", ANYTHING[type]) if known and type in ANYTHING else ""


ANYTHING: Final = {"MISC": "thing", "DEM": "characteristic", "QUANTITY": "number"}


def _rungs(phrase: str, steps: Iterable[Step], known: Tables) -> Iterator[Rung]:
    """Number the steps, without those that say what the phrase or a step before says."""
    seen, level = {known.bare(phrase)}, 0
    for label, kind in steps:
        bare = known.bare(label)
        if bare and bare not in seen:
            seen.add(bare)
            level += 1
            yield Rung(label, level, kind)


def _steps(phrase: str, type: str, kind: str, known: Tables, context: Context) -> list[Step]:
    """Ask the family of a type, which may look at the kind."""
    match type:
        case "DATETIME":
            return _times(phrase, kind, known)
        case "QUANTITY":
            return _quantities(phrase, kind, known, context)
        case "PERSON":
            return persons(phrase, known, context)
        case "ORG":
            return organizations(phrase, kind, known, context)
        case "LOC":
            return places(phrase, kind, known, context)
        case "CODE":
            return codes(kind, known)
        case "DEM":
            return _people(phrase, kind, known, context)
        case "MISC":
            return _others(phrase, kind, known, context)
    return []


def _times(phrase: str, kind: str, known: Tables) -> list[Step]:
    if is_rate(phrase) and kind == "duration":
        return measures(phrase, known)
    if kind == "duration":
        return durations(phrase, known)
    if found := dates(phrase, known):
        return found
    if not kind and {fold(word) for word in phrase.split()} & known.words("ages", "prefixes"):
        return ages(phrase, known)
    if kind in ("decade", "weekday", "holiday", "century"):
        return []
    if kind:
        return [known.type(kind if kind in ("time", "season") else "date")]
    return durations(phrase, known) if has_unit(phrase, known) else [known.type("date")]


def _quantities(phrase: str, kind: str, known: Tables, context: Context) -> list[Step]:
    if is_torn(context.before, context.after):
        return [known.type("number")]
    match kind:
        case "money":
            return money(phrase, known)
        case "percentage":
            return percentages(phrase, known)
        case "measure":
            return measures(phrase, known, context.after)
        case "ordinal":
            return [(known.text("types", "ordinal"), "ordinal")]
        case "count":
            return counted(phrase, known, context.after)
    for family in (counted, money, measures):
        if len(found := family(phrase, known)) > 1:
            return found
    return [known.type("number")]


def _people(phrase: str, kind: str, known: Tables, context: Context) -> list[Step]:
    match kind:
        case "age":
            return ages(phrase, known)
        case "kin":
            return kin(phrase, known, context.head)
        case "nationality" | "language":
            lexicon = Lexicon.load(known.language)
            belief = lexicon.flags(phrase) & Cue.DEM and kind == "nationality"
            return [] if belief else [(known.text("types", kind), "kind")]
    if found := others(phrase, known):
        return found
    label = known.text("types", kind) if kind == "illness" else role_of(phrase, known)
    return [(label, "kind")] if label else []


def _others(phrase: str, kind: str, known: Tables, context: Context) -> list[Step]:
    if kind == "reference":
        return references(phrase, known)
    if is_ordinal(phrase):
        return [(known.text("types", "ordinal"), "ordinal")]
    if found := works(phrase, kind, known, context):
        return found
    if kind == "work":
        return []
    return others(phrase, known) or steps(beside(phrase, "named", known, context), "beside")
