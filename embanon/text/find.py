"""The entry points of phrase finding: from a document to its phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.config import Config
from embanon.document import COLUMNS, TYPES, Document, Phrases
from embanon.language import Lemmatizer, detect, has_trait
from embanon.recognize import KIND_NAMES
from embanon.text.analyzer import (
    PIECE_SIZE,
    TAGGED_LANGUAGES,
    Analyzer,
    TaggedText,
    load_analyzer,
    split_pieces,
)
from embanon.text.columns import complete_columns
from embanon.text.cutter import head_spans
from embanon.text.identifiers import identify
from embanon.text.joins import EMPTY_STATISTICS, CorpusStatistics, StatisticsCounter
from embanon.text.kinds import KIND_TYPES, KINDS, assign_kinds
from embanon.text.learned import STATEMENT, UNSURE_KINDS, TokenChances, lay_learned, with_chances
from embanon.text.noun_chunker import NounChunker
from embanon.text.overlay import (
    RANK_DENIED,
    RANK_IDENTIFIER,
    RANK_PATTERN,
    OverlaySpan,
    number_base_phrases,
    overlay,
    remove_allowed,
    resolve_overlaps,
)
from embanon.text.rules import ALLOW, DENY, PATTERN, RuleMatch, Rules

_KINDS_OF_GRAMMAR: Final = (
    *(f"{TYPES[type_]}.{kind}" for type_, kind in zip(KIND_TYPES, KINDS, strict=True)), *UNSURE_KINDS.values(),
)  # fmt: skip
QUALIFIED_KINDS: Final = tuple(
    dict.fromkeys((*_KINDS_OF_GRAMMAR, *KIND_NAMES, f"DEM.{STATEMENT}", f"MISC.{STATEMENT}"))
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """A document with its phrases, and where its sentences start, the first at 0, even of a text that is empty.

    `fallback` says that its language has no tagger.
    """

    document: Document
    phrases: Phrases
    language: str
    uses_fallback: bool
    sentences: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64), repr=False)


@lru_cache(maxsize=8)
def _compiled_rules(config: Config) -> Rules:
    return Rules.from_config(config)


def language_of(document: Document, config: Config) -> str:
    """Return the language of a document: as configured, else as declared by the document, else as detected."""
    language = config.language if config.language != "auto" else document.language
    language = language or detect(document.text, config.phrases.default_language).code
    return language.partition("-")[0]


StatisticsByLanguage = Mapping[str, CorpusStatistics]
"""The statistics of a collection, by language."""
AnalyzerLoader = Callable[[str], Analyzer]
"""How the layer of a language is opened."""
NO_STATISTICS: Final[StatisticsByLanguage] = MappingProxyType({})


def find_phrases(document: Document, *, config: Config, statistics: StatisticsByLanguage = NO_STATISTICS) -> Analysis:
    """Find the phrases of a document, piece by piece, so that memory beyond the text stays small."""
    return next(iter(find_all([document], config=config, statistics=statistics)))


def find_all(
    documents: Iterable[Document],
    *,
    config: Config,
    statistics: StatisticsByLanguage = NO_STATISTICS,
    layers: AnalyzerLoader = load_analyzer,
) -> Iterator[Analysis]:
    """Find the phrases of many documents, in order; short ones are read together, which is several times faster."""
    for together in find_batches(documents, config=config, statistics=statistics, layers=layers):
        phrases, starts = together.phrases, together.starts
        bounds = np.append(np.searchsorted(phrases.start, starts), len(phrases))
        opens = np.append(np.searchsorted(together.sentences, starts), len(together.sentences))
        for number, document in enumerate(together.documents):
            phrases_of_one = phrases.select(np.arange(bounds[number], bounds[number + 1]))
            base = int(phrases_of_one.base[0]) if len(phrases_of_one) else 0
            fallback = together.language not in TAGGED_LANGUAGES
            sentences = np.union1d([0], together.sentences[opens[number] : opens[number + 1]] - starts[number])
            yield Analysis(
                document, phrases_of_one.shifted(-int(starts[number]), -base), together.language, fallback, sentences
            )


def batch_documents(documents: Iterable[Document], config: Config) -> Iterator[tuple[str, list[Document]]]:
    """Group consecutive documents of one language into texts of at most one piece; a longer one stays alone."""
    batch: list[Document] = []
    language, size = "", 0
    for document in documents:
        spoken = language_of(document, config)
        if batch and (spoken != language or size + len(document.text) > PIECE_SIZE):
            yield language, batch
            batch, size = [], 0
        language = spoken
        batch.append(document)
        size += len(document.text) + len(DOCUMENT_BREAK)
    if batch:
        yield language, batch


DOCUMENT_BREAK: Final = "\n\n"
"""Documents that are read together are paragraphs of one text: every rule stays inside a paragraph."""


def join_documents(documents: Sequence[Document]) -> tuple[str, NDArray[np.int64]]:
    """Return documents as one text, and where each starts."""
    starts = np.cumsum([0, *(len(document.text) + len(DOCUMENT_BREAK) for document in documents[:-1])])
    return DOCUMENT_BREAK.join(document.text for document in documents), starts


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """Documents of one language that were read as one text, where each starts, and the phrases of that text."""

    documents: Sequence[Document] = field(repr=False)
    language: str
    text: str = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)
    phrases: Phrases = field(repr=False)
    sentences: NDArray[np.int64] = field(repr=False)


def find_batches(
    documents: Iterable[Document],
    *,
    config: Config,
    statistics: StatisticsByLanguage = NO_STATISTICS,
    layers: AnalyzerLoader = load_analyzer,
) -> Iterator[DocumentBatch]:
    """Find the phrases of many documents, in order, and leave together what was read together."""
    rules, chunker = _compiled_rules(config), NounChunker.from_settings(config.phrases)
    for language, batch in batch_documents(documents, config):
        # A user's expression may look beyond a paragraph, so each document is then read alone.
        for group in [[document] for document in batch] if rules.expressions else [batch]:
            text, starts = join_documents(group)
            known = statistics.get(language, EMPTY_STATISTICS)
            phrases, sentences = find_in_text(
                layers(language), text, known, rules, identifiers=config.phrases.identifiers, chunker=chunker
            )
            yield DocumentBatch(group, language, text, starts, phrases, sentences)


def text_phrases(
    reader: Analyzer,
    text: str,
    statistics: CorpusStatistics = EMPTY_STATISTICS,
    rules: Rules | None = None,
    *,
    identifiers: bool = True,
    chunker: NounChunker | None = None,
) -> Phrases:
    """Find the phrases of a text."""
    return find_in_text(reader, text, statistics, rules, identifiers=identifiers, chunker=chunker)[0]


def find_in_text(
    reader: Analyzer,
    text: str,
    statistics: CorpusStatistics = EMPTY_STATISTICS,
    rules: Rules | None = None,
    *,
    identifiers: bool = True,
    chunker: NounChunker | None = None,
) -> tuple[Phrases, NDArray[np.int64]]:
    """Find the phrases of a text, and where its sentences start.

    The phrases are the grammar's, or the user's chunker's, by pieces; over them what is structured and what the user
    names. What the user names has the type that the user says; all others have one that is decided here and nowhere
    else.
    """
    pieces, units, sentences = list[Phrases](), list[OverlaySpan](), [np.zeros(1, np.int64)]
    chances = list[TokenChances]()
    matches = rules.find(text, reader.language) if rules else []
    chunker = chunker if chunker and chunker.applies_to(reader.language) else None
    for offset, piece in split_pieces(text):
        analyzed = reader.tag(piece)
        sentences.append(analyzed.tokens.start[analyzed.tokens.starts_sentence].astype(np.int64) + offset)
        grammar = _grammar_phrases(reader, analyzed, statistics, chunker)
        if labels := reader.label(analyzed):
            flags = analyzed.features.per_token("facts", "flags")
            is_verb = np.array([tag.startswith(("VERB", "AUX")) for tag in reader.tagger.tags])[analyzed.tags]
            tokens = analyzed.tokens
            labels, completed = complete_columns(labels, tokens, flags, piece)
            grammar, support = lay_learned(piece, grammar, tokens, labels, flags, is_verb, completed)
            chances.append(TokenChances.from_labels(tokens, labels, support, offset))
        pieces.append(grammar.shifted(offset, 0))
        for match in _lemma_matches(rules, reader, analyzed) if rules else ():
            matches.append(match._replace(start=match.start + offset, end=match.end + offset))
        for identifier in identify(piece, reader.language) if identifiers else ():
            units.append(
                OverlaySpan(
                    identifier.start + offset,
                    identifier.end + offset,
                    identifier.type,
                    f"{identifier.type}.{identifier.kind}",
                    RANK_IDENTIFIER,
                )
            )
    ranks = {DENY: RANK_DENIED, PATTERN: RANK_PATTERN}
    named = [match for match in matches if match.action != ALLOW and not text[match.start : match.end].isspace()]
    units += [OverlaySpan(match.start, match.end, match.type, match.kind, ranks[match.action]) for match in named]
    settled = resolve_overlaps(units)
    phrases = overlay(_concatenate(pieces), settled, text)
    allowed = [(match.start, match.end) for match in matches if match.action == ALLOW]
    phrases = remove_allowed(phrases, allowed, [unit for unit in settled if unit.rank == RANK_DENIED])
    phrases = replace(phrases, base=number_base_phrases(phrases, text))
    return with_chances(phrases, chances), np.unique(np.concatenate(sentences))


def _grammar_phrases(
    reader: Analyzer, analyzed: TaggedText, statistics: CorpusStatistics, chunker: NounChunker | None
) -> Phrases:
    """Return the grammar's phrases with their types and heads."""
    cut = reader.cut(analyzed, statistics, chunker)
    tokens = analyzed.tokens
    typed = assign_kinds(tokens, analyzed.features, cut, reader.lexicon)
    first, last = head_spans(cut, romance=has_trait(reader.language, "adjectives_follow"))
    none = np.zeros(len(cut.first), dtype=np.int64)
    if not len(none):
        return Phrases(none, none, typed.type, typed.kind, typed.form, none, none, none, QUALIFIED_KINDS)
    start, end = tokens.start.astype(np.int64), tokens.end.astype(np.int64)
    return Phrases(
        start[cut.first], end[cut.last - 1], typed.type, typed.kind, typed.form, start[first], end[last - 1], none,
        QUALIFIED_KINDS,
    )  # fmt: skip


def _lemma_matches(rules: Rules, reader: Analyzer, analyzed: TaggedText) -> Iterator[RuleMatch]:
    """Return the words whose dictionary form the user's rules name."""
    entries = {lemma: [rule for rule in row if rule.applies_to(reader.language)] for lemma, row in rules.lemmas.items()}
    if not any(entries.values()):
        return
    lemmatizer, tokens = Lemmatizer.load(reader.language), analyzed.tokens
    wanted = frozenset(entries)
    rules_of = {
        word: [rule for lemma in sorted(lemmas) for rule in entries[lemma]]
        for word in set(tokens.words)
        if (lemmas := wanted & lemmatizer.lemmas(word))
    }
    for word, start, end in zip(tokens.words, tokens.start.tolist(), tokens.end.tolist(), strict=True):
        for rule in rules_of.get(word, ()):
            yield RuleMatch(start, end, rule.type, rule.kind, rule.action)


def _concatenate(pieces: Sequence[Phrases]) -> Phrases:
    """Join the grammar's phrases of consecutive pieces."""
    if not pieces:
        none = np.zeros(0, dtype=np.int64)
        codes = none.astype(np.uint8)
        return Phrases(none, none, codes, codes, codes, none, none, none, QUALIFIED_KINDS)
    if len(pieces) == 1:
        return pieces[0]
    return Phrases.from_columns(
        [np.concatenate([getattr(phrases, name) for phrases in pieces]) for name in COLUMNS], QUALIFIED_KINDS
    )


def gather_statistics(
    documents: Iterable[Document], *, config: Config, layers: AnalyzerLoader = load_analyzer
) -> StatisticsByLanguage:
    """Gather the statistics of a collection by language: the first of two passes."""
    gathered: dict[str, StatisticsCounter] = {}
    for language, batch in batch_documents(documents, config):
        reader = layers(language)
        text, starts = join_documents(batch)
        tagged = (reader.tag(piece) for _, piece in split_pieces(text))
        gathered.setdefault(language, StatisticsCounter()).add(
            ((one.tokens, reader.cut(one)) for one in tagged), starts
        )
    return {language: gathering.statistics() for language, gathering in gathered.items()}
