"""Read texts in which mentions are annotated, to train on: letters as JSON lines, and our own as marked-up text.

Marked-up: a document begins with `=== id | genre | protect: Name (TYPE; alias, alias); …`, and its mentions are written
`[[text|TYPE.kind|D, Q or O|entity]]`: what singles out alone, what helps together, and who only acts in an office.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

OWN_LETTERS: Final = Path(__file__).parent / "letters"
MENTION: Final = re.compile(r"\[\[([^\[\]|]+)\|([A-Z]+)\.([a-z]+)\|([DQO])\|([^\[\]|]+)\]\]")
PROTECTED: Final = re.compile(r"([^();]+)\(([A-Z]+);?([^)]*)\)")
IDENTIFIERS: Final = {"D": "DIRECT", "Q": "QUASI", "O": "OTHER"}


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that an annotator marked; `kind` is empty where only the type is known."""

    start: int
    end: int
    type: str
    kind: str
    identifier: str
    """DIRECT, QUASI or OTHER."""
    entity: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """A text with the mentions in it."""

    id: str
    language: str
    genre: str
    text: str = field(repr=False)
    mentions: tuple[Mention, ...] = field(repr=False)
    protect: tuple[tuple[str, str, tuple[str, ...]], ...] = field(default=(), repr=False)
    """Name, type and aliases of whom to protect; empty for everyone."""


def read_marked(path: Path) -> Iterator[AnnotatedText]:
    """Read our own letters from a file of marked-up documents."""
    for part in re.split(r"^=== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        name, genre, protect = (field.strip() for field in head.split(" | "))
        text, mentions = _strip_marks(body.strip("\n"))
        yield AnnotatedText(name, name[:2], genre, text, tuple(mentions), tuple(_read_protected(protect)))


def _strip_marks(body: str) -> tuple[str, list[Mention]]:
    """Return a text without its marks, and the mentions that they mark."""
    parts, mentions, size, end = list[str](), list[Mention](), 0, 0
    for match in MENTION.finditer(body):
        parts += [body[end : match.start()], match[1]]
        size += match.start() - end
        mentions.append(Mention(size, size + len(match[1]), match[2], match[3], IDENTIFIERS[match[4]], match[5]))
        size += len(match[1])
        end = match.end()
    return "".join([*parts, body[end:]]), mentions


def _read_protected(protect: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for name, type, aliases in PROTECTED.findall(protect.removeprefix("protect:")):
        yield name.strip(), type, tuple(alias.strip() for alias in aliases.split(",") if alias.strip())


def read_letters(path: Path) -> Iterator[AnnotatedText]:
    """Read letters of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            mentions = tuple(_read_mention(mention) for mention in row["mentions"])
            protect = () if row["protect"] == "everyone" else tuple(
                (one["name"], one["type"], tuple(one["aliases"])) for one in row["protect"]
            )  # fmt: skip
            yield AnnotatedText(row["id"], row["language"], row["genre"], row["text"], mentions, protect)


def _read_mention(row: dict[str, Any]) -> Mention:
    return Mention(row["start"], row["end"], row["type"], "", row["identifier"], row["entity"])


def training_letters(data: Path, languages: Iterable[str]) -> list[AnnotatedText]:
    """Return all letters to train on: the public ones in `data`, and our own."""
    texts = [*read_letters(data / "letters" / "train.jsonl.gz")]
    for path in sorted(OWN_LETTERS.glob("*.txt")):
        texts += read_marked(path)
    return [text for text in texts if text.language in set(languages)]
