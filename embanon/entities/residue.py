"""Say whether words that are not read as text (scripts, names of files, ids) give a protected name away."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Sequence
from html import unescape
from typing import Final
from urllib.parse import unquote

from embanon.entities.entity import SHORTEST_PART, Entity, distinctive, folded
from embanon.entities.mentions import hidden
from embanon.entities.present import Present
from embanon.entities.protected import Protected
from embanon.text.visible import Visible

WORD: Final = re.compile(r"[^\W_]+")

NUMBERED: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
PACKED: Final = re.compile(r";base64,([A-Za-z0-9+/]{4,}={0,2})")


def gives_away(text: str, entities: Iterable[Entity], language: str) -> bool:
    """Say whether a text has a distinctive part of a name, as a word or inside one."""
    text = Visible.of(read_out(text)).text
    low = folded(text)
    words = frozenset(WORD.findall(low))
    return any(
        not words.isdisjoint(distinctive(entity, language)) or bool(hidden(entity, text, low, language))
        for entity in entities
    )


def told_by(text: str, protected: Protected, people: Sequence[Present], language: str) -> bool:
    """Say whether a text gives away whom a document protects."""
    if gives_away(text, protected.entities, language):
        return True
    if not protected.everyone:
        return False
    parts = {word for one in people for word in one.words if len(word) >= SHORTEST_PART}
    return not parts.isdisjoint(WORD.findall(folded(Visible.of(read_out(text)).text)))


def read_out(text: str) -> str:
    """Give a text, and behind it what it says where it writes signs as numbers: in scripts, addresses, pages."""
    said = NUMBERED.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    said = unescape(unquote(said))
    packed = [_unpacked(found[1]) for found in PACKED.finditer(text)]
    return "\n".join((text, *([said] if said != text else []), *packed))


def _unpacked(written: str) -> str:
    whole = written.rstrip("=")
    whole = whole[: len(whole) - (len(whole) % 4 == 1)]
    return b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8", "replace")
