"""Score a text: how much each phrase gives away of whom or what is to be protected.

Identity: what is powerful enough and speaks of the entity. Names of the entity, and tokens that hold one (addresses,
hashtags, names of files), are 1. A second pass carries the risk that a phrase has once for an owner to where it, or
another name of the same, stands again with that owner.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import FORMS, TYPES, Phrases
from embanon.entities.mentions import Entity, Present, distinctive, folded, occurrences, present, spans_of
from embanon.errors import ConfigError
from embanon.language.frequencies import Frequencies
from embanon.model.model import Model
from embanon.risk.attribution import attribute
from embanon.risk.knowledge import overlap
from embanon.risk.power import OfLanguage, OfModel, Powers, Rarity, powers
from embanon.risk.topic_model import Calibration
from embanon.risk.topics import topical
from embanon.storage.keys import key, words_of
from embanon.text.coreference import group, words_of_name
from embanon.text.visible import Visible

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Added = tuple[int, int, str]
"""Where a phrase to add starts and ends, and its type."""

COMMON, NAME = (FORMS.index(form) for form in ("common", "name"))
TOPIC: Final = "TOPIC"
"""The type of what is not named, but spoken of: a project, an illness, a belief."""
GROUPED: Final = frozenset(("PERSON", "ORG", "LOC", "MISC"))
INSIDE: Final = 5
"""Letters of a part of a name that is looked for inside other tokens."""
JOINTS: Final = frozenset("#@_./\\-+0123456789")
"""What joins a name to others in a token that is no word."""
BEFORE: Final = re.compile(r"[^\s,;()<>\"“”]*$")
AFTER: Final = re.compile(r"[^\s,;()<>\"“”]*")
REACH: Final = 200
"""Characters of such a token to either side of the name."""
ANY_WORD: Final = re.compile(r"\w[\w\u0300-\u036f]*")
"""With accents behind the letters."""


ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Limits:
    """What decides about risk: the least share of attribution that makes it whole, and rare words outside phrases."""

    attribution: float = 0.2
    word_idf: float = 0.0
    """From which rarity any word is a phrase of its own; 0 is never."""
    scorer: str = "risk"
    lowest: float = 0.645
    by_type: tuple[tuple[int, float], ...] = ()
    """Types with a limit of their own."""

    def weighed(self, risk: Floats, types: NDArray[np.uint8]) -> Floats:
        """Move the risks of types with a limit of their own, so that one limit holds for all: 0 and 1 stay."""
        found = risk.copy()
        for type, own in self.by_type:
            some = risk[types == type]
            above = 1 - (1 - some) * (1 - self.lowest) / max(1 - own, ROUNDING)
            below = np.minimum(some / own, 1 - ROUNDING) * self.lowest
            found[types == type] = np.where(some >= own, np.maximum(above, self.lowest), below)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The phrases of a text with their risks, and why; rows of all columns belong together."""

    phrases: Phrases
    risk: Floats
    """Between 0 and 1; NaN where nothing is known of any part of a phrase, which is above any limit."""
    owner: Ints
    """The number of the entity that a phrase is riskiest for; -1 where for none."""
    powers: Powers
    attribution: Floats
    """How likely a phrase speaks of its owner."""
    named: Flags
    """Whether it holds a name of a protected entity."""
    again: Flags
    """Whether its risk is that of another place where the same stands."""
    topical: Flags
    """Whether its risk is what it tells of a topic."""
    linked: Flags
    """Whether it is masked because an attacker with public text would find the entity by it."""
    people: tuple[Present, ...] = field(repr=False)
    subjects: int
    """How many the text speaks of."""
    missing: tuple[int, ...]
    """The protected entities that the text does not name."""

    @property
    def unknown(self) -> int:
        """Count the phrases of which nothing is known."""
        return int(np.isnan(self.risk).sum())

    @property
    def highest(self) -> float:
        """Give the largest risk of a phrase: 1 where one is unknown, 0 where there is none."""
        return float(np.max(np.nan_to_num(self.risk, nan=1.0), initial=0.0))

    def at_least(self, limit: float) -> Flags:
        """Say which phrases are at or above a limit."""
        return np.nan_to_num(self.risk, nan=np.inf) >= limit


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores texts of one language by a model's rarity, or else that of the language at large."""

    language: str
    model: Model | None = None
    limits: Limits = Limits()
    rarity: Rarity = field(init=False)
    calibration: Calibration | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Choose where rarity comes from."""
        object.__setattr__(self, "rarity", rarity_of(self.model, self.language))
        object.__setattr__(self, "calibration", Calibration.of(self.model) if self.model else None)

    def score(
        self, text: str, phrases: Phrases, sentences: Ints, protect: Sequence[Entity],
        others: Sequence[Entity] = (), *, everyone: bool = False,
    ) -> Scored:  # fmt: skip
        """Score the phrases of a text for the entities to protect; `others` need not be, `everyone` protects all."""
        entities = (*protect, *others)
        visible = Visible.of(text)
        low = folded(visible.text)
        mentions = [Mentions.of(entity, visible.text, low, self.language).within(visible) for entity in entities]
        phrases = self._whole(text, phrases, mentions[: len(protect)])
        people = present(text, phrases, entities, self.language, [one.spans for one in mentions])
        found = powers(text, phrases, self.rarity)
        shares, subjects = self._shares(text, phrases, people, entities, sentences, len(protect), everyone=everyone)
        owner = np.argmax(shares, axis=1) if shares.shape[1] else np.full(len(phrases), -1)
        owner[~shares.any(axis=1)] = -1
        # who is protected beside others is not safer for it: what counts is that it is one of them
        owned = shares.sum(axis=1) >= self.limits.attribution
        risk = self._risk(text, phrases, found, shares, owned, protect, several=subjects > 1)
        named, named_owner = self._named(phrases, people, mentions[: len(protect)], everyone=everyone)
        risk, owner = np.where(named, 1.0, risk), np.where(named, named_owner, owner)
        risk, owner, told = self._topical(text, phrases, protect, risk, owner)
        risk = self.limits.weighed(risk, phrases.type)
        risk, again = carried(text, phrases, risk, owner, owned, self.language)
        share = np.where(named, 1.0, shares.max(axis=1, initial=0.0))
        missing = tuple(
            number for number, entity in enumerate(protect) if not people[number].spans and entity.type != TOPIC
        )
        linked = np.zeros(len(phrases), bool)
        return Scored(phrases, risk, owner, found, share, named, again, told, linked, tuple(people), subjects, missing)

    def _whole(self, text: str, phrases: Phrases, mentions: Sequence[Mentions]) -> Phrases:
        """Add what is a phrase because of whom to protect, or because it is rare."""
        whole = with_names(phrases, mentions, text)
        if self.limits.word_idf:
            whole = with_rare_words(text, whole, self.rarity, self.limits.word_idf)
        return whole

    def _risk(
        self, text: str, phrases: Phrases, found: Powers, shares: Floats, owned: Flags, protect: Sequence[Entity], *,
        several: bool,
    ) -> Floats:  # fmt: skip
        """Give risks as each phrase stands by itself; `several` says that the text speaks of more than one."""
        if self.limits.scorer == "cosine":
            return self._cosine(text, phrases, protect)
        power = self._known(text, phrases, found)
        risk = np.where(owned, power, power * np.minimum(shares.sum(axis=1), 1.0))
        risk[~owned & np.isnan(power)] = 0.0 if several else np.nan
        return risk

    def _topical(
        self, text: str, phrases: Phrases, protect: Sequence[Entity], risk: Floats, owner: Ints
    ) -> tuple[Floats, Ints, Flags]:
        """Add what phrases tell of topics, where that is more; what the model does not know tells of any."""
        told = np.zeros(len(phrases), bool)
        for number, entity in enumerate(protect):
            if entity.type != TOPIC:
                continue
            if self.calibration is None:
                raise ConfigError("a topic is told by vectors; name a model of texts of this kind: --model MODEL")
            found = topical(text, phrases, entity, self.calibration).risk
            more = np.nan_to_num(found, nan=np.inf) > np.nan_to_num(risk, nan=np.inf)
            risk, owner, told = np.where(more, found, risk), np.where(more, number, owner), told | more
        return risk, owner, told

    def _shares(
        self, text: str, phrases: Phrases, people: Sequence[Present], entities: Sequence[Entity], sentences: Ints,
        protected: int, *, everyone: bool,
    ) -> tuple[Floats, int]:  # fmt: skip
        """Give how likely each phrase speaks of each protected entity, and how many the text speaks of."""
        # No sentence is about a topic as it is about a person.
        topics = {number for number, entity in enumerate(entities) if entity.type == TOPIC}
        people = [replace(one, spans=()) if place in topics else one for place, one in enumerate(people)]
        more = overlap(text, people, entities, sentences, self.rarity)
        told = attribute(text, phrases, people, sentences, self.language, more=more)
        if everyone:
            return np.ones((len(phrases), 1)), len(told.subjects)
        shares = np.zeros((len(phrases), protected))
        for number in set(told.subjects) & set(range(protected)):
            shares[:, number] = told.of(number)
        asked = [number for number in range(protected) if number not in topics]
        if asked and not any(people[number].spans for number in asked):
            shares[:, asked] = 1.0  # nobody protected is named: as if all were about them
        elif len(told.subjects) == 1 and told.subjects[0] < protected:
            shares[:, told.subjects[0]] = 1.0
        return shares, len(told.subjects)

    def _known(self, text: str, phrases: Phrases, found: Powers) -> Floats:
        """Give powers, NaN where neither the model nor the language knows any word of a name or common phrase."""
        power = found.power.copy()
        unsure = np.flatnonzero((found.documents == 0) & UNKNOWABLE[phrases.form])
        for place in unsure.tolist():
            words = words_of(key(text[phrases.start[place] : phrases.end[place]]))
            if not any(map(self._is_known, words)):
                power[place] = np.nan
        return power

    def _is_known(self, word: str) -> bool:
        if any(map(str.isdecimal, word)):
            return True
        frequencies = Frequencies.load(self.language)
        if frequencies is not None and frequencies.share(word) is not None:
            return True
        return self.model is not None and int(self.model.words.keys.find([word])[0]) >= 0

    def _cosine(self, text: str, phrases: Phrases, protect: Sequence[Entity]) -> Floats:
        """Give the plain similarity to the nearest of the entities' names, as the thesis has it."""
        if self.model is None or not protect:
            return np.full(len(phrases), np.nan)
        written = [text[start:end] for start, end in bounds_of(phrases)]
        cosines = [self.model.similarity(entity.names[0], written)[0] for entity in protect]
        nearest: Floats = np.max(np.stack(cosines).astype(np.float64), axis=0)
        return np.clip(nearest, 0.0, 1.0)

    @staticmethod
    def _named(
        phrases: Phrases, people: Sequence[Present], mentions: Sequence[Mentions], *, everyone: bool
    ) -> tuple[Flags, Ints]:
        """Say which phrases hold a name of a protected entity, and of which."""
        named, owner = np.zeros(len(phrases), bool), np.full(len(phrases), -1)
        for number, (one, also) in enumerate(zip(people, mentions, strict=False)):
            held = overlapping(phrases, [*one.spans, *also.spans, *also.hidden])  # also within a name of another
            owner[held & ~named] = number
            named |= held
        if everyone:
            held = overlapping(phrases, [span for one in people for span in one.spans])
            owner[held & ~named] = 0
            named |= held
        return named, owner


@dataclass(frozen=True, slots=True)
class Mentions:
    """Where a text has a name of an entity, and where inside addresses, hashtags and other tokens."""

    type: str
    spans: list[tuple[int, int]]
    hidden: list[tuple[int, int]]

    @staticmethod
    def of(entity: Entity, text: str, low: str, language: str) -> Mentions:
        """Find them; `low` is the folded text."""
        return Mentions(entity.type, spans_of(entity, text, low, language), hidden(entity, text, low, language))

    def within(self, visible: Visible) -> Mentions:
        """Give where they stand in a text of which they were found in what is visible."""
        return replace(self, spans=visible.spans(self.spans), hidden=visible.spans(self.hidden))


def hidden(entity: Entity, text: str, low: str, language: str) -> list[tuple[int, int]]:
    """Find long parts of a name, and names that are run together, inside addresses, hashtags, file names and so on."""
    found = []
    for part in distinctive(entity, language):
        if len(part) >= INSIDE:
            found += [span for span in occurrences(low, part, whole=False) if _parted(text, *span)]
    for name in run_together(entity):
        found += occurrences(low, name, whole=False)
    return found


def run_together(entity: Entity) -> list[str]:
    """Give names of several words as one."""
    joined = ["".join(words) for words in map(words_of_name, entity.names) if len(words) > 1]
    return [name for name in joined if len(name) >= INSIDE]


def _parted(text: str, start: int, end: int) -> bool:
    """Say that a part of a name is parted from what is beside it: by a joint, an end of the word, or its case."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return (
        before in JOINTS
        or after in JOINTS
        or before.isalnum() != after.isalnum()
        or (before.islower() and text[start].isupper())
        or (after.isupper() and text[end - 1].islower())
        or (after.islower() and text[start:end].isupper())
    )


def bounds_of(phrases: Phrases) -> list[tuple[int, int]]:
    """Give where phrases start and end."""
    return list(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True))


def overlapping(phrases: Phrases, spans: Sequence[tuple[int, int]]) -> Flags:
    """Say which phrases share a character with one of some spans."""
    found = np.zeros(len(phrases), bool)
    if spans:
        starts, ends = (np.array(column) for column in zip(*spans, strict=True))
        first = np.searchsorted(phrases.end, starts, side="right")
        last = np.searchsorted(phrases.start, ends, side="left")
        for a, b in zip(first.tolist(), last.tolist(), strict=True):
            found[a:b] = True
    return found


UNKNOWABLE: Final = np.array([form in ("name", "title", "common") for form in FORMS])
"""Forms that may be made of words that nobody knows."""


def rarity_of(model: Model | None, language: str) -> Rarity:
    """Choose where rarity comes from: the model's corpus, else the language at large, else English."""
    if model is not None:
        return OfModel(model)
    frequencies = Frequencies.load(language) or Frequencies.load("en")
    assert frequencies is not None
    return OfLanguage(frequencies)


def with_names(phrases: Phrases, mentions: Iterable[Mentions], text: str) -> Phrases:
    """Add what names a protected entity and is in no phrase, and let no phrase cut a name.

    These are stray parts of the name, and tokens that hold one.
    """
    added = list[Added]()
    for one in mentions:
        type = one.type if one.type in TYPES else "MISC"
        added += [(start, end, type) for start, end in one.spans]
        for start, end in one.hidden:
            place = int(np.searchsorted(phrases.end, start, side="right"))
            if place < len(phrases) and phrases.start[place] <= start and end <= phrases.end[place]:
                continue
            before, after = BEFORE.search(text[max(0, start - REACH) : start]), AFTER.match(text[end : end + REACH])
            begin = start - len(before[0]) if before else start
            added.append((begin, end + len(after[0]) if after else end, "CODE"))
    return with_spans(*_uncut(phrases, added))


def _uncut(phrases: Phrases, spans: Sequence[Added]) -> tuple[Phrases, list[Added]]:
    """Take away phrases that cut a span, and give the span so that it has all of them."""
    kept, wanted = np.ones(len(phrases), bool), []
    for start, end, type in spans:
        first = int(np.searchsorted(phrases.end, start, side="right"))
        last = int(np.searchsorted(phrases.start, end, side="left"))
        if first < last and not (phrases.start[first] <= start and end <= phrases.end[first]):
            kept[first:last] = False
            start, end = min(start, int(phrases.start[first])), max(end, int(phrases.end[last - 1]))
        wanted.append((start, end, type))
    return (phrases if kept.all() else phrases.select(kept)), _united(wanted)


def _united(spans: Sequence[Added]) -> list[Added]:
    """Put spans in order, those that overlap as one, of the type of the longest."""
    found, longest = list[Added](), 0
    for start, end, type in sorted(spans):
        if not found or start >= found[-1][1]:
            found.append((start, end, type))
            longest = end - start
            continue
        begin, until, known = found[-1]
        found[-1] = (begin, max(until, end), type if end - start > longest else known)
        longest = max(longest, end - start)
    return found


def with_rare_words(text: str, phrases: Phrases, rarity: Rarity, least: float) -> Phrases:
    """Add rare words that are in no phrase."""
    found = [(one.start(), one.end(), key(one[0])) for one in ANY_WORD.finditer(text)]
    rare = np.nan_to_num(rarity.words([word for *_, word in found]), nan=1.0) >= least
    spans = [(start, end, "MISC") for (start, end, _), is_rare in zip(found, rare, strict=True) if is_rare]
    return with_spans(phrases, spans)


def with_spans(phrases: Phrases, spans: Sequence[Added]) -> Phrases:
    """Add spans of a type as phrases, where none is."""
    taken, added = bounds_of(phrases), []
    last = 0
    for start, end, type in sorted(set(spans)):
        near = int(np.searchsorted(phrases.start, end)) - 1
        if start >= last and (near < 0 or taken[near][1] <= start):
            added.append((start, end, type))
            last = end
    if not added:
        return phrases
    kinds = phrases.kinds or ("MISC.other",)
    of_type = {type: next((n for n, kind in enumerate(kinds) if kind.startswith(type)), 0) for _, _, type in added}
    base = int(np.max(phrases.base)) + 1 if len(phrases) else 0
    starts, ends = (np.array([row[column] for row in added], np.int64) for column in (0, 1))
    columns = [
        starts, ends, np.array([TYPES.index(type) for *_, type in added], np.uint8),
        np.array([of_type[type] for *_, type in added], phrases.kind.dtype),
        np.full(len(added), NAME, np.uint8), starts, ends, np.arange(base, base + len(added)),
    ]  # fmt: skip
    names = ("start", "end", "type", "kind", "form", "head_start", "head_end", "base")
    whole = [np.concatenate([getattr(phrases, name), column]) for name, column in zip(names, columns, strict=True)]
    order = np.argsort(whole[0], kind="stable")
    return Phrases.of([column[order] for column in whole], kinds)


def carried(
    text: str, phrases: Phrases, risk: Floats, owner: Ints, owned: Flags, language: str
) -> tuple[Floats, Flags]:
    """Carry the largest risk that a phrase has for an owner to where the same stands again with that owner."""
    written = [text[start:end] for start, end in bounds_of(phrases)]
    same = [key(one) for one in written]
    names = [place for place in range(len(phrases)) if phrases.form[place] == NAME]
    typed = [(written[place], TYPES[phrases.type[place]]) for place in names]
    for place, of in zip(names, group(typed, language), strict=True):
        if typed[of][1] in GROUPED:
            same[place] = f"\0{of}"
    together: dict[tuple[str, int], list[int]] = defaultdict(list)
    forms = phrases.form.tolist()  # a common phrase says the same everywhere: what it inherits stays where it is
    for place, (one, who) in enumerate(zip(same, owner.tolist(), strict=True)):
        if owned[place] and forms[place] != COMMON:
            together[one, who].append(place)
    found, again = risk.copy(), np.zeros(len(risk), bool)
    for places in together.values():
        if len(places) > 1:
            highest = np.max(np.nan_to_num(risk[places], nan=-1.0))
            lower = [place for place in places if risk[place] < highest]
            found[lower], again[lower] = highest, True
    return found, again
