"""The measures of the Text Anonymization Benchmark (Pilán et al. 2022, section 6), as its evaluation computes them.

An entity is what one annotator gave one id. It is to be masked if any of its mentions is, and it is direct if its
first mention is, in the order of the annotation: so it is decided there, also where its mentions differ. It is masked
if all its mentions are that need it. A mention is masked if nothing of it is seen but punctuation and tokens that tell
nothing. Words (`\\w+`) are what recall and precision count; tokens only say which parts of speech tell nothing.

Recall counts every word of every mention of an entity to be masked, those of words that tell nothing as masked.
A word counts for precision once for each annotator who has it in a single mention that is to be masked. An annotator
who marked nothing in a document counts too: whatever is masked there is wrong for that one. In both the paper's formula
is followed, not the published script: that leaves out annotators without any mention, and counts a word of several
masks once for each of them. On the published documents, and masks that do not overlap, it is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.measure.annotations import DIRECT, NO_MASK, Annotation, DocumentPair, GoldDocument, Mention
from embanon.measure.metrics.information import Information, UniformInformation
from embanon.measure.metrics.share import Share, share_columns
from embanon.measure.metrics.spans import (
    Flags,
    base_language,
    clip_words,
    count_flagged,
    lie_within,
    mark_characters,
    merge_spans,
    span_array,
    word_spans,
)
from embanon.measure.metrics.tags import ShippedTagger, TextTagger
from embanon.text import classify_characters

UNINFORMATIVE_TAGS: Final = frozenset(("ADP", "PART", "CCONJ", "DET"))
UNINFORMATIVE_WORDS: Final = frozenset(("mr", "mrs", "ms", "no", "nr", "about"))
UNINFORMATIVE_CHARACTERS: Final = frozenset(" ,.-;:/&()[]–'\"’“”")
_UNINFORMATIVE_BY_CODE: Final = np.array([chr(code) in UNINFORMATIVE_CHARACTERS for code in range(0x2020)])
"""By code point; the last represents all above."""
UNIFORM: Final = UniformInformation()
SHIPPED: Final = ShippedTagger()

Floats = NDArray[np.float64]
UninformativeFinder = Callable[[str, str, TextTagger], Flags]
"""Says which characters of a text in a language tell nothing, by parts of speech."""


@dataclass(frozen=True, slots=True, eq=False)
class TabScores:
    """What the benchmark reports."""

    direct: Share
    """ER_di; of gold that does not tell identifiers apart, nothing."""
    quasi: Share
    """ER_qi, as well."""
    entities: Share
    """Both, and entities of which nobody said what they are."""
    recall: Share
    """R: words of mentions, micro over annotators."""
    mentions: Share
    """Mentions that are wholly masked, micro over annotators."""
    precision: Share
    """P: each word the same."""
    weighted: Share
    """WP: by information."""


@dataclass(frozen=True, slots=True)
class AnnotatedEntity:
    """The mentions of one thing by one annotator."""

    mentions: tuple[Mention, ...]

    @property
    def needs_masking(self) -> bool:
        """Return whether it is to be masked."""
        return any(one.identifier != NO_MASK for one in self.mentions)

    @property
    def is_direct(self) -> bool | None:
        """Return whether it is direct, by its first mention; `None` where nobody said."""
        first = self.mentions[0].identifier
        return None if first is None else first == DIRECT


def entities_to_mask(annotation: Annotation) -> Iterator[AnnotatedEntity]:
    """Return the entities of an annotator that are to be masked, in the order of their first mentions."""
    by_entity: dict[str | int, list[Mention]] = {}
    for number, mention in enumerate(annotation.mentions):
        by_entity.setdefault(number if mention.entity is None else mention.entity, []).append(mention)
    for mentions in by_entity.values():
        if (entity := AnnotatedEntity(tuple(mentions))).needs_masking:
            yield entity


def uninformative_characters(text: str, language: str, tags: TextTagger) -> Flags:
    """Return which characters carry no information, so that they may stay visible."""
    tagged = tags.tag(text, language)
    mute = [
        tag in UNINFORMATIVE_TAGS or word.casefold().rstrip(".") in UNINFORMATIVE_WORDS
        for word, tag in zip(tagged.words, tagged.tags, strict=True)
    ]
    flags = mark_characters(len(text), tagged.spans[np.array(mute, np.bool_)])
    codes, _ = classify_characters(text)
    return np.asarray(flags | _UNINFORMATIVE_BY_CODE[np.minimum(codes, len(_UNINFORMATIVE_BY_CODE) - 1)], np.bool_)


def tab_scores(
    pairs: Sequence[DocumentPair], tags: TextTagger = SHIPPED, information: Information = UNIFORM,
    by: UninformativeFinder = uninformative_characters
) -> TabScores:  # fmt: skip
    """Measure documents."""
    rows = (_row(pair, by(pair.gold.text, base_language(pair.gold), tags), information) for pair in pairs)
    return TabScores(*share_columns(rows, 7))


def _row(pair: DocumentPair, tells_nothing: Flags, information: Information) -> list[tuple[float, float]]:
    """Return hits and their number, in the order of the fields of `Tab`."""
    gold, spans = pair.gold, span_array(pair.output.mentions)
    every = word_spans(gold.text)
    seen = ~mark_characters(len(gold.text), spans) & ~tells_nothing
    return [*_recalls(gold, seen, every), *_precisions(gold, merge_spans(spans), every, information)]


def _recalls(gold: GoldDocument, seen: Flags, every: NDArray[np.int64]) -> list[tuple[float, float]]:
    """Count entities that are masked (direct, quasi, all), words and mentions."""
    counts = np.zeros((5, 2))
    for annotation in gold.annotations:
        entities = list(entities_to_mask(annotation))
        spans = span_array(one for entity in entities for one in entity.mentions)
        hidden = count_flagged(seen, spans) == 0
        tokens, _ = clip_words(every, spans)
        counts[3] += (np.count_nonzero(count_flagged(seen, tokens) == 0), len(tokens))
        counts[4] += (np.count_nonzero(hidden), len(hidden))
        at = 0
        for entity in entities:
            needed = zip(entity.mentions, hidden[at : (at := at + len(entity.mentions))].tolist(), strict=True)
            whole = all(is_hidden or one.identifier == NO_MASK for one, is_hidden in needed)
            counts[2] += (whole, 1)
            if entity.is_direct is not None:
                counts[0 if entity.is_direct else 1] += (whole, 1)
    return [(hits, of) for hits, of in counts.tolist()]


def _precisions(
    gold: GoldDocument, spans: NDArray[np.int64], every: NDArray[np.int64], information: Information
) -> Iterator[tuple[float, float]]:
    """Weigh masked words, once for each annotator: the same each, and by information."""
    tokens, _ = clip_words(every, spans)
    by = np.zeros(len(tokens))
    for annotation in gold.annotations:
        by += lie_within(tokens, span_array(annotation.mentions_to_mask))
    weights: Floats = information.weigh(gold.text, tokens, base_language(gold))
    for weight in (np.ones(len(tokens)), weights):
        yield float(by @ weight), float(len(gold.annotations) * weight.sum())
