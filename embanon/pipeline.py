"""The calls that commands and services make: from a document to its phrases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from embanon.config import Config
from embanon.document import COLUMNS, TYPES, Document, Phrases
from embanon.identifiers import identify
from embanon.language import detect
from embanon.layer import TAGGED, Analyzed, Layer, layer
from embanon.lemmas import Lemmatizer
from embanon.overlay import DENIED, IDENTIFIED, NAMED, Unit, bases, overlay, settle, without
from embanon.phrases import heads
from embanon.pieces import SIZE, pieces
from embanon.rules import ALLOW, DENY, Match, Rules
from embanon.statistics import NONE, Gathering, Statistics
from embanon.types import KIND_TYPES, KINDS, assign

FULL_KINDS: Final = tuple(f"{TYPES[type_]}.{kind}" for type_, kind in zip(KIND_TYPES, KINDS, strict=True))


@dataclass(frozen=True, slots=True)
class Analysis:
    """A document with its phrases; `fallback` says that its language has no tagger of its own."""

    document: Document
    phrases: Phrases
    language: str
    fallback: bool


@lru_cache(maxsize=8)
def _rules(config: Config) -> Rules:
    return Rules.compile(config)


def language_of(document: Document, config: Config) -> str:
    """Say which language a document is read in: as set, as it says itself, or as detected."""
    if config.language != "auto":
        return config.language
    return document.language or detect(document.text, config.phrases.default_language).code


def find_phrases(document: Document, *, config: Config, statistics: Statistics = NONE) -> Analysis:
    """Find the phrases of a document, piece by piece, so that memory beyond the text stays small."""
    return next(iter(find_all([document], config=config, statistics=statistics)))


def find_all(documents: Iterable[Document], *, config: Config, statistics: Statistics = NONE) -> Iterator[Analysis]:
    """Find the phrases of many documents, in order; short ones are read together, which is ten times faster."""
    batch: list[Document] = []
    language, size = "", 0
    for document in documents:
        spoken = language_of(document, config).partition("-")[0]
        if batch and (spoken != language or size + len(document.text) > SIZE):
            yield from _batch(batch, language, config, statistics)
            batch, size = [], 0
        language = spoken
        batch.append(document)
        size += len(document.text) + len(BREAK)
    if batch:
        yield from _batch(batch, language, config, statistics)


BREAK: Final = "\n\n"
"""Documents that are read together are paragraphs of one text: every rule stays inside a paragraph."""


def _batch(documents: Sequence[Document], language: str, config: Config, statistics: Statistics) -> Iterator[Analysis]:
    reader, rules = layer(language), _rules(config)
    # A user's expression may look beyond a paragraph, so each document is then read alone.
    together = [documents] if not rules else [[document] for document in documents]
    for group in together:
        text = BREAK.join(document.text for document in group) if len(group) > 1 else group[0].text
        phrases = _of_text(reader, text, statistics, rules, config)
        starts = np.cumsum([0, *(len(document.text) + len(BREAK) for document in group[:-1])])
        bounds = np.append(np.searchsorted(phrases.start, starts), len(phrases))
        for number, document in enumerate(group):
            own = phrases.select(np.arange(bounds[number], bounds[number + 1]))
            base = int(own.base[0]) if len(own) else 0
            yield Analysis(document, own.shifted(-int(starts[number]), -base), language, language not in TAGGED)


def _of_text(reader: Layer, text: str, statistics: Statistics, rules: Rules, config: Config) -> Phrases:
    found, count = list[Phrases](), 0
    for offset, piece in pieces(text):
        phrases = piece_phrases(reader, piece, statistics, rules, identifiers=config.phrases.identifiers)
        found.append(phrases.shifted(offset, count))
        count += int(phrases.base[-1]) + 1 if len(phrases) else 0
    return joined(found)


def piece_phrases(
    reader: Layer,
    text: str,
    statistics: Statistics = NONE,
    rules: Rules | None = None,
    *,
    identifiers: bool = True,
) -> Phrases:
    """Find the phrases of a text that is short enough to be looked at as a whole."""
    analyzed = reader.tag(text)
    phrases = _of_grammar(reader, analyzed, statistics)
    units = (
        [Unit(i.start, i.end, i.type, f"{i.type}.{i.kind}", IDENTIFIED) for i in identify(text, reader.language)]
        if identifiers
        else []
    )
    allowed: list[tuple[int, int]] = []
    for start, end, type_, kind, action in _named(rules, reader, analyzed, text) if rules else ():
        if action == ALLOW:
            allowed.append((start, end))
        else:
            units.append(Unit(start, end, type_, kind, DENIED if action == DENY else NAMED))
    settled = settle(units)
    phrases = overlay(phrases, settled, text)
    phrases = without(phrases, allowed, [unit for unit in settled if unit.rank == DENIED])
    return replace(phrases, base=bases(phrases, text))


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


def _named(rules: Rules, reader: Layer, analyzed: Analyzed, text: str) -> Iterator[Match]:
    """Give the places that the users' rules name, lemmas included."""
    yield from rules.find(text, reader.language)
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


def joined(found: Sequence[Phrases]) -> Phrases:
    """Join the phrases of consecutive pieces."""
    if len(found) == 1:
        return found[0]
    kinds = tuple(dict.fromkeys(kind for phrases in found for kind in phrases.kinds)) or FULL_KINDS
    number = {kind: n for n, kind in enumerate(kinds)}
    if not found:
        none = np.zeros(0, dtype=np.int64)
        codes = none.astype(np.uint8)
        return Phrases(none, none, codes, codes, codes, none, none, none, kinds)
    columns = {name: np.concatenate([getattr(phrases, name) for phrases in found]) for name in COLUMNS}
    columns["kind"] = np.concatenate(
        [np.array([number[kind] for kind in phrases.kinds], dtype=np.int64)[phrases.kind] for phrases in found]
    )
    return Phrases.of([columns[name] for name in COLUMNS], kinds)


def gather(documents: Iterable[Document], *, config: Config) -> Statistics:
    """Gather the statistics of a collection: the first of two passes."""
    gathering = Gathering()
    for document in documents:
        reader = layer(language_of(document, config).partition("-")[0])
        for _, piece in pieces(document.text):
            analyzed = reader.tag(piece)
            gathering.add(analyzed.tokens, reader.cut(analyzed))
    return gathering.statistics()
