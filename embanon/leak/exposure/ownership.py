"""Whether a phrase of a text speaks of whoever wrote it: by who is spoken of around it, and where it stands.

The evidence is that of whom documents are about (first, second and third person, greetings, closings) and of whom
sentences are about (names). Its weights are learnt from letters of which people decided what gives the author away
(`python -m eval.authors --fit`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np

from embanon.data import read_toml
from embanon.document import TYPES, Flags, Floats, Ints, Phrases
from embanon.entities import Layout, PresentEntity, Span
from embanon.leak.exposure.quotes import TextParts, inside
from embanon.risk import ScoredPhrases, attribute

PERSON: Final = TYPES.index("PERSON")
KIN: Final = "DEM.kin"
LATE: Final = 0.5
"""The share of a text behind which a closing closes."""
SIGNED: Final = 0.9
"""The least chance of what stands in a signature, of which there is too little to learn from."""
OF_OTHERS: Final = 0.2
"""The highest chance of what is said of *him* or *her*, who was named before."""
KIN_REACH: Final = 24
"""Characters between a relative and a name."""
FEATURES: Final = (
    "bias", "first", "first near", "first in text", "plural", "second", "third", "third alone", "other named", "kin",
    "share", "head", "signature",
    *(f"type {type}" for type in TYPES),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Ownership:
    """How likely each phrase speaks of the author, and whether it does so through their family."""

    chance: Floats
    is_family: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What is seen around each phrase: phrases by features."""

    features: Floats
    is_family: Flags
    is_person: Flags
    """Whether a phrase names another person."""
    of_others: Flags
    """Whether the sentence speaks of *him* or *her*, behind one that names another person."""


def weights() -> Floats:
    """Return the learnt weights, in the order of features."""
    table: Mapping[str, float] = read_toml("embeddings", "attribution", "authors.toml")["weights"]
    return np.array([table[name] for name in FEATURES])


def find_ownership(layout: Layout, scored: ScoredPhrases, sentences: Ints, parts: TextParts) -> Ownership:
    """Return how likely each phrase speaks of the author, the first who is protected."""
    evidence = gather_evidence(layout, scored, sentences, parts)
    chance = 1 / (1 + np.exp(-evidence.features @ weights()))
    chance = np.where(evidence.is_person & ~evidence.is_family, 0.0, chance)
    signed = (evidence.features[:, FEATURES.index("signature")] > 0) & ~evidence.is_person
    chance = np.where(signed, np.maximum(chance, SIGNED), chance)
    chance = np.where(evidence.of_others, np.minimum(chance, OF_OTHERS), chance)
    chance = np.where(scored.named, 1.0, chance)
    for place, start in enumerate(scored.phrases.start.tolist()):
        if parts.is_quoted(start) or inside(parts.to_others, start):
            chance[place] = 0.0
        elif inside(parts.sender, start):
            chance[place] = 1.0
    return Ownership(chance, evidence.is_family & ~scored.named)


def gather_evidence(layout: Layout, scored: ScoredPhrases, sentences: Ints, parts: TextParts) -> Evidence:
    """Look at the words around each phrase."""
    text, phrases, language = layout.text, scored.phrases, layout.language
    bounds = [*sentences.tolist(), len(text)]
    counts = {
        name: np.array([len(layout.inside(name, *pair)) for pair in pairwise(bounds)], np.float64)
        for name in ("first_person", "plural", "second_person", "third_person")
    }
    sentence = np.searchsorted(sentences, phrases.start, side="right") - 1
    near = _neighbors(counts["first_person"])
    named = np.array([start for one in scored.people if one.protected_index < 0 for start, _ in one.spans], np.int64)
    speaks = np.array([start for start, _ in layout.words.get("first_person", ())], np.int64)
    kin = _relatives(layout, phrases)
    begin = sentences[sentence]
    last = {name: _last_before(np.sort(places), phrases.start, begin) for name, places in
            (("named", named), ("first", speaks), ("kin", kin))}  # fmt: skip
    other_named = (last["named"] >= 0) & (last["named"] > last["first"])
    others_alone = counts["first_person"] + counts["plural"] == 0
    third_alone = (counts["third_person"] > 0) & others_alone
    of_others = _carried(
        _behind(named, sentences) & ~_behind(kin, sentences), _has_pronoun(layout, bounds) & others_alone
    )
    is_kin = np.isin(phrases.kind, [place for place, name in enumerate(phrases.kinds) if name == KIN])
    is_family = is_kin | ((last["kin"] >= 0) & (last["kin"] > last["first"]))
    is_family |= (third_alone & _behind(kin, sentences))[sentence]  # my mother …; she has …
    is_person = (phrases.type == PERSON) & ~scored.named
    is_family &= ~is_person | ((last["kin"] >= 0) & (phrases.start - last["kin"] <= KIN_REACH))
    rows = {
        "bias": np.ones(len(phrases)),
        "first": np.minimum(counts["first_person"][sentence], 1), "first near": near[sentence],
        "first in text": np.full(len(phrases), (counts["first_person"] > 0).mean()),
        "plural": np.minimum(counts["plural"][sentence], 1), "second": np.minimum(counts["second_person"][sentence], 1),
        "third": np.minimum(counts["third_person"][sentence], 1),
        "third alone": (third_alone & _behind(named, sentences))[sentence], "other named": other_named,
        "kin": is_family,
        "share": _author_share(text, phrases, scored.people, sentences, language),
        "head": phrases.start < _head_end(layout), "signature": phrases.start >= _signature_start(layout, parts),
    } | {f"type {type}": phrases.type == number for number, type in enumerate(TYPES)}  # fmt: skip
    features = np.column_stack([np.asarray(rows[name], np.float64) for name in FEATURES])
    of_others = of_others[sentence] & ~is_family
    return Evidence(features.reshape(len(phrases), len(FEATURES)), is_family, is_person, of_others)


def _neighbors(counts: Floats) -> Floats:
    """Return the share of the sentences beside each that speak in the first person."""
    speaks = np.pad((counts > 0).astype(np.float64), 2)
    return (speaks[:-4] + speaks[1:-3] + speaks[3:-1] + speaks[4:]) / 4


@cache
def _pronouns() -> re.Pattern[str]:
    """Return what finds the pronouns that speak of one who was named, in all languages."""
    words = read_toml("ontologies", "lexicon", "subjects.toml")["subject_pronouns"].split()
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)


def _has_pronoun(layout: Layout, bounds: Sequence[int]) -> Flags:
    """Return which sentences have such a pronoun."""
    return np.array([_pronouns().search(layout.text, *pair) is not None for pair in pairwise(bounds)])


def _carried(begins: Flags, goes_on: Flags) -> Flags:
    """Return which sentences begin something that goes on, or go on with it."""
    carried = begins & goes_on
    for place in np.flatnonzero(goes_on).tolist():
        carried[place] |= place > 0 and carried[place - 1]
    return carried


def _behind(places: Ints, sentences: Ints) -> Flags:
    """Return which sentences stand right behind one with some of these places."""
    behind = np.zeros(len(sentences) + 1, bool)
    behind[np.searchsorted(sentences, places, side="right")] = True
    return behind[: len(sentences)]


def _relatives(layout: Layout, phrases: Phrases) -> Ints:
    """Return where relatives stand: by words, and by the kinds of phrases."""
    kinds = [place for place, name in enumerate(phrases.kinds) if name == KIN]
    learned = phrases.start[np.isin(phrases.kind, kinds)]
    return np.union1d(learned, np.array([start for start, _ in layout.words.get("kin", ())], np.int64))


def _last_before(places: Ints, starts: Ints, begins: Ints) -> Ints:
    """Return the last of some places before each start, from where its sentence begins; -1 where there is none."""
    if not len(places):
        return np.full(len(starts), -1)
    number = np.searchsorted(places, starts, side="left") - 1
    last = places[np.maximum(number, 0)]
    return np.where((number >= 0) & (last >= begins), last, -1)


def _author_share(
    text: str, phrases: Phrases, people: Sequence[PresentEntity], sentences: Ints, language: str
) -> Floats:  # fmt: skip
    """Return how likely the sentence of each phrase is about the author, by names: half where that is unknown."""
    attribution = attribute(text, phrases, people, sentences, language)
    if len(attribution.subjects) < 2 or 0 not in attribution.subjects:
        return np.full(len(phrases), 0.5)
    return attribution.shares_of(0)


def _head_end(layout: Layout) -> int:
    """Return where the greeting begins, before which addresses stand; 0 without one in the first half."""
    first: Span = next(iter(layout.words.get("salutation", ())), (0, 0))
    return first[0] if first[0] < LATE * len(layout.text) else 0


def _signature_start(layout: Layout, parts: TextParts) -> int:
    """Return where the last closing of the author's ends; the end of the text without one."""
    for start, end in reversed(layout.words.get("closing", ())):
        if start < LATE * len(layout.text):
            break
        line = layout.line_at(start)
        if not parts.is_quoted(start) and not layout.text[line[0] : start].strip(" \t,.>*_"):
            return end
    return len(layout.text)
