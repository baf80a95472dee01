"""Which of TAB's types a sense of a WordNet has, and which senses are too abstract to be shown: by sense keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from embanon.data import read_toml
from embanon.taxonomy.concept import clean_label

TABLE: Final = read_toml("ontologies", "sources", "wordnet.toml")
LINKS: Final[Mapping[str, str]] = {symbol: kind for kind, row in TABLE["links"].items() for symbol in row.split()}
"""What WordNet writes for a link to something broader -> why it is broader."""
HYPERNYMS: Final = frozenset(("subclass", "instance"))
INSTANCE: Final = "instance"
TOPS: Final[int] = TABLE["abstract"]["file"]
"""The lexicographer file of what everything else is under."""
SHOWN: Final = frozenset(TABLE["abstract"]["shown"].split())
HIDDEN: Final = frozenset(TABLE["abstract"]["hidden"].split())
VERSION: Final = "3.0"
"""Of the WordNet whose numbers the Open Multilingual Wordnet uses."""
_NOTE: Final = re.compile(r"\s*\([^()]*\)$")
"""What a translator added to tell two senses apart: `avaliação (ciência)`."""


class TypeRule(NamedTuple):
    """The type of kinds and that of instances (names) at and below some senses."""

    kinds: str
    instances: str
    senses: tuple[str, ...]


RULES: Final = tuple(TypeRule(row["kinds"], row["instances"], tuple(row["senses"].split())) for row in TABLE["types"])
_RULE_BY_KEY: Final = {key: rule for rule in RULES for key in rule.senses}


@dataclass(frozen=True, slots=True)
class Sense:
    """A sense of nouns: its number, its file, its keys as in the table, and its links to what is broader."""

    offset: int
    file: int
    keys: tuple[str, ...]
    links: tuple[tuple[str, int], ...]
    """Why, of `LINKS`, and the number."""


def sense_key(word: str, file: int, number: int) -> str:
    """Return the key of a word's sense as the table has it."""
    return f"{word.lower()}%{file:02}:{number:02}"


@dataclass(frozen=True, slots=True)
class SenseTyper:
    """Types of senses, of kinds and of instances; keys that a WordNet does not have say nothing."""

    senses: Mapping[int, Sense] = field(repr=False)
    _rules: dict[int, TypeRule] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for sense in self.senses.values():
            if rule := next((_RULE_BY_KEY[key] for key in sense.keys if key in _RULE_BY_KEY), None):
                self._rules[sense.offset] = rule

    def type_of(self, sense: Sense) -> str:
        """Return the type of a sense, "" where it has none that all of it has."""
        is_instance = any(kind == INSTANCE for kind, _ in sense.links)
        level, seen = [sense.offset], {sense.offset}
        while level:
            rules = {self._rules[offset] for offset in level if offset in self._rules}
            if rules:
                types = {rule.instances if is_instance else rule.kinds for rule in rules}
                return types.pop() if len(types) == 1 else ""
            level = [above for above in dict.fromkeys(self._above(level)) if above not in seen]
            seen.update(level)
        return ""

    @staticmethod
    def is_hidden(sense: Sense) -> bool:
        """Return whether a sense is too abstract to be shown."""
        return not HIDDEN.isdisjoint(sense.keys) or (sense.file == TOPS and SHOWN.isdisjoint(sense.keys))

    def _above(self, level: Iterable[int]) -> Iterator[int]:
        for offset in level:
            if sense := self.senses.get(offset):
                yield from (target for kind, target in sense.links if kind in HYPERNYMS)


def concept_id(offset: int, version: str = VERSION) -> str:
    """Return the id of a sense; numbers of other versions are others."""
    return f"wn{'' if version == VERSION else version}:{offset:08}-n"


def translated_label(lemma: str) -> str | None:
    """Return a word as a translator gives it, without notes; `None` for what is no single word or phrase."""
    text = clean_label(_NOTE.sub("", lemma.replace("_", " ")))
    # A comma parts several words, or is in an explanation.
    return text if text and "," not in text and any(map(str.isalnum, text)) else None
