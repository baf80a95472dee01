"""Hide names of entities where they stand in names of files, folders and labels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from embanon.leak.policy import Policy

WORD: Final = re.compile(r"[^\W_]+")
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hiding:
    """Names by their first word, the longest first, each with what stands for it."""

    names: dict[str, list[tuple[Words, str]]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, policy: Policy) -> Hiding:
        """Take the names and aliases of a policy."""
        names = defaultdict[str, list[tuple[Words, str]]](list)
        for number, item in enumerate(policy.entities, 1):
            for name in (item.name, *item.aliases):
                if words := tuple(_words(name)):
                    names[words[0]].append((words, f"e{number}"))
        for some in names.values():
            some.sort(key=lambda one: -len(one[0]))
        return cls(dict(names))

    def __call__(self, text: str) -> str:
        """Give a text with what stands for names in their place, however their words are joined."""
        spans = [found.span() for found in WORD.finditer(text)] if self.names else []
        words = [text[start:end].casefold() for start, end in spans]
        parts, last, place = list[str](), 0, 0
        while place < len(words):
            known = (one for one in self.names.get(words[place], ()) if _starts(words[place:], one[0]))
            found = next(known, None)
            if found is not None:
                parts += (text[last : spans[place][0]], found[1])
                last = spans[place + len(found[0]) - 1][1]
            place += len(found[0]) if found else 1
        return "".join((*parts, text[last:]))


def _words(name: str) -> Iterator[str]:
    return (word.casefold() for word in WORD.findall(name))


def _starts(words: Iterable[str], wanted: Words) -> bool:
    return tuple(words)[: len(wanted)] == wanted
