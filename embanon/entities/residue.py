"""Check whether words that are not read as text (scripts, file names, ids) reveal a protected name."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Final
from urllib.parse import unquote

from embanon.entities.entity import MIN_PART_LENGTH, Entity, distinctive_words
from embanon.entities.folding import fold_text
from embanon.entities.mentions import EntityMentions, find_embedded
from embanon.entities.present import PresentEntity
from embanon.entities.protected import ProtectedEntities
from embanon.entities.words import Span, merge_spans
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


@dataclass(frozen=True, slots=True)
class RemainingName:
    """A place in a text that names a protected entity, or may do so, and is not replaced."""

    start: int
    end: int
    entity: int
    """The number of the entity among those that are protected."""


def remaining_names(
    text: str, entities: Sequence[Entity], language: str, replaced: Iterable[Span]
) -> tuple[RemainingName, ...]:  # fmt: skip
    """Return where a text has names of entities, or words that may be names, beside what is replaced in it."""
    if not entities:
        return ()
    visible, hidden = VisibleText.from_text(text), bytearray(len(text))
    low = fold_text(visible.text)
    for start, end in replaced:
        hidden[start:end] = b"\1" * (end - start)
    remaining = list[RemainingName]()
    for number, entity in enumerate(entities):
        mentions = EntityMentions.find(entity, visible.text, low, language).in_original(visible)
        for start, end in merge_spans([*mentions.spans, *mentions.embedded, *mentions.doubtful]):
            if any(text[place].isalnum() and not hidden[place] for place in range(start, end)):
                remaining.append(RemainingName(start, end, number))
    return tuple(sorted(remaining, key=lambda one: (one.start, one.end, one.entity)))
