"""Hide names of entities where they stand in names of files, folders and labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from embanon.language import key
from embanon.leak.policy import Policy

COMBINING_MARKS: Final = "\u0300-\u036f\u3099\u309a"
"""What some systems put behind a letter to make another of it: names of files are written apart on macOS."""
WORD_PART: Final = re.compile(rf"(?:[^\W\d_][{COMBINING_MARKS}]*)+|\d+")
PATH_SEPARATORS: Final = frozenset("/\\")


@dataclass(frozen=True, slots=True)
class NameHider:
    """Names, however their words are joined, and what stands for each."""

    names: dict[str, str] = field(default_factory=dict, repr=False)
    max_length: int = 0

    @classmethod
    def from_policy(cls, policy: Policy) -> NameHider:
        """Take the names and aliases of a policy."""
        names = dict[str, str]()
        for number, item in enumerate(policy.entities, 1):
            for name in (item.name, *item.aliases):
                if joined := "".join(key(name[start:end]) for start, end in _word_spans(name)):
                    names.setdefault(joined, f"e{number}")
        return cls(names, max(map(len, names), default=0))

    def __call__(self, text: str) -> str:
        """Return a text with what stands for names in their place: whole words, `aNameLikeThis`, or before a number."""
        spans = list(_word_spans(text)) if self.names else []
        words = [key(text[start:end]) for start, end in spans]
        parts, last, place = list[str](), 0, 0
        while place < len(words):
            end = self._longest_name_end(text, spans, words, place)
            if end > place:
                parts += (text[last : spans[place][0]], self.names["".join(words[place:end])])
                last = spans[end - 1][1]
            place = max(end, place + 1)
        return "".join((*parts, text[last:]))

    def _longest_name_end(self, text: str, spans: list[tuple[int, int]], words: list[str], place: int) -> int:
        """Return the end of the longest name that begins at a word, within one folder."""
        joined, found = "", place
        for end in range(place, len(words)):
            joined += words[end]
            apart = end > place and not PATH_SEPARATORS.isdisjoint(text[spans[end - 1][1] : spans[end][0]])
            if apart or len(joined) > self.max_length:
                break
            found = end + 1 if joined in self.names else found
        return found


def _word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return words as half-open spans, parted where a small letter is followed by a capital."""
    for found in WORD_PART.finditer(text):
        start = found.start()
        for place in range(start + 1, found.end()):
            if text[place].isupper() and text[place - 1].islower():
                yield start, place
                start = place
        yield start, found.end()
