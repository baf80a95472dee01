"""Items of Wikidata: which of their properties are links, which labels are kept, and which of them are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from unicodedata import category

from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label

INSTANCE: Final = "P31"
PROPERTIES: Final[Mapping[str, str]] = {
    INSTANCE: "instance",
    "P279": "subclass",
    "P361": "part",
    "P106": "occupation",
    "P131": "located-in",
    "P17": "located-in",
    "P27": "related",  # a person is no part of the country whose citizen he is, nor always in it
    "P463": "member",
}
"""Property -> why the item that it names is broader."""

HUMAN: Final = "Q5"
TYPES: Final = {HUMAN: "PERSON"}
"""Class -> the type of all its instances; further types are told from what a class is a kind of, by who reads links."""

MAINTENANCE: Final = {
    "Q4167410": "disambiguation page",
    "Q22808320": "human name disambiguation page",
    "Q4167836": "category",
    "Q15647814": "administration category",
    "Q20769287": "user category",
    "Q20010800": "user language category",
    "Q23894233": "template category",
    "Q24046192": "category of stubs",
    "Q30432511": "metacategory",
    "Q59542487": "set category",
    "Q104370472": "films-by-language category",
    "Q11266439": "template",
    "Q11753321": "navigational template",
    "Q19887878": "infobox template",
    "Q74980542": "template driven by Wikidata",
    "Q15184295": "module",
    "Q13406463": "list article",
    "Q33532284": "list of lists",
    "Q19692233": "list of persons",
    "Q66715753": "list of persons by position held",
    "Q67184635": "list of lists of persons",
    "Q98645843": "music-related list",
    "Q15623926": "set index article",
    "Q15138389": "article page",
    "Q18340550": "timeline article",
    "Q26884324": "outline article",
    "Q72044830": "criticisms article",
    "Q17442446": "internal item",
    "Q14204246": "project page",
    "Q4656150": "project policies and guidelines",
    "Q56005592": "help page",
    "Q4663903": "portal",
    "Q35252665": "non-main namespace",
    "Q17362920": "duplicated page",
    "Q21286738": "permanent duplicate item",
    "Q21528878": "redirect page",
    "Q17379835": "page outside the main knowledge tree",
    "Q26267864": "KML file",
}
"""Classes of pages of Wikimedia: they, their instances and their direct subclasses are no things of the world."""

ABSTRACT: Final = {
    "Q35120": "entity",
    "Q488383": "object",
    "Q223557": "physical object",
    "Q4406616": "concrete object",
    "Q8205328": "artificial physical object",
    "Q16686448": "artificial entity",
    "Q29651224": "natural object",
    "Q53617407": "material entity",
    "Q7184903": "abstract object",
    "Q15619164": "abstract being",
    "Q23958946": "individual entity",
    "Q26907166": "temporal entity",
    "Q58415929": "spatio-temporal entity",
    "Q99527517": "collection entity",
    "Q103940464": "continuant",
    "Q1190554": "occurrence",
    "Q483247": "phenomenon",
    "Q3249551": "process",
    "Q13878858": "natural process",
    "Q1150070": "change",
    "Q3505845": "state",
    "Q937228": "property",
    "Q1207505": "quality",
    "Q930933": "relation",
    "Q286583": "manifestation",
    "Q4393498": "representation",
    "Q2995644": "result",
    "Q151885": "concept",
    "Q595523": "notion",
    "Q58778": "system",
    "Q6671777": "structure",
    "Q16887380": "group",
    "Q28813620": "set",
    "Q20937557": "series",
    "Q61961344": "group of physical objects",
    "Q98119401": "group or class of physical objects",
    "Q36809769": "object of group",
    "Q4503801": "part and whole",
    "Q5127848": "class",
    "Q16889133": "class",
    "Q21146257": "type",
    "Q19478619": "metaclass",
    "Q23960977": "(meta)class",
    "Q104086571": "first-order class",
    "Q24017414": "second-order class",
    "Q24017465": "third-order class",
    "Q23958852": "variable-order class",
}
"""Classes that say nothing about what is below them: climbed through, never shown."""

VARIANTS: Final = {
    "en": ("en-us", "en-gb", "en-ca"),
    "es": ("es-419", "es-formal"),
    "pt": ("pt-br",),
    "de": ("de-at", "de-ch", "de-formal"),
}
"""Codes whose labels count as further ones of a language."""


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

    languages: tuple[str, ...] = ("en", "es", "pt", "de")
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
            codes.update({code: language for code in VARIANTS.get(language, ()) if code not in self.languages})
        object.__setattr__(self, "language_by_code", codes)

    def concept(self, item: Item) -> Concept | None:
        """Return what is kept of an item: labels first, aliases after; `None` where nothing is."""
        if not item.id.startswith(self.id_prefixes):
            return None
        classes = [id for property, id in item.links if property in (INSTANCE, "P279")]
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
