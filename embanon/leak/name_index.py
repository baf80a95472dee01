"""An index of names: which of many entities a text may name, in one pass over its words.

Looking for each name of 10,000 entities would take longer than everything else. So each name is known by its longest
word, and each word of a text is looked at once, as long as it is remembered. Whether a text really names an entity
says `embanon.risk.score`; here none is missed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from embanon.entities import (
    COMMON_WORD_SHARE,
    LOWERCASE_NAME_SHARE,
    Entity,
    find_name,
    find_word,
    fold_text,
    is_whole,
    joined_names,
    searched_forms,
    split_name,
)
from embanon.language import Cue, Frequencies, Lexicon
from embanon.risk import TOPIC

PREFIX_LENGTH: Final = 3
"""Signs by which it is seen that a name may begin in the middle of a word."""
MAX_CACHED_LENGTH: Final = 40
"""Signs of a word from which it is not remembered."""
CACHE_SIZE: Final = 1 << 18
MIN_INITIALS: Final = 4
"""Letters of initials that tell of a thing."""
MAX_SHARING_ENTITIES: Final = 3
"""Entities that may have the same part of a name; a part of more, as a given name, tells of none."""


IndexedName = tuple[str, bool, tuple[int, ...]]
"""A name, whether it may stand inside a word, and the entities that it may name."""


@dataclass(frozen=True, slots=True, eq=False)
class NameIndex:
    """What names entities, by the words of it."""

    pieces: Mapping[str, Sequence[tuple[str, IndexedName]]] = field(repr=False)
    """How a piece begins -> pieces, and the names that have them."""
    lengths: tuple[int, ...]
    """Of such beginnings."""
    _cache: dict[str, tuple[IndexedName, ...]] = field(default_factory=dict, repr=False)
    _nameless: set[str] = field(default_factory=set, repr=False)
    """Words that name nobody, which most do."""

    @classmethod
    def build(cls, entities: Sequence[Entity], language: str) -> NameIndex:
        """Index names in the inflections and spellings of a language."""
        names, parts, inside = (defaultdict[str, set[int]](set) for _ in range(3))
        for number, entity in enumerate(entities):
            whole, part_forms = searched_forms(entity, language)
            for name in whole:
                names[name].add(number)
            for name in joined_names(entity):
                inside[name].add(number)
            for part in _distinctive_parts(part_forms, entity, language):
                parts[part].add(number)
        for part, numbers in parts.items():
            if len(numbers) <= MAX_SHARING_ENTITIES:
                names[part] |= numbers
        pieces = defaultdict[str, list[tuple[str, IndexedName]]](list)
        for table, within in ((names, False), (inside, True)):
            for name, numbers in table.items():
                if piece := max(split_name(name), key=len, default=""):
                    pieces[piece[:PREFIX_LENGTH]].append((piece, (name, within, tuple(sorted(numbers)))))
        return cls(dict(pieces), tuple(sorted({len(start) for start in pieces})))

    def find_entities(self, low: str) -> list[int]:
        """Return the entities that a folded text may name."""
        named = set[int]()
        for word in set(low.split()) - self._nameless:
            for name, inside, numbers in self._names_for(word):
                if not named.issuperset(numbers) and (inside or any(find_name(low, name))):
                    named.update(numbers)
        return sorted(named)

    def _names_for(self, word: str) -> tuple[IndexedName, ...]:
        """Return the names of which a word, with the signs about it, has the longest."""
        known = self._cache.get(word)
        if known is None:
            known = tuple(dict.fromkeys(self._match_pieces(word)))
            if len(word) <= MAX_CACHED_LENGTH and len(self._cache) + len(self._nameless) < CACHE_SIZE:
                if known:
                    self._cache[word] = known
                else:
                    self._nameless.add(word)
        return known

    def _match_pieces(self, word: str) -> Iterator[IndexedName]:
        for length in self.lengths:
            for start in range(len(word) - length + 1):
                for piece, name in self.pieces.get(word[start : start + length], ()):
                    if word.startswith(piece, start) and (name[1] or is_whole(word, start, start + len(piece))):
                        yield name


def _distinctive_parts(parts: Collection[str], entity: Entity, language: str) -> Iterator[str]:
    """Return the parts of names that tell whose they are: no given name, no number, and no word that all may use.

    A rare word of a company or a place tells if it is the only rare one of a name; of a thing, whose name may be made
    of words for other things, if it is the only one that is no class: the Bluebird of Project Bluebird. Initials tell
    if they are many.
    """
    frequencies, lexicon = Frequencies.load(language), Lexicon.load(language)

    def rare(part: str, share: float) -> bool:
        return not part.isdecimal() and (frequencies is None or (frequencies.share(part) or 0) < share)

    if entity.type == "PERSON":
        given = Cue.MALE | Cue.FEMALE
        yield from (
            part for part in parts if rare(part, COMMON_WORD_SHARE) and not lexicon.flags(part.capitalize()) & given
        )
        return
    rare_parts = {part for part in parts if rare(part, LOWERCASE_NAME_SHARE)}
    left, candidates = set(rare_parts), set(parts if entity.type == TOPIC else rare_parts)
    lengths = {len(part) for part in candidates}
    for name in map(fold_text, entity.names):
        inside = candidates.intersection(name[at : at + size] for size in lengths for at in range(len(name) - size + 1))
        in_name = {part for part in inside if any(find_word(name, part))}
        left -= in_name
        yield from in_name & rare_parts if len(in_name) == 1 else ()
    yield from (part for part in left if len(part) >= MIN_INITIALS)
