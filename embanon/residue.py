"""Say whether words that are not read as text (scripts, names of files, ids) give a protected name away."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from embanon.entities import SHORTEST_PART, Entity, distinctive, folded
from embanon.protected import Protected
from embanon.score import Scored, hidden
from embanon.visible import Visible

WORD: Final = re.compile(r"[^\W_]+")


def gives_away(text: str, entities: Iterable[Entity], language: str) -> bool:
    """Say whether a text has a distinctive part of a name, as a word or inside one."""
    text = Visible.of(text).text
    low = folded(text)
    words = frozenset(WORD.findall(low))
    return any(
        not words.isdisjoint(distinctive(entity, language)) or bool(hidden(entity, text, low, language))
        for entity in entities
    )


def told_by(text: str, protected: Protected, scored: Scored, language: str) -> bool:
    """Say whether a text gives away whom a document protects."""
    if gives_away(text, protected.entities, language):
        return True
    if not protected.everyone:
        return False
    people = {word for one in scored.people for word in one.words if len(word) >= SHORTEST_PART}
    return not people.isdisjoint(WORD.findall(folded(Visible.of(text).text)))
