"""The inventory of labels that people use: which words a plain label is true of, and what concepts are called.

`ontologies/labels/*.toml` has rows `label | broader label = words`, by what the words are of; a word that begins with a
hyphen is the ending of compounds. What a dictionary has above a word is said only if it is one of the labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Final

from embanon.data import read_toml
from embanon.language import TAGGED_LANGUAGES, Lemmatizer, Lexicon, fold_name
from embanon.taxonomy.ladders.names import NAME_HEADS
from embanon.taxonomy.ladders.tables import MAX_PHRASE_LENGTH, Tables, load_tables

SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "DEM": ("people", "illnesses", "activities", "events"),
    "ORG": ("organizations", "places"),
    "LOC": ("places",),
    "MISC": ("things", "events", "activities", "illnesses", "organizations", "places"),
}
"""Where the words of a type are looked for, in this order."""
WRITTEN_TYPES: Final = frozenset(("DEM", "MISC"))
"""Types of which only words as listed are meant where a name stands."""
OTHERS: Final = "others"
"""The section of labels that only a dictionary leads to."""
LONGEST_SHORT: Final = 4
"""Letters of an abbreviation."""
LONGEST: Final = 4
"""Words of an entry."""
SHORTEST_STEM: Final = 3
"""Letters before the ending of a compound."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """The labels of a language."""

    language: str
    words: Mapping[str, Mapping[str, tuple[str, ...]]] = field(repr=False)
    """Section -> word, folded -> its labels, the most specific first."""
    labels: Mapping[str, str] = field(repr=False)
    """Every label, by itself without its article, folded."""
    people: frozenset[str] = field(repr=False)
    """The labels of people, without articles."""
    health: frozenset[str] = field(repr=False)
    """The labels of illnesses and treatments, as `labels` has them."""
    ending_sizes: tuple[int, ...] = field(init=False)
    """How long endings of compounds are, the longest first."""

    def __post_init__(self) -> None:
        """Measure the endings."""
        endings = {len(word) - 1 for known in self.words.values() for word in known if word.startswith("-")}
        object.__setattr__(self, "ending_sizes", tuple(sorted(endings, reverse=True)))

    def label(self, name: str) -> str | None:
        """Return a name as the label that it is, `None` where people do not speak so."""
        tables = load_tables(self.language)
        return self.labels.get(tables.bare(name)) if tables else None

    def is_plain(self, phrase: str) -> bool:
        """Return whether a phrase is a label itself, and none of health."""
        tables = load_tables(self.language)
        bare = tables.bare(phrase) if tables and len(phrase) <= MAX_PHRASE_LENGTH else ""
        return bare in self.labels and bare not in self.health

    def look_up(self, phrase: str, type: str, head: str = "", *, named: bool = False) -> tuple[str, ...]:
        """Return the labels of what a phrase names or means; nothing where it is not known, or does not hold."""
        tables = load_tables(self.language)
        words = phrase.split()
        if tables is None or not words or len(phrase) > MAX_PHRASE_LENGTH or self._is_denied(words, tables):
            return ()
        as_written = named and type in WRITTEN_TYPES and not tables.flag("nouns", "capitalized")
        entries = dict.fromkeys(self._candidates(words, head, tables, named=named and type not in WRITTEN_TYPES))
        known = (self.words.get(section, {}) for section in SECTIONS.get(type, ()))
        for rows, entry in product(known, entries):
            if as_written and entry == entry.lower():
                continue  # Herrero is somebody's name
            if labels := rows.get(entry):
                return tuple(label for label in labels if tables.bare(label) != tables.bare(phrase))
        return ()

    def labels_of_entry(self, phrase: str, type: str) -> tuple[str, ...]:
        """Return the labels of words that are an entry themselves, in the singular or plural."""
        rows = [known for section in SECTIONS.get(type, ()) if (known := self.words.get(section))]
        return next((known[form] for known in rows for form in self._forms(phrase.split()) if form in known), ())

    @staticmethod
    def _is_denied(words: list[str], tables: Tables) -> bool:
        """Return whether a word turns what the head says: no nurse, a former soldier, an alleged thief."""
        denying = tables.words("nouns", "privative")
        return any(fold_name(part) in denying for word in words for part in (word, word.partition("-")[0]))

    def _candidates(self, words: list[str], head: str, tables: Tables, *, named: bool) -> Iterator[str]:
        """Yield the forms under which a phrase may be listed: it, its head with what belongs to it, its head."""
        yield from self._forms(words)
        ahead = tables.words("nouns", "ahead")
        while len(words) > 1 and fold_name(words[0]) in ahead:  # la primera conductora de tranvía is a driver
            words = words[1:]
        cut = tables.words("nouns", "cut")
        size = next((place for place, word in enumerate(words) if place and fold_name(word) in cut), len(words))
        segment = [word.strip(",.;:()\"“”„«»'") for word in words[:size]]
        first = tables.text("nouns", "position") == "first"
        beyond = range(min(LONGEST, len(words)), size, -1) if first else ()
        for length in beyond:  # operador de grúa, Centro de Salud Sol
            yield from self._forms(words[:length])
        if named:  # Veterinary Surgery, Hotel Bristol; in a language with compounds also Neue Klinik Rhön
            anywhere = tables.flag("nouns", "capitalized")
            is_headed = bool(Lexicon.load(self.language).flags(segment[-1]) & NAME_HEADS)
            for start, length in _places_in_name(
                len(segment), first=first, anywhere=anywhere, ends_only=is_headed and not (first or anywhere)
            ):
                yield from self._forms(segment[start : start + length])
        else:
            for length in range(min(LONGEST, len(segment)), 0, -1):
                yield from self._forms(segment[:length] if first else segment[-length:])
        if head and head in words:
            yield from self._forms([head])

    def _forms(self, words: list[str]) -> Iterator[str]:
        """Yield words as listed: as they are, in the singular, by the ending of a compound."""
        if not any(words):
            return
        *before, last = [fold_name(word) for word in words]
        yield " ".join(words)  # as written: Golf is a car
        yield " ".join((*before, last))
        singular = fold_name(Lemmatizer.load(self.language).lemma(words[-1]))
        yield " ".join((*before, singular))
        if not before:
            for word in dict.fromkeys((last, singular)):
                yield from (f"-{word[-size:]}" for size in self.ending_sizes if size + SHORTEST_STEM <= len(word))


def _places_in_name(size: int, *, first: bool, anywhere: bool, ends_only: bool) -> Iterator[tuple[int, int]]:
    """Yield where the words of a name are looked up: at its end, or, where heads come first, its beginning.

    With `ends_only`, the end says what it is: River House is no river.
    The longest are first, the other end is next; what stands between says nothing of it, but in languages of compounds.
    """
    lengths = range(min(LONGEST, size), 0, -1)
    begins = [] if ends_only else [(0, length) for length in lengths]
    ends = [(size - length, length) for length in lengths]
    yield from (*begins, *((1, length) for length in lengths)) if first else (*ends, *begins)
    if anywhere:
        yield from product(reversed(range(size)), lengths)


@cache
def load_inventory(language: str) -> Inventory | None:
    """Open the inventory of a language; `None` where there is none."""
    if language not in TAGGED_LANGUAGES:
        return None
    content = read_toml("ontologies", "labels", f"{language}.toml")
    tables = load_tables(language)
    exact = tables is not None and not tables.flag("nouns", "capitalized")
    others = content.get(OTHERS, {}).get("labels", "").strip().split("\n")
    words = {section: _labels_by_word(rows, exact=exact) for section, rows in content.items() if section != OTHERS}
    labels = (*others, *(label for known in words.values() for row in known.values() for label in row))
    bare = {tables.bare(label): label for label in labels} if tables else {}
    people = frozenset(
        label.partition(" ")[2] for row in words.get("people", {}).values() for label in row if " " in label
    )
    rows = words.get("illnesses", {}).values()
    health = frozenset(tables.bare(label) for row in rows for label in row) if tables else frozenset[str]()
    return Inventory(language, words, bare, people, health)


def _labels_by_word(rows: Mapping[str, str], *, exact: bool) -> dict[str, tuple[str, ...]]:
    """Return the labels of each word; words with a capital are meant with it, where nouns have none."""
    known: dict[str, tuple[str, ...]] = {}
    for label, words in rows.items():
        labels = tuple(part.strip() for part in label.split("|"))
        for word in words.split():
            prefix, bare = ("-", word[1:]) if word.startswith("-") else ("", word)
            written = bare.replace("_", " ")
            is_short = written.isupper() and len(written) <= LONGEST_SHORT  # MS is a ship, ms. is no ship
            as_written = is_short or (exact and written != written.lower())
            known.setdefault(prefix + (written if as_written else fold_name(written)), labels)
    return known
