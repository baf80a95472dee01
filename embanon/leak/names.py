"""Find which of many entities a text may name, in one walk over its words.

Looking for each name of 10,000 entities would take longer than everything else. So each name is known by its longest
word, and each word of a text is looked at once, as long as it is remembered. Whether a text really names an entity
says `embanon.score`; here none is missed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from embanon.entities import HOMOGRAPH, Entity, written
from embanon.frequencies import Frequencies
from embanon.lexicon import Cue, Lexicon
from embanon.score import run_together

START: Final = 3
"""Signs by which it is seen that a name may begin in the middle of a word."""
LONG: Final = 40
"""Signs of a word from which it is not remembered."""
REMEMBERED: Final = 1 << 18
SHARED: Final = 3
"""Entities that may have the same part of a name; a part of more, as a given name, tells of none."""


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """What names entities, by the words of it."""

    pieces: dict[str, list[tuple[str, str, tuple[int, ...]]]] = field(repr=False)
    """How a piece begins -> pieces, the names that have them, and the entities that these may name."""
    lengths: tuple[int, ...]
    names: Mapping[str, tuple[int, ...]] = field(repr=False)
    _known: dict[str, tuple[tuple[str, tuple[int, ...]], ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, entities: Sequence[Entity], language: str) -> Index:
        """Index names in the inflections and spellings of a language."""
        names, parts = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
        for number, entity in enumerate(entities):
            whole, some = written(entity, language)
            for name in (*whole, *run_together(entity)):
                names[name].add(number)
            for part in some:
                if _tells(part, entity, language):
                    parts[part].add(number)
        for part, numbers in parts.items():
            if len(numbers) <= SHARED:
                names[part] |= numbers
        return cls.by_words({name: tuple(sorted(numbers)) for name, numbers in names.items()})

    @classmethod
    def by_words(cls, names: dict[str, tuple[int, ...]]) -> Index:
        """Index names, already folded, by their longest words."""
        pieces = defaultdict[str, list[tuple[str, str, tuple[int, ...]]]](list)
        for name, numbers in names.items():
            piece = max(name.split(), key=len, default="")
            if piece:
                pieces[piece[:START]].append((piece, name, numbers))
        return cls(dict(pieces), tuple(sorted({len(start) for start in pieces})), names)

    def among(self, low: str) -> list[int]:
        """Give the entities that a folded text may name."""
        found, words = set[int](), set(low.split())
        for word in words:
            for name, numbers in self._of(word):
                if name in word or (" " in name and name in low):
                    found.update(numbers)
        return sorted(found)

    def _of(self, word: str) -> Iterable[tuple[str, tuple[int, ...]]]:
        known = self._known.get(word)
        if known is None:
            known = tuple(dict.fromkeys(self._inside(word)))
            if len(word) <= LONG and len(self._known) < REMEMBERED:
                self._known[word] = known
        return known

    def _inside(self, word: str) -> Iterable[tuple[str, tuple[int, ...]]]:
        for length in self.lengths:
            for start in range(len(word) - length + 1):
                for piece, name, numbers in self.pieces.get(word[start : start + length], ()):
                    if word.startswith(piece, start):
                        yield name, numbers


def _tells(part: str, entity: Entity, language: str) -> bool:
    """Say whether a part of a name tells whose it is: no given name, and of a thing no word that all may use."""
    if entity.type == "PERSON":
        return not Lexicon.load(language).flags(part.capitalize()) & (Cue.MALE | Cue.FEMALE)
    frequencies = Frequencies.load(language)
    return frequencies is None or (frequencies.share(part) or 0) < HOMOGRAPH
