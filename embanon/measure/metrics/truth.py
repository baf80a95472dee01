"""Whether replacements are true: broader than the original, as far as taxonomies know.

There are three answers. True: a rung of the original's ladder, or a concept above all that the original may mean.
False: both are known, and it is above none of that. Not known: everything else, such as where it depends on what is
meant. What says only a type (`[ORG 2]`, `***`) is no replacement that could be false, and is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from embanon.language import Lemmatizer, has_trait, key
from embanon.measure.annotations import DocumentPair, Mention
from embanon.measure.metrics.chunks import informative_part
from embanon.measure.metrics.share import Share, share_columns
from embanon.taxonomy import COMPUTED_ONLY_TYPES, Climber, Ladder, Rung

INSIDE: Final = re.compile(r" (?:in|en|em) (?:the )?", re.IGNORECASE)
"""Between what something is and where that is: both have to be true."""
ARTICLE: Final = re.compile(
    r"^(?:(?:in|on|at|of|from|a|an|the|en|de|del|al|un|una|unos|unas|el|la|los|las|em|do|da|dos|das|no|na|nos|nas|ao|à"
    r"|um|uma|o|os|as|am|im|zum|zur|vom|beim|der|die|das|dem|den|des|eine?|einen|einem|einer|eines) )+",
    re.IGNORECASE,
)
"""Words before a phrase that its edit may include, in the languages that have taxonomies."""
DIGIT: Final = re.compile(r"\d")
REMEMBERED: Final = 1 << 14
"""Labels that are remembered: the same ones stand in most ladders."""


@dataclass(frozen=True, slots=True, eq=False)
class TruthScores:
    """How many replacements are true."""

    true: Share
    """Of those that are known to be true or false."""
    known: Share
    """Those of all that say more than a type."""


def truth_scores(pairs: Sequence[DocumentPair], climber: Climber) -> TruthScores:
    """Ask of each replacement."""
    rows = []
    for pair in pairs:
        answers = [answer for _, answer in verdicts(pair, climber)]
        known = [answer for answer in answers if answer is not None]
        rows.append([(float(sum(known)), float(len(known))), (float(len(known)), float(len(answers)))])
    return TruthScores(*share_columns(rows, 2))


def verdicts(pair: DocumentPair, climber: Climber) -> Iterator[tuple[Mention, bool | None]]:
    """Return each mention whose replacement says more than a type, and whether that is true."""
    for mention in pair.output.mentions:
        if new := informative_part(mention.replacement):
            yield mention, is_true(pair.gold.text[mention.start : mention.end], new, climber, mention.type or "")


def is_true(original: str, replacement: str, climber: Climber, type: str = "") -> bool | None:
    """Return whether a replacement is true of an original; `None` where that is not known.

    An edit may take in articles before its phrase. Capital ones may be of a name (The Hague, in El Salvador): they are
    left out one by one, where nothing is known of the longer name.
    """
    words, leading = original.split(" "), ARTICLE.match(original)
    count = leading.group().count(" ") if leading else 0
    named = next((place for place in range(count) if not words[place].islower()), count)
    readings = [" ".join(words[place:]) for place in (*range(named, count + 1), 0)]
    answers = (_is_true(one, replacement, climber, type) for one in dict.fromkeys(readings) if one)
    return next((answer for answer in answers if answer is not None), None)


def _is_true(original: str, replacement: str, climber: Climber, type: str) -> bool | None:
    ladder = climber.climb(original, type, form="common" if original.islower() else "name")
    whole = _is_part_true(replacement, ladder, climber, original, type)
    parts = INSIDE.split(replacement, maxsplit=1)
    if whole or len(parts) < 2:
        return whole
    both = [_is_part_true(part, ladder, climber, original, type) for part in parts]
    return True if all(both) else False if False in (whole, *both) else None


def _is_part_true(replacement: str, ladder: Ladder, climber: Climber, original: str, type: str) -> bool | None:
    new = normalized_label(replacement, climber.language)
    if new == normalized_label(original, climber.language) or not new:
        return True
    if any(new == normalized_label(rung.label, climber.language) for rung in ladder.rungs):
        return True
    if type in COMPUTED_ONLY_TYPES:  # 1950s is another decade, but an anniversary may be what it was
        numbered = any(DIGIT.search(rung.label) for rung in ladder.rungs)
        return False if numbered and DIGIT.search(new) else None
    concepts = [
        Rung("", name, "", store.id(sense.concept))
        for name, store in climber.stores.items()
        for label in dict.fromkeys((" ".join(ARTICLE.sub("", key(replacement)).split()), new))
        for sense in store.senses(label, climber.language)
    ]
    if not concepts or not ladder.senses:
        return None
    above = [_is_above(concepts, source, concept, climber) for source, concept, _ in ladder.senses]
    return True if all(above) else None if any(above) else False


def _is_above(concepts: Sequence[Rung], source: str, concept: str, climber: Climber) -> bool:
    """Return whether one of some concepts is what is meant, or broader than that."""
    meant = Rung("", source, "", concept)
    return any((one.source, one.concept) == (source, concept) for one in concepts) or bool(
        climber.labels_implied_by(meant, concepts)
    )


@lru_cache(maxsize=REMEMBERED)
def normalized_label(label: str, language: str) -> str:
    """Return a label without case and article, its last word in its dictionary form."""
    *first, last = ARTICLE.sub("", key(label)).split() or [""]
    last = last.capitalize() if has_trait(language, "capitalized_nouns") else last  # where only a capital tells a noun
    return " ".join((*first, Lemmatizer.load(language).lemma(last)))
