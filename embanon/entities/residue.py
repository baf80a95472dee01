"""Check whether words that are not read as text (scripts, file names, ids) reveal a protected name."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Sequence
from html import unescape
from typing import Final
from urllib.parse import unquote

from embanon.entities.entity import MIN_PART_LENGTH, Entity, distinctive_words, fold_text
from embanon.entities.mentions import find_embedded
from embanon.entities.present import PresentEntity
from embanon.entities.protected import ProtectedEntities
from embanon.text import VisibleText

WORD: Final = re.compile(r"[^\W_]+")

ESCAPED_CHARACTER: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
BASE64_DATA: Final = re.compile(r";base64,([A-Za-z0-9+/]{4,}={0,2})")


def reveals_entity(text: str, entities: Iterable[Entity], language: str) -> bool:
    """Return whether a text has a distinctive part of a name, as a word or inside one."""
    text = VisibleText.from_text(append_decoded(text)).text
    low = fold_text(text)
    words = frozenset(WORD.findall(low))
    return any(
        not words.isdisjoint(distinctive_words(entity, language)) or bool(find_embedded(entity, text, low, language))
        for entity in entities
    )


def reveals_protected(text: str, protected: ProtectedEntities, people: Sequence[PresentEntity], language: str) -> bool:
    """Return whether a text gives away whom a document protects."""
    if reveals_entity(text, protected.entities, language):
        return True
    if not protected.everyone:
        return False
    parts = {word for one in people for word in one.words if len(word) >= MIN_PART_LENGTH}
    return not parts.isdisjoint(WORD.findall(fold_text(VisibleText.from_text(append_decoded(text)).text)))


def append_decoded(text: str) -> str:
    """Return a text, and behind it what it says where it writes signs as numbers: in scripts, addresses, pages."""
    decoded = ESCAPED_CHARACTER.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    decoded = unescape(unquote(decoded))
    packed = [_decode_base64(match[1]) for match in BASE64_DATA.finditer(text)]
    return "\n".join((text, *([decoded] if decoded != text else []), *packed))


def _decode_base64(written: str) -> str:
    whole = written.rstrip("=")
    whole = whole[: len(whole) - (len(whole) % 4 == 1)]
    return b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8", "replace")
