"""The entries of stores that a user names: what a phrase is called there, and where they stand in a text.

Of a store that is small enough, spellings and inflected forms are found as well, and entries of several words that no
grammar takes for a phrase are phrases; of a larger one, only what its keys allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from embanon.document import TYPES
from embanon.language import HYPHENS, Cue, Lemmatizer, Lexicon, key, spelling_variant
from embanon.taxonomy.concept import ANY_LANGUAGE, UPWARD_LINKS, Label
from embanon.taxonomy.store import Sense, Store

EXACT, VARIANT, PART = "exact", "variant", "part"
"""How an entry was found: by its own letters, but for case and article; by another spelling, or its dictionary form; by
what is left of a description without what belongs to its noun."""
MAX_INDEXED: Final = 1_000_000
"""Labels of a store whose other spellings are known: that many take half a gigabyte, and half a minute to read."""
ARTICLES: Final = frozenset("a an the un una uno um uma o os as el la los las der die das ein eine einen".split())
TOKEN: Final = re.compile(r"\w+|[^\w\s]")
LONGEST: Final = 12
"""Tokens of an entry that is a phrase of its own."""


class Entry(NamedTuple):
    """What a store has of a phrase: by which of its labels, in which language, it was found, and what it may mean."""

    store: str
    label: str
    language: str
    match: str
    senses: tuple[Sense, ...]


class EntrySpan(NamedTuple):
    """A place in a text where an entry stands; the type is that of its concept, or empty."""

    start: int
    end: int
    type: str


@dataclass(slots=True)
class _Index:
    """The labels of a store by what their spellings share."""

    spellings: dict[str, str] = field(default_factory=dict, repr=False)
    """Without article, accents and signs -> a label."""
    lemmas: dict[str, str] = field(default_factory=dict, repr=False)
    """The same in dictionary forms, where that is another."""
    keys: dict[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    """The key of what may be a phrase of its own -> its label and type."""
    openings: dict[str, int] = field(default_factory=dict, repr=False)
    """The first token of these -> the most tokens of them."""


class Entries:
    """The entries of the stores that a user names, in their order, in one language."""

    def __init__(self, stores: Mapping[str, Store], language: str) -> None:
        self.stores, self.language = dict(stores), language
        self._lemma = lru_cache(maxsize=262_144)(Lemmatizer.load(language).lemma)
        self._lexicon = Lexicon.load(language)
        self._index = lru_cache(maxsize=None)(self._read_index)
        self.find = lru_cache(maxsize=65_536)(self._find)

    def __bool__(self) -> bool:
        return bool(self.stores)

    def _find(self, phrase: str, is_name: bool) -> tuple[Entry, ...]:
        """Return what the stores have of a phrase: first what they call exactly so, in the order of the stores.

        Names are not taken for inflected words: somebody called Torres is no tower.
        """
        exact = [entry for name in self.stores if (entry := self._exact_entry(name, phrase))]
        known = {entry.store for entry in exact}
        others = (self._variant_entry(name, phrase, is_name) for name in self.stores if name not in known)
        return (*exact, *filter(None, others))

    def _exact_entry(self, name: str, phrase: str) -> Entry | None:
        forms = dict.fromkeys((phrase, comparable(phrase)))
        return next((entry for form in forms if (entry := self._entry(name, form, EXACT))), None)

    def _variant_entry(self, name: str, phrase: str, is_name: bool) -> Entry | None:
        index, bare = self._index(name), comparable(phrase)
        if index is None:
            *first, last = bare.split() or [""]
            forms = [] if is_name else [" ".join((*first, self._lemma(last))), " ".join(map(self._lemma, bare.split()))]
        else:
            forms = [index.spellings.get(spelling_variant(bare, _unchanged), "")]
            base = "" if is_name else spelling_variant(bare, self._lemma)
            forms += [known.get(base, "") for known in (index.spellings, index.lemmas) if base]
        return next((entry for form in forms if form and (entry := self._entry(name, form, VARIANT))), None)

    def _entry(self, name: str, label: str, match: str) -> Entry | None:
        store = self.stores[name]
        senses = tuple(store.senses(label, self.language))
        if not any(_has_broader(store, sense.concept) for sense in senses):
            return None
        labels = (one for one in store.labels_by_language(senses[0].concept) if key(one.text) == key(label))
        spoken = (one for one in labels if one.language in (self.language, ANY_LANGUAGE))
        written = next(spoken, Label(ANY_LANGUAGE, label))
        return Entry(name, written.text, written.language, match, senses)

    def spans(self, text: str) -> Iterator[EntrySpan]:
        """Yield where entries stand as they are written, in order, the longest at each place; they do not overlap."""
        indexes = [index for name in self.stores if (index := self._index(name))]
        if not any(index.openings for index in indexes):
            return
        tokens = [match.span() for match in TOKEN.finditer(text)]
        free = 0
        for place, (start, end) in enumerate(tokens):
            opening = key(text[start:end])
            size = max((index.openings.get(opening, 0) for index in indexes), default=0)
            if start < free or not size or text[max(0, start - 1) : start] in (*HYPHENS, "_"):
                continue
            for _, stop in reversed(tokens[place : place + size]):
                if (span := _span(text, start, stop, indexes)) is not None:
                    yield span
                    free = stop
                    break

    def _read_index(self, name: str) -> _Index | None:
        """Return the labels of a store by their spellings; `None` of one that has too many."""
        store = self.stores[name]
        if store.label_count > MAX_INDEXED:
            return None
        index = _Index()
        for concept in range(len(store)):
            if _has_broader(store, concept):
                for label in store.labels(concept, self.language):
                    self._add_label(index, label, store.type(concept))
        return index

    def _add_label(self, index: _Index, label: str, type: str) -> None:
        bare, tokens = comparable(label), TOKEN.findall(key(label))
        spelling, base = spelling_variant(bare, _unchanged), spelling_variant(bare, self._lemma)
        index.spellings.setdefault(spelling, label)
        if base != spelling:
            index.lemmas.setdefault(base, label)
        is_little = len(tokens) == 1 and bool(self._lexicon.flags(tokens[0]) & (Cue.STOP | Cue.CONNECTOR))
        if tokens and len(tokens) <= LONGEST and not is_little:
            index.keys.setdefault(key(label), (label, type))
            index.openings[tokens[0]] = max(index.openings.get(tokens[0], 0), len(tokens))


def _span(text: str, start: int, stop: int, indexes: Sequence[_Index]) -> EntrySpan | None:
    written = text[start:stop]
    if written.count("\n") > 1 or (text[stop : stop + 1] in (*HYPHENS, "_") and text[stop + 1 : stop + 2].isalnum()):
        return None
    entry = next((index.keys[known] for index in indexes if (known := key(written)) in index.keys), None)
    if entry is None or (written.islower() and not entry[0].islower()):  # may is no May
        return None
    return EntrySpan(start, stop, entry[1] if entry[1] in TYPES else "")


def _has_broader(store: Store, concept: int) -> bool:
    return any(link.kind in UPWARD_LINKS for link in store.broader(concept))


def _unchanged(word: str) -> str:
    return word


def without_article(label: str) -> str:
    """Return a label without the article that it begins with, in any of the languages."""
    first, _, rest = label.partition(" ")
    return rest if rest and first in ARTICLES else label


def comparable(label: str) -> str:
    """Return a label without case and article, to tell whether two say the same."""
    return without_article(key(label))
