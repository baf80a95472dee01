"""Ladders that are computed from a phrase and its type, without any store: pure, and true by construction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from embanon.language import Cue, Lexicon, fold_name
from embanon.taxonomy.ladders.adjacent_nouns import adjacent_noun
from embanon.taxonomy.ladders.ages_and_kin import age_steps, kin_steps
from embanon.taxonomy.ladders.codes import code_steps
from embanon.taxonomy.ladders.dates import date_steps
from embanon.taxonomy.ladders.names import event_steps, is_excepted, place_steps, reference_steps
from embanon.taxonomy.ladders.numerals import is_ordinal, is_truncated, percentage_steps
from embanon.taxonomy.ladders.organizations import organization_steps
from embanon.taxonomy.ladders.quantities import (
    count_or_measure_steps,
    duration_steps,
    has_time_unit,
    is_rate,
    measure_steps,
    money_steps,
)
from embanon.taxonomy.ladders.roles import PERSON, person_steps, role_of
from embanon.taxonomy.ladders.rung import NO_CONTEXT, ComputedRung, Context, Step
from embanon.taxonomy.ladders.simpler import simpler_forms
from embanon.taxonomy.ladders.tables import MAX_PHRASE_LENGTH, Tables, load_tables, split_steps
from embanon.taxonomy.ladders.works import work_steps

__all__ = ["ComputedRung", "Context", "is_excepted", "ladder", "simpler_forms", "vague_label"]


def ladder(phrase: str, type: str, kind: str, language: str, context: Context = NO_CONTEXT) -> tuple[ComputedRung, ...]:
    """Return true generalizations of a phrase, most specific first; empty when nothing true can be computed.

    `type` and `kind` are taken as they are; an empty kind is one that is not known.
    """
    text = " ".join(phrase.split())
    known = load_tables(language.lower().replace("_", "-").partition("-")[0])
    if not text or len(phrase) > MAX_PHRASE_LENGTH:
        return ()
    if known is None:
        return (ComputedRung(PERSON[0], 1, PERSON[1]),) if type == "PERSON" else ()
    return tuple(_rungs(text, _steps(text, type, kind, known, context), known))


def vague_label(type: str, language: str) -> str:
    """Return what can be said of whatever has a type, where no ladder knows more: something."""
    known = load_tables(language)
    return known.text("types", VAGUE_LABELS[type]) if known and type in VAGUE_LABELS else ""


VAGUE_LABELS: Final = {"MISC": "thing", "DEM": "characteristic", "QUANTITY": "number"}


def _rungs(phrase: str, steps: Iterable[Step], known: Tables) -> Iterator[ComputedRung]:
    """Number the steps, without those that say what the phrase or a step before says."""
    seen, level = {known.bare(phrase)}, 0
    for label, kind in steps:
        bare = known.bare(label)
        if bare and bare not in seen:
            seen.add(bare)
            level += 1
            yield ComputedRung(label, level, kind)


def _steps(phrase: str, type: str, kind: str, known: Tables, context: Context) -> list[Step]:
    """Ask the family of a type, which may look at the kind."""
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
    if is_rate(phrase) and kind == "duration":
        return measure_steps(phrase, known)
    if kind == "duration":
        return duration_steps(phrase, known)
    if found := date_steps(phrase, known):
        return found
    if not kind and {fold_name(word) for word in phrase.split()} & known.words("ages", "prefixes"):
        return age_steps(phrase, known)
    if kind in ("decade", "weekday", "holiday", "century"):
        return []
    if kind:
        return [known.type(kind if kind in ("time", "season") else "date")]
    return duration_steps(phrase, known) if has_time_unit(phrase, known) else [known.type("date")]


def _quantities(phrase: str, kind: str, known: Tables, context: Context) -> list[Step]:
    if is_truncated(context.before, context.after):
        return [known.type("number")]
    match kind:
        case "money":
            return money_steps(phrase, known)
        case "percentage":
            return percentage_steps(phrase, known)
        case "measure":
            return measure_steps(phrase, known, context.after)
        case "ordinal":
            return [(known.text("types", "ordinal"), "ordinal")]
        case "count":
            return count_or_measure_steps(phrase, known, context.after)
    for family in (count_or_measure_steps, money_steps, measure_steps):
        if len(found := family(phrase, known)) > 1:
            return found
    return [known.type("number")]


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
    if found := event_steps(phrase, known):
        return found
    label = known.text("types", kind) if kind == "illness" else role_of(phrase, known)
    return [(label, "kind")] if label else []


def _others(phrase: str, kind: str, known: Tables, context: Context) -> list[Step]:
    if kind == "reference":
        return reference_steps(phrase, known)
    if is_ordinal(phrase):
        return [(known.text("types", "ordinal"), "ordinal")]
    if found := work_steps(phrase, kind, known, context):
        return found
    if kind == "work":
        return []
    return event_steps(phrase, known) or split_steps(adjacent_noun(phrase, "named", known, context), "beside")
