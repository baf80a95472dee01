"""Choose the replacement of each risky phrase: the most specific true generalization that is harmless.

A rung is harmless if its own risk is below the limit: that of a common phrase by the rarity of its words, that of a
name that covers many (a country, a decade) by its rarity alone. Without knowing what an attacker has, what is nearest
to the original is left out, and dates are never finer than a decade. Where no rung is left, the type is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np

from embanon.config import METHODS, RiskLimits
from embanon.document import Phrase
from embanon.entities import Entity
from embanon.language import key
from embanon.replace.checks import SAFE, WORD, ForbiddenWords, LabelRisk, LabelTest, collect_forbidden, is_name
from embanon.replace.edit import (
    NO_LADDER,
    NUMBER_SUFFIX,
    PLACEHOLDER,
    SUPPRESSION_MARK,
    Edit,
    ExistingPlaceholders,
    ScreenedLadder,
    mask_characters,
)
from embanon.replace.grammar import DEFINITE_ARTICLE, INDEFINITE_ARTICLE, FittedLabel, Slot, fit_label
from embanon.replace.methods import SURROGATE_METHODS, Methods
from embanon.replace.surrogates import Surrogates
from embanon.replace.surrogates.codes import mask_with_checksum
from embanon.risk import TOPIC, Rarity, ScoredPhrases, phrase_spans
from embanon.taxonomy import COMPUTED, LOCATED, Climber, Context, Ladder, Rung
from embanon.text import DEFAULT_KINDS, UNSURE_CODE, is_guess

EXCLUDED_KINDS: Final = frozenset(("month", "year", "person"))
"""Kinds of rungs that tell a date too well, or that are numbered."""
PHRASE_PART_KINDS: Final = frozenset(("simpler", "head"))
"""Kinds of rungs of stores that say a part of the phrase itself."""
NAMEABLE_KINDS: Final = frozenset(("DEM.illness", "DEM.language", "DEM.age", "DEM.kin"))
"""Kinds of characteristics whose kind can stand in a sentence."""
PLACE_TYPE_KINDS: Final = frozenset(("instance", "place"))
"""Kinds of rungs that say what a place is."""
WITH_THE: Final = re.compile(
    r"United |Netherlands|Philippines|Bahamas|Maldives|Americas|Middle East|Caribbean|Soviet Union"
    r"|.* (?:Republic|Islands)$"
)
"""Places whose names have an article in English."""
LADDER_CONTEXT: Final = 240
"""Characters before and after a phrase in which what it is may be said."""
SLOT_CONTEXT: Final = 40
"""Characters beside a phrase that its grammar depends on."""
QUOTES: Final = "\"“‘«„'("
UNNUMBERED_TYPES: Final = frozenset(("DATETIME", "QUANTITY", "CODE"))
"""Types of which two that read the same are not taken for one."""
SEVERAL: Final = frozenset(("several", "many", "a few"))
KIND_IN_PLACE: Final = re.compile(r"an? [a-z ]+? in (.+)")
NESTING_TYPES: Final = frozenset(("LOC", "DATETIME"))
NESTED_SEPARATOR: Final = re.compile(
    r"(?:, |/| ?[–—-] ?|,? (?:and|or|y|o|e|ou|und|oder) )((?:in|en|em|n[ao]s?) )?| (?:in|en|em) "
)
LIST_SEPARATOR: Final = re.compile(r", |/|,? (?:and|or|y|e|o|u|ou|und|oder|sowie) ")
"""Between phrases of a list; of places and times also a preposition, for one may lie in the other."""
PAIR_OPENER: Final = re.compile(r"\b(?:between|both|either|entre|zwischen|from|de|von)[ \u00a0]$", re.IGNORECASE)
PLURAL_VERB: Final = re.compile(r" (?:are|were|have|son|fueron|são|foram|sind|waren)\b")
"""Before and behind a list of which one must not be left."""


@dataclass(frozen=True, slots=True)
class Replacer:
    """Replaces risky phrases in texts of one language."""

    climber: Climber
    rarity: Rarity
    limits: RiskLimits
    methods: Methods = field(default_factory=Methods)
    label_risk: LabelRisk = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Judge labels by the same rarity and limits."""
        object.__setattr__(self, "label_risk", LabelRisk(self.rarity, self.limits))

    def plan_edits(
        self, text: str, scored: ScoredPhrases, sentences: Sequence[int], protect: Sequence[Entity], before: Any = None,
        tests: Sequence[LabelTest] = (),
    ) -> list[Edit]:  # fmt: skip
        """Choose the edits of a text, in order and without overlap.

        `before` are those of an earlier run; labels pass `tests` of what they tell an attacker, or of a topic.
        """
        existing, phrases, named = (
            ExistingPlaceholders.from_text(text, before),
            list(scored.phrases),
            scored.named.tolist(),
        )
        risks, owners = scored.risk.tolist(), scored.owner.tolist()
        risky = [place for place in np.flatnonzero(scored.at_least(self.limits)).tolist()
                 if named[place] or not self._is_existing_placeholder(text, phrases[place], existing)]  # fmt: skip
        groups, whose = scored.groups.numbers, scored.groups.people
        numbers = _assign_numbers(groups, phrases, risky, existing)
        hidden = collect_forbidden(scored, protect, self.climber.language, tests)
        made_up = bool(self.methods.in_use & SURROGATE_METHODS)
        instead = Surrogates(text, self.methods, self.climber, self.label_risk, hidden, protect) if made_up else None
        full = _longest_names(text, scored, groups) if instead else {}
        # What is broader than a topic tells of it: diagnosed a nervous disorder.
        topical = frozenset(place for place in risky if named[place] and _is_topic(owners[place], protect))
        methods = {place: self.methods.method_for(phrases[place].type, phrases[place].kind) for place in risky}
        sayable = cache(lambda place: self._sayable(text, phrases[place]))
        own_ladder = cache(lambda place: self._build_ladder(text, sayable(place), hidden, bare=place in topical))
        generalized = [place for place in risky if methods[place] == "generalize"]
        ladders = _ladders_by_group([(place, groups[place], sayable(place).type) for place in generalized], own_ladder)
        labels: dict[tuple[str, str], list[int]] = {}
        edits, merged = list[Edit](), dict[int, int]()
        last: tuple[FittedLabel, Phrase] | None = None
        starts = frozenset(sentences)
        for place in risky:
            phrase, group, ladder = phrases[place], groups[place], NO_LADDER
            fit = _fit_without_context(text, phrase, methods[place], numbers[group], self.methods)
            if fit is None:
                near = phrases[max(0, place - 1) : place + 2]
                slot = _build_slot(text, near, phrase, edits[-1] if edits else None, starts)
                if instead and methods[place] in SURROGATE_METHODS:
                    fit = instead.for_slot(methods[place], slot, owners[place], whose.get(group), full[group])
                if fit is None:
                    slot = replace(slot, phrase=sayable(place))
                    ladder = ladders.get((group, slot.phrase.type), NO_LADDER)
                    if not ladder.harmless:
                        ladder = ladders[group, slot.phrase.type] = own_ladder(place)
                    fit = self._fit_first_rung(slot, ladder.harmless) or _fallback(phrase, numbers[group])
                    if fit.rung == "tag" and self.climber.language == "en":
                        fit = _absorb_indefinite(text, fit, edits[-1].end if edits else 0)
            if edits and last and _repeats_in_list(text, edits[-1], last, fit, phrase):
                merged[group] = merged.get(edits[-1].group, edits[-1].group)
                edits[-1] = _merge_into_list(edits[-1], phrase.end, _known(risks[place]), owners[place])
                continue
            last = fit, phrase
            label_type = sayable(place).type if fit.needs_number else phrase.type
            replacement = _number_label(fit, label_type, merged.get(group, group), labels)
            edits.append(Edit(
                fit.start, phrase.end, replacement, _known(risks[place]), fit.risk, phrase.type, owners[place],
                fit.rung, group, ladder, fit.rung_index,
            ))  # fmt: skip
        return edits

    def _is_existing_placeholder(self, text: str, phrase: Phrase, existing: ExistingPlaceholders) -> bool:
        """Return whether a phrase is what an earlier run has put there."""
        written = text[phrase.start : phrase.end]
        if existing.covers(phrase.start, phrase.end) or not WORD.search(PLACEHOLDER.sub("", written)):
            return True
        numbered = written.islower() and NUMBER_SUFFIX.match(text, phrase.end)
        risk, limit = self.label_risk.risk(written), self.limits.for_type(phrase.type)
        return bool(numbered) and self.label_risk.rarest_word(written) < 1 and risk < limit

    def _sayable(self, text: str, phrase: Phrase) -> Phrase:
        """Return a phrase as what may be said of it: where its type is a guess, something, unless a store knows it."""
        if phrase.kind == UNSURE_CODE:
            return replace(phrase, type="QUANTITY", kind=DEFAULT_KINDS["QUANTITY"])
        if not is_guess(phrase.kind) or not all(rung.is_bare for rung in self._climb(text, phrase).rungs):
            return phrase
        return replace(phrase, type="MISC", kind=DEFAULT_KINDS["MISC"])

    def _build_ladder(self, text: str, phrase: Phrase, hidden: ForbiddenWords, *, bare: bool) -> ScreenedLadder:
        """Return the rungs of a phrase, and those that are harmless; `bare` allows types alone."""
        if phrase.type == "PERSON":
            return NO_LADDER
        written, climbed = text[phrase.start : phrase.end], self._climb(text, phrase)
        places = phrase.type == "LOC" and self.climber.language == "en"
        every = tuple(map(_add_article, climbed.rungs)) if places else climbed.rungs
        rungs = tuple(rung for rung in every if not _is_excluded(rung, phrase))
        if phrase.type == "MISC" and self._is_misread(phrase, climbed):
            rungs = tuple(rung for rung in rungs if rung.source == COMPUTED)
        telling = [rung for rung in rungs if not rung.is_bare]
        if len(telling) > 1 and telling[0].source != COMPUTED and is_name(telling[0].label):
            rungs = tuple(rung for rung in rungs if rung is not telling[0])
        original_rarity = (
            1.0 if phrase.type == "DATETIME" else self.label_risk.rarest_word(written)
        )  # what covers a date is never rarer
        harmless = [
            rung for rung in rungs
            if not hidden.matches(rung.label)
            and (rung.is_bare or not (bare or not self.label_risk.allows(rung.label, original_rarity, phrase.type)
            or hidden.reveals(rung.label)))
        ]  # fmt: skip
        if places and (combined := _kind_in_place(harmless)) and not hidden.reveals(combined[1].label):
            where, both = combined
            at = every.index(where)
            harmless, every = [both, *harmless], (*every[:at], both, *every[at:])
        return ScreenedLadder(
            tuple(sorted(harmless, key=lambda rung: " or " in rung.label)), every
        )  # last what is vague

    def _climb(self, text: str, phrase: Phrase) -> Ladder:
        before = text[max(0, phrase.start - LADDER_CONTEXT) : phrase.start].rpartition("\n")[2]
        after = text[phrase.end : phrase.end + LADDER_CONTEXT].partition("\n")[0]
        context = Context(before, after, text[phrase.head_start : phrase.head_end])
        written = text[phrase.start : phrase.end]
        return self.climber.climb(written, phrase.type, phrase.kind, phrase.form, context)

    def _is_misread(self, phrase: Phrase, ladder: Ladder) -> bool:
        """Return whether stores take something for what it is not: DOB is no town in Southern Europe."""
        if any(rung.kind == LOCATED for rung in ladder.rungs):
            return True
        return phrase.form in ("name", "title") and self._is_common_word_sense(ladder)

    def _is_common_word_sense(self, ladder: Ladder) -> bool:
        """Return whether stores know the common words of a name, and not the name: the film Under Siege is no siege."""
        known = ((self.climber.stores[name], id) for name, id, _ in ladder.senses if name in self.climber.stores)
        labels = [store.label(number, self.climber.language) or ""
                  for store, id in known if (number := store.find(id)) is not None]  # fmt: skip
        return bool(labels) and all(map(str.islower, labels))

    def _fit_first_rung(self, slot: Slot, rungs: Sequence[Rung]) -> FittedLabel | None:
        """Fit the first rung that fits into its sentence."""
        for place, rung in enumerate(rungs):
            if rung.is_bare and slot.is_modifier and slot.phrase.kind == "DEM.age":
                continue  # a 42-year-old painter is no age painter
            if fit := fit_label(slot, rung.label, self.climber.language):
                several = slot.phrase.type in UNNUMBERED_TYPES or fit.text.lower() in SEVERAL
                counted = not several and not _is_proper(rung.label)
                risk = SAFE if rung.is_bare else self.label_risk.risk(rung.label)
                return FittedLabel(fit.start, fit.text, rung.kind, risk, counted, place, fit.bare)
        return None


def _ladders_by_group(
    phrases: Iterable[tuple[int, int, str]], ladder_of: Callable[[int], ScreenedLadder]
) -> dict[tuple[int, str], ScreenedLadder]:
    """Return the ladder of each group and type: that of its first phrase that says more than the type."""
    ladders: dict[tuple[int, str], ScreenedLadder] = {}
    for place, group, type in phrases:
        if all(rung.is_bare for rung in ladders.get((group, type), NO_LADDER).harmless):
            ladder = ladder_of(place)
            if (group, type) not in ladders or not all(rung.is_bare for rung in ladder.harmless):
                ladders[group, type] = ladder
    return ladders


def _fit_without_context(
    text: str, phrase: Phrase, method: str, number: tuple[str, int], methods: Methods
) -> FittedLabel | None:
    """Return the replacement of a phrase wherever it occurs; nothing where its sentence or type decides."""
    written = text[phrase.start : phrase.end]
    match method:
        case "suppress":
            return FittedLabel(phrase.start, SUPPRESSION_MARK, "suppress", SAFE)
        case "mask":
            shown = mask_characters(written)
            if methods.valid and phrase.type == "CODE":
                shown = mask_with_checksum(written, phrase.kind.partition(".")[2], methods.keyed) or shown
            return FittedLabel(phrase.start, shown, "mask", SAFE)
        case "keep":
            return FittedLabel(phrase.start, written, "keep", 1.0)
        case "tag":
            return _tag(phrase, number)
        case "generalize" if phrase.type == "PERSON" and not is_guess(phrase.kind):
            return _fallback(phrase, number)
    return None


def _longest_names(text: str, scored: ScoredPhrases, groups: Sequence[int]) -> dict[int, str]:
    """Return the longest name of each group."""
    longest: dict[int, str] = {}
    for group, (start, end) in zip(groups, phrase_spans(scored.phrases), strict=True):
        longest[group] = max(longest.get(group, ""), text[start:end], key=len)
    return longest


def _kind_in_place(rungs: Sequence[Rung]) -> tuple[Rung, Rung] | None:
    """Return where a place is, and what says as well what it is, if both are known: a city in Norway."""
    where = next((rung for rung in rungs if rung.kind == LOCATED), None)
    what = next((rung for rung in rungs if rung.kind in PLACE_TYPE_KINDS and not rung.is_bare), None)
    if where is None or what is None or _is_proper(what.label):
        return None
    return where, replace(where, label=f"a {INDEFINITE_ARTICLE.sub('', what.label)} in {where.label}")


def _add_article(rung: Rung) -> Rung:
    return replace(rung, label=f"the {rung.label}") if WITH_THE.match(rung.label) else rung


def _is_topic(owner: int, protect: Sequence[Entity]) -> bool:
    return 0 <= owner < len(protect) and protect[owner].type == TOPIC


def _tag(phrase: Phrase, number: tuple[str, int]) -> FittedLabel:
    return FittedLabel(phrase.start, f"[{number[0]} {number[1]}]", "tag", SAFE)


def _absorb_indefinite(text: str, fit: FittedLabel, free: int) -> FittedLabel:
    """Take the n of an *an* before a tag: it would tell how the original begins."""
    start = fit.start - len("an ")
    if start < free or text[start : fit.start] not in ("an ", "An ") or text[start - 1 : start].isalnum():
        return fit
    return replace(fit, start=start, text=f"{text[start]} {fit.text}", bare=fit.text)


def _fallback(phrase: Phrase, number: tuple[str, int]) -> FittedLabel:
    """Return the replacement where no rung is left."""
    if phrase.type != "PERSON" or is_guess(phrase.kind):
        return _tag(phrase, number)
    return FittedLabel(phrase.start, f"PERSON {number[1]}", "person", SAFE)


def _known(risk: float) -> float | None:
    return None if risk != risk else round(risk, 4)


def _build_slot(text: str, near: Sequence[Phrase], phrase: Phrase, last: Edit | None, starts: frozenset[int]) -> Slot:
    """Look around a phrase, with the edit before it as it will read; `near` has the phrases beside it as well."""
    free = text[max(0, phrase.start - SLOT_CONTEXT, last.end if last else 0) : phrase.start]
    before = free
    if last and phrase.start - last.end < SLOT_CONTEXT:
        before = f"{text[max(0, last.start - SLOT_CONTEXT) : last.start]}{last.replacement}{free}"
    opening = phrase.start
    while opening and opening not in starts and text[opening - 1] in QUOTES:
        opening -= 1
    return Slot(
        phrase, text[phrase.start : phrase.end], text[phrase.head_start : phrase.head_end],
        before.rpartition("\n")[2][-SLOT_CONTEXT:], text[phrase.end : phrase.end + SLOT_CONTEXT].partition("\n")[0],
        len(free.rpartition("\n")[2]), opening in starts,
        is_modifier=near[-1].form == "common" and _are_adjacent(text, phrase, near[-1]),
        follows_phrase=_are_adjacent(text, near[0], phrase),
        precedes_name=near[-1].type == "PERSON" and text[phrase.end : near[-1].start].isspace(),
    )  # fmt: skip


def _are_adjacent(text: str, phrase: Phrase, other: Phrase) -> bool:
    """Return whether a phrase and the next one belong together, with a space between them."""
    return phrase.base == other.base and text[phrase.end : other.start].isspace()


def _number_label(fit: FittedLabel, type: str, group: int, labels: dict[tuple[str, str], list[int]]) -> str:
    """Number a label that already replaces another phrase: two films stay two."""
    if not fit.needs_number:
        return fit.text
    same = labels.setdefault((type, _comparable_label(fit, "")), [])
    if group not in same:
        same.append(group)
    return f"{fit.text} [{same.index(group) + 1}]" if same.index(group) else fit.text


def _comparable_label(fit: FittedLabel, type: str) -> str:
    """Return what is said without articles, to tell whether two say the same; of a place where it is."""
    if match := KIND_IN_PLACE.match(fit.text) if type == "LOC" else None:
        return DEFINITE_ARTICLE.sub("", key(match[1]), count=1)
    return key(fit.bare) or DEFINITE_ARTICLE.sub("", INDEFINITE_ARTICLE.sub("", key(fit.text), count=1), count=1)


def _repeats_in_list(text: str, edit: Edit, last: tuple[FittedLabel, Phrase], fit: FittedLabel, phrase: Phrase) -> bool:
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


def _merge_into_list(edit: Edit, end: int, risk: float | None, entity: int) -> Edit:
    risk = None if edit.risk is None or risk is None else max(edit.risk, risk)
    match = KIND_IN_PLACE.match(edit.replacement) if edit.type == "LOC" else None
    whole = match[1] if match else edit.replacement  # two cities in Norway are Norway, and not one city
    return replace(edit, end=end, replacement=whole, risk=risk, entity=max(edit.entity, entity))


def _assign_numbers(
    groups: Sequence[int], phrases: Sequence[Phrase], risky: Sequence[int], existing: ExistingPlaceholders
) -> dict[int, tuple[str, int]]:
    """Return each group a type and a number, in the order in which they come, above those that stand there already."""
    seen = Counter(existing.highest)
    numbers: dict[int, tuple[str, int]] = {}
    for place in risky:
        if groups[place] not in numbers:
            type = phrases[place].type
            seen[type] += 1
            numbers[groups[place]] = type, seen[type]
    return numbers


def _is_excluded(rung: Rung, phrase: Phrase) -> bool:
    """Return whether a rung reveals too much, or types the word instead of its meaning: a diver is no occupation."""
    if phrase.type == "DEM" and rung.source == COMPUTED and (rung.kind == "kind" or rung.is_bare):
        return phrase.kind not in NAMEABLE_KINDS or phrase.form == "name"
    return rung.kind in EXCLUDED_KINDS or (rung.kind in PHRASE_PART_KINDS and rung.source != COMPUTED)


@lru_cache(maxsize=65_536)
def _is_proper(label: str) -> bool:
    """Return whether a label has a capital behind its article."""
    return any(word[:1].isupper() for word in (label.split()[1:] if INDEFINITE_ARTICLE.match(label) else label.split()))
