"""Say which words may stand instead of a risky phrase: none of a protected name, and none that is risky itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from embanon.entities.mentions import SHORTEST_PART, Entity, distinctive, folded
from embanon.language.lexicon import Cue, Lexicon
from embanon.risk.power import MOST_SEEN, Rarity, rarest
from embanon.risk.score import INSIDE, Scored
from embanon.storage.keys import key

SAFE: Final = 0.1
"""The risk of a mark, a type, or a value that is made up; and how much rarer a label may be than what it replaces."""
NUMBER: Final = 0.3
"""The rarity of a label that has only numbers."""
WORD: Final = re.compile(r"\w+")
NEVER: Final = frozenset(
    """negro negra negros negras negroid neger negerin mongoloid mongoloide mulatto mulato mulata mulatte zigeuner
    savage cripple lisiado aleijado krüppel idiot idiota imbecile imbécil moron retardado sodomite pervert heathen
    infidel bastard bastardo bastarda whore slut puta prostituta""".split()
)
"""What dictionaries say of people, and nobody should say instead of what was written."""

Test = Callable[[str], bool]
"""Says whether a label may stand."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Words that no label may have."""

    words: frozenset[str] = field(repr=False)
    inside: tuple[str, ...] = field(repr=False)
    """Those that are long enough to tell a name inside a word."""
    tests: tuple[Test, ...] = ()
    """What else a label must pass that says more than a type."""

    def tells(self, label: str) -> bool:
        """Say whether a label tells an attacker, or of a topic, too much."""
        return not all(test(label) for test in self.tests)

    def has(self, label: str) -> bool:
        """Say whether a label has one of them."""
        low = folded(label)
        return not self.words.isdisjoint(WORD.findall(low)) or any(word in low for word in self.inside)


def forbidden(scored: Scored, protect: Sequence[Entity], language: str, tests: Sequence[Test] = ()) -> Forbidden:
    """Gather the words of protected names, and of other people in the text."""
    words = {word for entity in protect for word in distinctive(entity, language)}
    inside = tuple(sorted(word for word in words if len(word) >= INSIDE))
    others = {word for one in scored.people if one.number < 0 or one.number >= len(protect) for word in one.words}
    lexicon = Lexicon.load(language)  # the `the` of a stage name is in every decade
    known = {word for word in others if len(word) >= SHORTEST_PART and not lexicon.flags(word) & Cue.STOP}
    return Forbidden(frozenset(words | known), inside, tuple(tests))


@dataclass(frozen=True, slots=True)
class Harmless:
    """Tells the risks of labels by the rarity of their words."""

    rarity: Rarity
    limit: float
    _rarities: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def rare(self, label: str) -> float:
        """Give the rarity of the rarest word of a label; 1 where it is unknown."""
        found = self._rarities.get(label)
        if found is None:
            words = " ".join(word for word in WORD.findall(key(label)) if not word[:1].isdecimal())
            found = float(rarest(self.rarity, [words])[0]) if words else NUMBER
            if len(self._rarities) >= MOST_SEEN:  # originals are asked about as well, which have no end
                self._rarities.clear()
            found = self._rarities[label] = 1.0 if found != found else found
        return found

    def risk(self, label: str) -> float:
        """Give the risk of a label: half the rarity of its rarest word, as of a common phrase; more of a name."""
        return round(min(1.0, (self.rare(label) + (SAFE if is_name(label) else 0.0)) / 2), 4)

    def allows(self, label: str, own: float) -> bool:
        """Say that a label's risk is below the limit, and that it is not rarer than what it replaces."""
        known = self.risk(label) < self.limit and self.rare(label) <= own + SAFE
        return known and NEVER.isdisjoint(key(label).split())


@lru_cache(maxsize=65_536)
def is_name(label: str) -> bool:
    """Say that a label has a capital behind its article, or a digit."""
    words = label.split()
    words = words[1:] if words and words[0].islower() and len(words) > 1 else words
    return any(word[:1].isupper() or any(map(str.isdecimal, word)) for word in words)
