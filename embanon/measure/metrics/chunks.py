"""The measures of Hassan's thesis on noun phrases, and how much information is kept: utility, TPI and TPS."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from embanon.document import TYPES
from embanon.measure.annotations import DocumentPair, Mention
from embanon.measure.metrics.information import Information, PhraseInformation
from embanon.measure.metrics.share import Scores, Share, share_columns
from embanon.measure.metrics.similarity import Similarity
from embanon.measure.metrics.spans import (
    Ints,
    base_language,
    clip_words,
    distinct,
    fully_masked,
    mark_characters,
    overlaps,
    span_array,
    telling_characters,
    word_spans,
)
from embanon.text import load_analyzer, split_pieces

PhraseFinder = Callable[[str, str], Ints]
"""Gives the phrases of a text in a language, in order; none shares a character with another."""

BLANK: Final = re.compile(
    r"(?:(?<!\[)\[+|(?<!<)<+|(?<!\{)\{+) ?/?[A-Z][A-Z_]*(?:[ _:#-]?\d+)? ?/?(?:\]+|>+|\}+)"
    rf"|\b(?:{'|'.join(TYPES)})(?:[ _]\d+)?\b|\b[A-Z]+(?:_[A-Z]+)*_\d+\b|\bX{{3,}}\b|[*_█■]+"
    r"|\[[^\[\]]*\]|\b(?:Person|Persona|Pessoa) \d+\b"
)
"""Replacements that reveal only the type of a phrase: `[PERSON 1]`, `[date]`, `Person 1`, `JOB_2`, `***`."""
MASK: Final = re.compile(r"[Xx9\W_]+")
"""A phrase of which only the classes of its signs are left: `Xxx Xxxxxx`, `99/9999`."""
NUMBER: Final = re.compile(r" ?\[\d+\]")
"""Tells two apart that read the same."""
ARTICLE: Final = re.compile(r"^(?:(?:in|on|at|a|an|the|his|her|its|their) )+", re.IGNORECASE)


def noun_phrases(text: str, language: str) -> Ints:
    """Return the phrases that the grammar finds."""
    reader, spans = load_analyzer(language), [np.zeros((0, 2), np.int64)]
    for offset, piece in split_pieces(text):
        analyzed = reader.tag(piece)
        cut = reader.cut(analyzed)
        if len(cut.first):
            tokens = analyzed.tokens
            spans.append(
                np.stack([tokens.start[cut.first], tokens.end[cut.last - 1]], axis=1).astype(np.int64) + offset
            )
    return np.concatenate(spans)


def phrases_and_words(text: str, language: str, phrases: PhraseFinder = noun_phrases) -> Ints:
    """Return the phrases, and the words outside of them."""
    spans, every = phrases(text, language), word_spans(text)
    both = np.concatenate([spans, every[~overlaps(every, spans)]])
    return both[np.argsort(both[:, 0], kind="stable")]


def chunk_scores(pairs: Sequence[DocumentPair]) -> Scores:
    """Compare what is masked with what people tagged, mean over documents.

    Precision: masked phrases that have a tagged word. Recall: tagged terms all of whose letters and digits are masked.
    """
    precision, recall = np.zeros((len(pairs), 2)), np.zeros((len(pairs), 2))
    for place, pair in enumerate(pairs):
        text = pair.gold.text
        phrases = distinct(span_array(pair.output.mentions))
        masked, telling = mark_characters(len(text), phrases), telling_characters(text)
        inside, owner = clip_words(word_spans(text), phrases)
        for annotation in pair.gold.annotations:
            tagged = distinct(span_array(annotation.mentions_to_mask))
            has = np.zeros(len(phrases), np.bool_)
            has[owner[overlaps(inside, tagged)]] = True
            precision[place] += (has.sum(), len(phrases))
            recall[place] += (fully_masked(telling, masked, tagged).sum(), len(tagged))
    both = (Share(one[:, 0].copy(), one[:, 1].copy()).document_mean for one in (precision, recall))
    return Scores(*both)


def utility(
    pairs: Sequence[DocumentPair], information: PhraseInformation, phrases: PhraseFinder = noun_phrases
) -> Share:
    """Return the information of phrases after over that before.

    One that is suppressed tells nothing, a replacement what it says, at most what was there.

    A phrase of which a part is masked goes with it. What says only a type (`[PERSON 1]`) tells nothing.
    """
    return Share.from_rows(_information_kept(pair, information, phrases) for pair in pairs)


def _information_kept(pair: DocumentPair, information: PhraseInformation, phrases: PhraseFinder) -> tuple[float, float]:
    gold = pair.gold
    language = base_language(gold)
    spans = phrases(gold.text, language)
    before = information.weigh(gold.text, spans, language)
    owners = mention_of_span(spans, pair.output.mentions)
    # What is owned by nobody comes first.
    owned_by = np.bincount(owners + 1, before, len(pair.output.mentions) + 1).tolist()
    after = owned_by[0]
    replaced = [(n, informative_part(one.replacement)) for n, one in enumerate(pair.output.mentions)]
    replaced = [(number, new) for number, new in replaced if new]
    tell = information.bits([new for _, new in replaced], language).tolist()
    for (number, _), bits in zip(replaced, tell, strict=True):
        after += min(bits, owned_by[number + 1])
    return after, float(before.sum())


def mention_of_span(spans: Ints, mentions: Sequence[Mention]) -> Ints:
    """Return the number of the mention that each span shares a character with, the first of several; -1 for none."""
    numbers = np.full(len(spans), -1)
    for number, (first, last) in reversed(list(enumerate(touched_spans(spans, mentions)))):
        numbers[first:last] = number
    return numbers


def touched_spans(spans: Ints, mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Return the first span that each mention shares a character with, and the one behind the last."""
    bounds = span_array(mentions)
    first = np.searchsorted(spans[:, 1], bounds[:, 0], "right")
    last = np.searchsorted(spans[:, 0], bounds[:, 1], "left")
    return list(zip(first.tolist(), last.tolist(), strict=True))


def informative_part(replacement: str | None) -> str:
    """Return what a replacement says.

    A type alone says nothing, nor does a mask, an article, a number to tell apart.
    """
    plain = NUMBER.sub("", BLANK.sub("", replacement or ""))
    return "" if MASK.fullmatch(plain) else ARTICLE.sub("", " ".join(plain.split())).strip()


SUPPRESSED: Final = 0.0
"""What a suppressed term keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class PreservedInformation:
    """Both measures (their `by_document` is the mean over documents), and what they rest on."""

    information: Share
    """TPI: the information of terms of which nothing is masked, over that of all."""
    meaning: Share
    """TPS: a term that is replaced counts by how near that is; one of which that is not known is left out."""
    compared: Share
    """Replaced terms whose similarity to their replacement is known."""


def preserved_information(
    pairs: Sequence[DocumentPair],
    information: Information,
    similarity: Similarity | None,
    find_phrases: PhraseFinder = phrases_and_words,
) -> PreservedInformation:
    """Weigh terms; a term that several mentions touch is as the least of them leaves it."""
    rows = (_row(pair, information, similarity, find_phrases) for pair in pairs)
    return PreservedInformation(*share_columns(rows, 3))


def _row(
    pair: DocumentPair, information: Information, similarity: Similarity | None, find_phrases: PhraseFinder
) -> list[tuple[float, float]]:
    gold, language = pair.gold, base_language(pair.gold)
    spans = find_phrases(gold.text, language)
    bits = information.weigh(gold.text, spans, language)
    alone = ~overlaps(spans, span_array(pair.output.mentions))
    near, replaced = np.where(alone, 1.0, np.nan), np.zeros(len(spans), np.bool_)
    for mention, (first, last) in zip(pair.output.mentions, touched_spans(spans, pair.output.mentions), strict=True):
        new = informative_part(mention.replacement)
        value: float | None = SUPPRESSED
        if new:
            value = similarity.similarity(gold.text[mention.start : mention.end], new) if similarity else None
        near[first:last] = np.fmin(near[first:last], np.nan if value is None else min(max(value, 0.0), 1.0))
        replaced[first:last] |= bool(new)
    known = ~np.isnan(near)
    return [
        (float(bits[alone].sum()), float(bits.sum())),
        (float((bits * near)[known].sum()), float(bits[known].sum())),
        (float((replaced & known).sum()), float(replaced.sum())),
    ]
