"""The nouns of a WordNet as concepts, with words of other languages, through the readers of NLTK.

A source is what NLTK calls it (`wordnet`, `wordnet31`, `english_wordnet`, `omw-1.4`, `omw-1.4:fr`), or a folder or zip
of that form. Ids, weights and types are those of the shipped taxonomy: senses weigh how often their words have them in
texts that are tagged so. Glosses are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from zipfile import BadZipFile

from embanon.errors import ConfigError, InputError
from embanon.io import LIMITS, Limits
from embanon.taxonomy.concept import Broader, Concept, Label, clean_label
from embanon.taxonomy.sources.nltk_corpora import (
    COUNTS,
    NOUNS,
    TABS,
    NltkSource,
    check_files,
    find_source,
    has_file,
    readable,
    tab_files,
)
from embanon.taxonomy.sources.wordnet_senses import (
    TABLE,
    VERSION,
    Sense,
    SenseTyper,
    concept_id,
    sense_key,
    translated_label,
)

ENGLISH: Final = "en"
_ENGLISH_CODE: Final = "eng"
_ENGLISH: Final = frozenset((ENGLISH, _ENGLISH_CODE))
_PLACE: Final = re.compile(r"file (\S+), line (\d+)")
"""How NLTK says where it fails; what else it says quotes the file."""

Codes = Mapping[str, str]
"""A language as NLTK names it (`fra`, `deu_wikt`) -> the language of labels."""


@dataclass(frozen=True, slots=True)
class _Nouns:
    """What NLTK has read, in its own classes."""

    synsets: Sequence[Any] = field(repr=False)
    senses: Mapping[int, Sense] = field(repr=False)
    counts: Mapping[str, float] = field(repr=False)
    version: str
    codes: Codes
    has_english: bool


def concepts(source: str, languages: Sequence[str] = (), limits: Limits = LIMITS) -> Iterator[Concept]:
    """Return the nouns of a source; without languages, a WordNet's own words, or those of all languages."""
    with readable(source), _read_errors(source), ExitStack() as streams:
        nouns = _read(source, languages, limits, streams)
    yield from _concepts(nouns)


def _read(source: str, languages: Sequence[str], limits: Limits, streams: ExitStack) -> _Nouns:
    """Read all that concepts are made of; NLTK leaves files open."""
    place = find_source(source, limits)
    wanted = tuple(languages) or ((place.language,) if place.language else ())
    translated = bool(set(wanted) - _ENGLISH) or (place.is_multilingual and not wanted)
    if translated and place.multilingual is None:
        raise InputError(
            f"{place.name}: NLTK has no Open Multilingual Wordnet for words of other languages; install one "
            "(python -m nltk.downloader omw-1.4), or choose English: --languages en"
        )
    if translated:
        check_files(place.multilingual, place.name, tab_files(place.multilingual), limits)
    reader = _open(place, streams, translated=translated)
    codes = _codes(reader, wanted) if translated else {}
    synsets = list(reader.all_synsets("n"))
    if not synsets:
        raise InputError(f"{place.name}: has no noun; name another WordNet")
    for code in codes:
        synsets[0].lemma_names(code)  # reads all of the language
    return _Nouns(
        synsets, {synset.offset(): _sense(synset) for synset in synsets},
        _counts(reader) if has_file(place.wordnet, COUNTS) else {},
        re.sub(r"[^0-9A-Za-z.]", "", reader.get_version() or "x"), codes,
        bool(_ENGLISH & set(wanted)) or not (wanted or place.is_multilingual),
    )  # fmt: skip


def _open(place: NltkSource, streams: ExitStack, *, translated: bool) -> Any:
    """Open NLTK's reader, whose numbers are those of the other languages where these are wanted."""
    from nltk.corpus.reader import CorpusReader
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    def map_numbers(reader: Any, version: str = "wordnet") -> Any:
        """Return the numbers for those of WordNet 3.0; NLTK itself maps even these, and fails where they lie alone."""
        if not translated or reader.get_version() == VERSION:
            return None
        try:
            return WordNetCorpusReader.map_wn(reader, version)
        except (LookupError, OSError) as exc:
            raise InputError(
                f"{place.name}: words of other languages have the numbers of WordNet {VERSION}; install it as well "
                "(python -m nltk.downloader wordnet), or choose English: --languages en"
            ) from exc

    def open_file(reader: Any, name: str) -> Any:
        return streams.enter_context(closing(WordNetCorpusReader.open(reader, name)))

    reader_class = type("Reader", (WordNetCorpusReader,), {"map_wn": map_numbers, "open": open_file})
    reader = reader_class(
        place.wordnet, CorpusReader(place.multilingual, TABS, encoding="utf8") if translated else None
    )
    if translated:
        reader.add_omw()
    return reader


def _codes(reader: Any, wanted: Sequence[str]) -> Codes:
    """Choose among the languages of a reader, named by two letters or three."""
    from nltk.langnames import iso639short

    wider: Mapping[str, str] = TABLE["languages"]
    names: dict[str, tuple[str, ...]] = {}
    for code in reader.langs():
        base = code.partition("_")[0]
        if base != _ENGLISH_CODE:
            names[code] = tuple(name for name in (iso639short.get(base), wider.get(base), base) if name)
    if not wanted:
        return {code: known[0] for code, known in names.items()}
    chosen: dict[str, str] = {}
    for language in wanted:
        primary = language.lower().partition("-")[0]
        codes = [code for code, known in names.items() if primary in known]
        if not codes and primary not in _ENGLISH:
            there = " ".join(sorted({known[0] for known in names.values()}))
            raise ConfigError(f"--languages {language}: has no words there; known: {there}")
        chosen |= {code: primary if len(primary) == len(ENGLISH) else names[code][0] for code in codes}
    return chosen


def _concepts(nouns: _Nouns) -> Iterator[Concept]:
    typer = SenseTyper(nouns.senses)
    for synset in nouns.synsets:
        lemmas, sense = synset.lemmas(), nouns.senses[synset.offset()]
        uses = [nouns.counts.get(lemma.key(), 0.0) for lemma in lemmas]
        labels = list[Label]()
        if nouns.has_english:
            words = (clean_label(lemma.name().replace("_", " ")) for lemma in lemmas)
            labels += (Label(ENGLISH, word, count) for word, count in zip(words, uses, strict=True) if word)
        for code, language in nouns.codes.items():
            translated = (translated_label(word) for word in synset.lemma_names(code))
            labels += (Label(language, word) for word in translated if word)
        broader = dict.fromkeys(Broader(concept_id(target, nouns.version), kind) for kind, target in sense.links)
        yield Concept(
            concept_id(sense.offset, nouns.version), tuple(dict.fromkeys(labels)), tuple(broader),
            typer.type_of(sense), sum(uses), typer.is_hidden(sense),
        )  # fmt: skip


def _sense(synset: Any) -> Sense:
    parts = [lemma.key().split("%") for lemma in synset.lemmas()]
    numbers = [(word, *map(int, rest.split(":")[1:3])) for word, rest in parts]
    related = {
        "subclass": (synset.hypernyms,), "instance": (synset.instance_hypernyms,),
        "part": (synset.part_holonyms, synset.substance_holonyms), "member": (synset.member_holonyms,),
    }  # fmt: skip
    links = ((kind, target.offset()) for kind, methods in related.items() for method in methods for target in method())
    return Sense(synset.offset(), numbers[0][1], tuple(sense_key(*number) for number in numbers), tuple(links))


def _counts(reader: Any) -> dict[str, float]:
    """Return how often each sense of a word stands in tagged texts.

    The reader would look up each by itself, which takes five times as long as to read all synsets.
    """
    counts: dict[str, float] = {}
    with reader.open(COUNTS) as lines:
        for line in lines:
            if line.strip():
                key, *_, count = line.split()
                counts[key] = float(int(count))
    return counts


@contextmanager
def _read_errors(source: str) -> Iterator[None]:
    """Say where NLTK cannot read a file, without what stands there."""
    from nltk.corpus.reader.wordnet import WordNetError

    try:
        yield
    except PermissionError as exc:
        raise InputError(
            f"{source}: NLTK refuses to read it; it must be yours, and nobody else may write there (chmod -R go-w)"
        ) from exc
    except (
        WordNetError, AssertionError, AttributeError, BadZipFile, EOFError, LookupError, OSError, RuntimeError,
        TypeError, ValueError,
    ) as exc:  # fmt: skip
        where = _PLACE.search(str(exc))
        line = f"{where[1]}, line {where[2]}" if where else f"{NOUNS}, or another of its files"
        raise InputError(f"{source}: {line}: is not what NLTK's reader of WordNet expects; install it anew") from exc
