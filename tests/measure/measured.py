"""Hand-made documents for the measures, and strategies that make more of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from hypothesis import strategies as st

from embanon.measure.annotations import (
    DIRECT,
    NO_MASK,
    QUASI,
    Annotation,
    DocumentPair,
    GoldDocument,
    MaskedDocument,
    Mention,
)


def mention(text: str, what: str, identifier: str | None = None, entity: str | None = None, **more: Any) -> Mention:
    """Mark where something stands first; `nth` says which of several is meant."""
    place = -1
    for _ in range(more.pop("nth", 1)):
        place = text.index(what, place + 1)
    return Mention(place, place + len(what), more.get("type"), entity, identifier, more.get("replacement"))


def pair(
    text: str, golds: Sequence[Sequence[Mention]], output: Sequence[Mention], language: str | None = "en"
) -> DocumentPair:
    """Put a document together, a list of mentions for each annotator."""
    annotations = tuple(Annotation(f"a{number}", tuple(some)) for number, some in enumerate(golds))
    return DocumentPair(GoldDocument("x", text, annotations, language), MaskedDocument("x", tuple(output)))


def unite_annotators(gold: GoldDocument) -> GoldDocument:
    """Return gold as if one person had marked all that anyone did; entities of different people stay apart."""
    unique = dict[Mention, None]()
    for annotation in gold.annotations:
        for one in annotation.mentions:
            entity = None if one.entity is None else f"{annotation.annotator}/{one.entity}"
            unique[Mention(one.start, one.end, one.type, entity, one.identifier, one.replacement)] = None
    return GoldDocument(
        gold.id, gold.text, (Annotation("all", tuple(unique)),) if gold.annotations else (), gold.language
    )


def whole(text: str, *parts: str) -> list[Mention]:
    """Mark parts, wherever they stand first."""
    return [mention(text, part) for part in parts]


# Section 6.4 of the benchmark's paper, its numbers on a text of our own: what two people and two systems mask.
JUDGMENT = (
    "Case 40593 was lodged by Mr Bekir Osman, a Turkish national of Kurdish origin, against Bulgaria on "
    "5 October 2004. Osman, an unemployed electrician of the Varna docks, said that the police beat him."
)
DIRECTS = (
    mention(JUDGMENT, "40593", DIRECT, "case", type="CODE"),
    mention(JUDGMENT, "Bekir Osman", DIRECT, "man", type="PERSON"),
    mention(JUDGMENT, "Osman", DIRECT, "man", nth=2, type="PERSON"),
)
DATE = mention(JUDGMENT, "5 October 2004", QUASI, "date", type="DATETIME")
GOLDS = (
    (*DIRECTS, mention(JUDGMENT, "Turkish national of Kurdish origin", QUASI, "nation", type="DEM"), DATE),
    (
        *DIRECTS, mention(JUDGMENT, "Bulgaria", QUASI, "state", type="LOC"), DATE,
        mention(JUDGMENT, "unemployed electrician of the Varna docks", QUASI, "job", type="DEM"),
    ),
)  # fmt: skip
SYSTEM_A = (*DIRECTS, DATE)
"""Seven words, all of them masked by both people."""
SYSTEM_B = (
    *DIRECTS[1:], DATE, *whole(JUDGMENT, "Bulgaria", "Turkish national", "origin", "unemployed electrician", "docks")
)  # fmt: skip
"""Thirteen words; nothing of the case number, and not all of nationality and profession."""


# Strategies: texts of all kinds of signs, spans that may overlap.
SIGNS = st.sampled_from(
    (*"Ada of the Mr no Berlin 42 a\u0301b 😀 👩\u200d👧 שלום مرحبا हिन्दी 東京 ,- _".split(" "), "\n"),
)
TEXTS = st.lists(SIGNS, max_size=14).map(" ".join)


@st.composite
def spans(draw: st.DrawFn, text: str, most: int = 5) -> list[tuple[int, int]]:
    """Draw spans of a text, none of them empty."""
    if not text:
        return []
    cuts = st.tuples(st.integers(0, len(text) - 1), st.integers(1, 12))
    return [(start, min(start + size, len(text))) for start, size in draw(st.lists(cuts, max_size=most))]


@st.composite
def pairs(draw: st.DrawFn) -> DocumentPair:
    """Draw a document with gold of up to three annotators and an output."""
    text = draw(TEXTS)
    identifiers, entities = st.sampled_from((DIRECT, QUASI, NO_MASK, None)), st.sampled_from(("e1", "e2", None))
    types = st.sampled_from(("PERSON", "LOC", None))

    def marked() -> list[Mention]:
        found = draw(spans(text))
        return [Mention(a, b, draw(types), draw(entities), draw(identifiers)) for a, b in found]

    golds = [marked() for _ in range(draw(st.integers(0, 3)))]
    return pair(text, golds, [Mention(a, b, draw(types)) for a, b in draw(spans(text))])


CORPORA = st.lists(pairs(), max_size=4)


def words_with_cuts(text: str) -> list[tuple[int, int]]:
    """Find words sign by sign: runs of what `\\w` has."""
    import re

    cuts = [bool(re.match(r"\w", sign)) for sign in text]
    starts = [n for n, inside in enumerate(cuts) if inside and (n == 0 or not cuts[n - 1])]
    return [(n, next(m for m in range(n, len(text) + 1) if m == len(text) or not cuts[m])) for n in starts]


def total(numbers: Sequence[float]) -> float:
    """Add numbers up one by one."""
    return list(accumulate(numbers, initial=0.0))[-1]
