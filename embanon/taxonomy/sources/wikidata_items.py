"""Items of Wikidata: which of their properties are links, which labels are kept, and which of them are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from unicodedata import category

from embanon.data import read_toml
from embanon.language import LANGUAGES
from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label

TABLE: Final = read_toml("ontologies", "sources", "wikidata.toml")
PROPERTIES: Final[Mapping[str, str]] = TABLE["properties"]
"""Property -> why the item that it names is broader."""
MAINTENANCE: Final[Mapping[str, str]] = TABLE["maintenance"]
"""Classes of pages of Wikimedia: they, their instances and their direct subclasses are no things of the world."""
ABSTRACT: Final[Mapping[str, str]] = TABLE["abstract"]
"""Classes that say nothing about what is below them: climbed through, never shown."""
INSTANCE: Final = "P31"
SUBCLASS: Final = "P279"
TYPES: Final = {"Q5": "PERSON"}
"""Class -> the type of all its instances; further types are told from what a class is a kind of, by who reads links."""


@dataclass(slots=True)
class Item:
    """What a dump says of an item, as far as it is kept."""

    id: str
    labels: list[tuple[str, str]] = field(default_factory=list, repr=False)
    """Language and text."""
    aliases: list[tuple[str, str]] = field(default_factory=list, repr=False)
    links: list[tuple[str, str]] = field(default_factory=list)
    """Property and item."""
    sitelinks: int | None = None


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """What is kept of a dump: languages, properties with their links, and entities by the letter of their ids.

    Items of maintenance are left out; `keep_maintenance` gives them hidden instead.
    """

    languages: tuple[str, ...] = LANGUAGES
    properties: Mapping[str, str] = field(default_factory=lambda: PROPERTIES)
    id_prefixes: tuple[str, ...] = ("Q",)
    keep_maintenance: bool = False
    language_by_code: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """Code of a label -> the language that it counts as, in the order in which labels are given."""

    def __post_init__(self) -> None:
        """Find the codes."""
        codes = {}
        for language in (*self.languages, ANY_LANGUAGE):
            codes[language] = language
            codes.update({code: language for code in TABLE["variants"].get(language, ()) if code not in self.languages})
        object.__setattr__(self, "language_by_code", codes)

    def concept(self, item: Item) -> Concept | None:
        """Return what is kept of an item: labels first, aliases after; `None` where nothing is."""
        if not item.id.startswith(self.id_prefixes):
            return None
        classes = [id for property, id in item.links if property in (INSTANCE, SUBCLASS)]
        maintained = item.id in MAINTENANCE or not MAINTENANCE.keys().isdisjoint(classes)
        if maintained and not self.keep_maintenance:
            return None
        # pairs, not labels, are compared: hashing a dataclass takes longer than parsing what it is made of
        links = dict.fromkeys((id, self.properties[property]) for property, id in item.links if id != item.id)
        texts = dict.fromkeys((language, clean(text)) for language, text in (*item.labels, *item.aliases))
        broader = tuple(Broader(id, link) for id, link in links)
        labels = tuple(Label(language, text) for language, text in texts if text)
        if not labels and not broader:
            return None
        types = (TYPES[id] for property, id in item.links if property == INSTANCE and id in TYPES)
        weight = float(len(broader) if item.sitelinks is None else item.sitelinks)
        return Concept(item.id, labels, broader, next(types, ""), weight, maintained or item.id in ABSTRACT)


DEFAULT_FILTER: Final = ItemFilter()

JOINERS: Final = "\u200c\u200d"
"""Invisible, but parts of words of Persian and of joined signs."""
CHARACTER_REPLACEMENTS: Final = {"Cc": " ", "Cf": "", "Cs": "\ufffd"}
"""What stands for controls, for marks of direction and the like, and for lone surrogates."""


def clean(text: str) -> str:
    """Return a label on one line, of characters that can be written."""
    if text.isprintable():
        return text.strip()
    shown = (char if char in JOINERS else CHARACTER_REPLACEMENTS.get(category(char), char) for char in text)
    return " ".join("".join(shown).split())
