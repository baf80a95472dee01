"""Find which of many entities a text may name, in one walk over its words.

Looking for each name of 10,000 entities would take longer than everything else. So each name is known by its longest
word, and each word of a text is looked at once, as long as it is remembered. Whether a text really names an entity
says `embanon.score`; here none is missed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from embanon.entities import HOMOGRAPH, ORDINARY, Entity, is_whole, occurrences, written
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


Name = tuple[str, bool, tuple[int, ...]]
"""A name, whether it may stand inside a word, and the entities that it may name."""


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """What names entities, by the words of it."""

    pieces: Mapping[str, Sequence[tuple[str, Name]]] = field(repr=False)
    """How a piece begins -> pieces, and the names that have them."""
    lengths: tuple[int, ...]
    """Of such beginnings."""
    _known: dict[str, tuple[Name, ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, entities: Sequence[Entity], language: str) -> Index:
        """Index names in the inflections and spellings of a language."""
        names, parts, inside = (defaultdict[str, set[int]](set) for _ in range(3))
        for number, entity in enumerate(entities):
            whole, some = written(entity, language)
            for name in whole:
                names[name].add(number)
            for name in run_together(entity):
                inside[name].add(number)
            for part in some:
                if _tells(part, entity, language):
                    parts[part].add(number)
        for part, numbers in parts.items():
            if len(numbers) <= SHARED:
                names[part] |= numbers
        pieces = defaultdict[str, list[tuple[str, Name]]](list)
        for table, within in ((names, False), (inside, True)):
            for name, numbers in table.items():
                if piece := max(name.split(), key=len, default=""):
                    pieces[piece[:START]].append((piece, (name, within, tuple(sorted(numbers)))))
        return cls(dict(pieces), tuple(sorted({len(start) for start in pieces})))

    def among(self, low: str) -> list[int]:
        """Give the entities that a folded text may name."""
        found = set[int]()
        for word in set(low.split()):
            for name, inside, numbers in self._of(word):
                if not found.issuperset(numbers) and (" " not in name or any(occurrences(low, name, whole=not inside))):
                    found.update(numbers)
        return sorted(found)

    def _of(self, word: str) -> tuple[Name, ...]:
        """Give the names of which a word, with the signs about it, has the longest."""
        known = self._known.get(word)
        if known is None:
            known = tuple(dict.fromkeys(self._inside(word)))
            if len(word) <= LONG and len(self._known) < REMEMBERED:
                self._known[word] = known
        return known

    def _inside(self, word: str) -> Iterator[Name]:
        for length in self.lengths:
            for start in range(len(word) - length + 1):
                for piece, name in self.pieces.get(word[start : start + length], ()):
                    if word.startswith(piece, start) and (name[1] or is_whole(word, start, start + len(piece))):
                        yield name


def _tells(part: str, entity: Entity, language: str) -> bool:
    """Say whether a part of a name tells whose it is: no given name, and no word that all may use."""
    frequencies = Frequencies.load(language)
    share = (frequencies.share(part) or 0) if frequencies else 0
    if entity.type != "PERSON":
        return share < HOMOGRAPH
    return share < ORDINARY and not Lexicon.load(language).flags(part.capitalize()) & (Cue.MALE | Cue.FEMALE)
