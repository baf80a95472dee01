"""The calls that commands and services make: from a document to its phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.config.settings import Config
from embanon.document import COLUMNS, TYPES, Document, Phrases
from embanon.language.detect import detect
from embanon.language.lemmas import Lemmatizer
from embanon.text.analyzer import TAGGED, Analyzed, Layer, layer
from embanon.text.corpus_statistics import NONE, Gathering, Statistics
from embanon.text.cutter import heads
from embanon.text.identifiers import identify
from embanon.text.kinds import KIND_TYPES, KINDS, assign
from embanon.text.overlay import DENIED, IDENTIFIED, NAMED, Unit, bases, overlay, settle, without
from embanon.text.pieces import SIZE, pieces
from embanon.text.rules import ALLOW, DENY, PATTERN, Match, Rules

FULL_KINDS: Final = tuple(f"{TYPES[type_]}.{kind}" for type_, kind in zip(KIND_TYPES, KINDS, strict=True))


@dataclass(frozen=True, slots=True)
class Analysis:
    """A document with its phrases, and where its sentences start, the first at 0, even of a text that is empty.

    `fallback` says that its language has no tagger.
    """

    document: Document
    phrases: Phrases
    language: str
    fallback: bool
    sentences: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64), repr=False)


@lru_cache(maxsize=8)
def _rules(config: Config) -> Rules:
    return Rules.compile(config)


def language_of(document: Document, config: Config) -> str:
    """Say which language a document is read in: as set, as it says itself, or as detected."""
    language = config.language if config.language != "auto" else document.language
    language = language or detect(document.text, config.phrases.default_language).code
    return language.partition("-")[0]


Collected = Mapping[str, Statistics]
"""The statistics of a collection, by language."""
Layers = Callable[[str], Layer]
"""How the layer of a language is opened."""
NOTHING: Final[Collected] = MappingProxyType({})


def find_phrases(document: Document, *, config: Config, statistics: Collected = NOTHING) -> Analysis:
    """Find the phrases of a document, piece by piece, so that memory beyond the text stays small."""
    return next(iter(find_all([document], config=config, statistics=statistics)))


def find_all(documents: Iterable[Document], *, config: Config, statistics: Collected = NOTHING) -> Iterator[Analysis]:
    """Find the phrases of many documents, in order; short ones are read together, which is several times faster."""
    for together in find_together(documents, config=config, statistics=statistics):
        phrases, starts = together.phrases, together.starts
        bounds = np.append(np.searchsorted(phrases.start, starts), len(phrases))
        opens = np.append(np.searchsorted(together.sentences, starts), len(together.sentences))
        for number, document in enumerate(together.documents):
            own = phrases.select(np.arange(bounds[number], bounds[number + 1]))
            base = int(own.base[0]) if len(own) else 0
            fallback = together.language not in TAGGED
            sentences = np.union1d([0], together.sentences[opens[number] : opens[number + 1]] - starts[number])
            yield Analysis(document, own.shifted(-int(starts[number]), -base), together.language, fallback, sentences)


def batches(documents: Iterable[Document], config: Config) -> Iterator[tuple[str, list[Document]]]:
    """Group consecutive documents of one language into texts of at most one piece; a longer one stays alone."""
    batch: list[Document] = []
    language, size = "", 0
    for document in documents:
        spoken = language_of(document, config)
        if batch and (spoken != language or size + len(document.text) > SIZE):
            yield language, batch
            batch, size = [], 0
        language = spoken
        batch.append(document)
        size += len(document.text) + len(BREAK)
    if batch:
        yield language, batch


BREAK: Final = "\n\n"
"""Documents that are read together are paragraphs of one text: every rule stays inside a paragraph."""


def joined(documents: Sequence[Document]) -> tuple[str, NDArray[np.int64]]:
    """Give documents as one text, and where each starts."""
    starts = np.cumsum([0, *(len(document.text) + len(BREAK) for document in documents[:-1])])
    return BREAK.join(document.text for document in documents), starts


@dataclass(frozen=True, slots=True)
class Together:
    """Documents of one language that were read as one text, where each starts, and the phrases of that text."""

    documents: Sequence[Document] = field(repr=False)
    language: str
    text: str = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)
    phrases: Phrases = field(repr=False)
    sentences: NDArray[np.int64] = field(repr=False)


def find_together(
    documents: Iterable[Document], *, config: Config, statistics: Collected = NOTHING, layers: Layers = layer
) -> Iterator[Together]:
    """Find the phrases of many documents, in order, and leave together what was read together."""
    rules = _rules(config)
    for language, batch in batches(documents, config):
        # A user's expression may look beyond a paragraph, so each document is then read alone.
        for group in [[document] for document in batch] if rules.expressions else [batch]:
            text, starts = joined(group)
            known = statistics.get(language, NONE)
            phrases, sentences = read_text(layers(language), text, known, rules, identifiers=config.phrases.identifiers)
            yield Together(group, language, text, starts, phrases, sentences)


def text_phrases(
    reader: Layer, text: str, statistics: Statistics = NONE, rules: Rules | None = None, *, identifiers: bool = True
) -> Phrases:
    """Find the phrases of a text."""
    return read_text(reader, text, statistics, rules, identifiers=identifiers)[0]


def read_text(
    reader: Layer, text: str, statistics: Statistics = NONE, rules: Rules | None = None, *, identifiers: bool = True
) -> tuple[Phrases, NDArray[np.int64]]:
    """Find the phrases of a text, and where its sentences start.

    The phrases are the grammar's, by pieces; over them what is structured and what the user names.
    """
    found, units, sentences = list[Phrases](), list[Unit](), [np.zeros(1, np.int64)]
    matches = rules.find(text, reader.language) if rules else []
    for offset, piece in pieces(text):
        analyzed = reader.tag(piece)
        sentences.append(analyzed.tokens.start[analyzed.tokens.sentence].astype(np.int64) + offset)
        found.append(_of_grammar(reader, analyzed, statistics).shifted(offset, 0))
        for match in _by_lemma(rules, reader, analyzed) if rules else ():
            matches.append(match._replace(start=match.start + offset, end=match.end + offset))
        for one in identify(piece, reader.language) if identifiers else ():
            units.append(Unit(one.start + offset, one.end + offset, one.type, f"{one.type}.{one.kind}", IDENTIFIED))
    ranks = {DENY: DENIED, PATTERN: NAMED}
    named = [match for match in matches if match.action != ALLOW and not text[match.start : match.end].isspace()]
    units += [Unit(match.start, match.end, match.type, match.kind, ranks[match.action]) for match in named]
    settled = settle(units)
    phrases = overlay(_joined(found), settled, text)
    allowed = [(match.start, match.end) for match in matches if match.action == ALLOW]
    phrases = without(phrases, allowed, [unit for unit in settled if unit.rank == DENIED])
    return replace(phrases, base=bases(phrases, text)), np.unique(np.concatenate(sentences))


def _of_grammar(reader: Layer, analyzed: Analyzed, statistics: Statistics) -> Phrases:
    """Give the grammar's phrases with their types and heads."""
    cut = reader.cut(analyzed, statistics)
    tokens = analyzed.tokens
    typed = assign(tokens, analyzed.found, cut, reader.lexicon)
    first, last = heads(cut, romance=reader.language in ("es", "pt"))
    none = np.zeros(len(cut.first), dtype=np.int64)
    if not len(none):
        return Phrases(none, none, typed.type, typed.kind, typed.form, none, none, none, FULL_KINDS)
    start, end = tokens.start.astype(np.int64), tokens.end.astype(np.int64)
    return Phrases(
        start[cut.first], end[cut.last - 1], typed.type, typed.kind, typed.form, start[first], end[last - 1], none,
        FULL_KINDS,
    )  # fmt: skip


def _by_lemma(rules: Rules, reader: Layer, analyzed: Analyzed) -> Iterator[Match]:
    """Give the words whose dictionary form the user's rules name."""
    entries = {lemma: [rule for rule in row if rule.speaks(reader.language)] for lemma, row in rules.lemmas.items()}
    if not any(entries.values()):
        return
    lemmatizer, tokens = Lemmatizer.load(reader.language), analyzed.tokens
    wanted = frozenset(entries)
    rules_of = {
        word: [rule for lemma in sorted(found) for rule in entries[lemma]]
        for word in set(tokens.words)
        if (found := wanted & lemmatizer.lemmas(word))
    }
    for word, start, end in zip(tokens.words, tokens.start.tolist(), tokens.end.tolist(), strict=True):
        for rule in rules_of.get(word, ()):
            yield Match(start, end, rule.type, rule.kind, rule.action)


def _joined(found: Sequence[Phrases]) -> Phrases:
    """Join the grammar's phrases of consecutive pieces."""
    if not found:
        none = np.zeros(0, dtype=np.int64)
        codes = none.astype(np.uint8)
        return Phrases(none, none, codes, codes, codes, none, none, none, FULL_KINDS)
    if len(found) == 1:
        return found[0]
    return Phrases.of([np.concatenate([getattr(phrases, name) for phrases in found]) for name in COLUMNS], FULL_KINDS)


def gather(documents: Iterable[Document], *, config: Config, layers: Layers = layer) -> Collected:
    """Gather the statistics of a collection by language: the first of two passes."""
    gathered: dict[str, Gathering] = {}
    for language, batch in batches(documents, config):
        reader = layers(language)
        text, starts = joined(batch)
        tagged = (reader.tag(piece) for _, piece in pieces(text))
        gathered.setdefault(language, Gathering()).add(((one.tokens, reader.cut(one)) for one in tagged), starts)
    return {language: gathering.statistics() for language, gathering in gathered.items()}
