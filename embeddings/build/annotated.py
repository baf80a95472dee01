"""Read texts in which mentions are annotated, to train on: letters as JSON lines, and our own as marked-up text.

Marked-up: a document begins with `=== id | genre | protect: Name (TYPE; alias, alias); …`, and its mentions are written
`[[text|TYPE.kind|D, Q or O|entity]]`: what singles out alone, what helps together, and who only acts in an office.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from embanon.document import TYPES

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
    """DIRECT or QUASI; OTHER where it belongs to others in their office; NO_MASK."""
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
    taught: tuple[str, ...] = TYPES
    """The types that its annotators marked wherever they saw them; of others it teaches nothing."""

    @property
    def says_all(self) -> bool:
        """Return whether its annotators marked all that identifies, of some types at least, and not names alone."""
        return self.taught != tuple(NAMES.values())


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


NAMES: Final = {"PER": "PERSON", "ORG": "ORG", "LOC": "LOC"}
"""The tags of names, and our types; what else a corpus of names marks may be of any other type."""
CORPORA_OF_NAMES: Final = {
    "en": ("ewt-dev", "wnut17-train", "wikigold", "btc-train"),
    "pt": ("bosque-dev", "bosque-train", "lener-dev", "lener-train"),
    "de": ("germeval-dev", "pud", "ler-dev"),
    "es": ("wikiann-train",),
}  # fmt: skip
PARAGRAPH: Final = 12
"""Sentences that are read as one text."""
NO_SPACE_BEFORE: Final = frozenset(".,;:!?)]}%\u2019\u201d\u00bb'") | {
    "'s",
    "n't",
    "'re",
    "'m",
    "'ve",
    "'ll",
    "'d",
    "...",
}
NO_SPACE_AFTER: Final = frozenset("([{\u201e\u00ab")
MEDDOCAN_TYPES: Final = (
    ("NOMBRE", "PERSON"), ("TERRITORIO", "LOC"), ("PAIS", "LOC"), ("CALLE", "LOC"), ("HOSPITAL", "ORG"),
    ("INSTITUCION", "ORG"), ("CENTRO_SALUD", "ORG"), ("FECHAS", "DATETIME"), ("EDAD", "DEM"), ("SEXO", "DEM"),
    ("PROFESION", "DEM"), ("FAMILIARES", "DEM"), ("ID_", "CODE"), ("NUMERO", "CODE"), ("CORREO", "CODE"),
)  # fmt: skip
"""How the types of the Spanish clinical records begin, and ours."""


def read_names(path: Path, language: str) -> Iterator[AnnotatedText]:
    """Read sentences whose names are tagged, a few as one text; they teach persons, organizations and places only."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        sentences = [part.split("\n") for part in lines.read().strip().split("\n\n")]
    for first in range(0, len(sentences), PARAGRAPH):
        text, mentions = "", list[Mention]()
        for sentence in sentences[first : first + PARAGRAPH]:
            text = _add_sentence(text, sentence, mentions) + "\n"
        yield AnnotatedText(
            f"{path.name}-{first}", language, path.name, text, tuple(mentions), (), tuple(NAMES.values())
        )


def _add_sentence(text: str, rows: Iterable[str], mentions: list[Mention]) -> str:
    """Return a text with a sentence more, written as people write it (adds to `mentions`)."""
    glued, label = True, "O"
    for row in rows:
        word, _, tag = row.replace("\t", " ").partition(" ")
        word, tag = QUOTES.get(word, word), tag.split(" ")[-1]
        text += "" if glued or word in NO_SPACE_BEFORE else " "
        start, type = len(text), NAMES.get(tag[2:])
        text += word
        glued = word in NO_SPACE_AFTER
        if type and tag[0] == "I" and label == tag[2:] and mentions:
            mentions[-1] = replace(mentions[-1], end=len(text))
        elif type:
            mentions.append(Mention(start, len(text), type, "", "OTHER", word))
        label = tag[2:] if type else "O"
    return text


QUOTES: Final = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")"}


def read_records(path: Path, language: str, genre: str, taught: tuple[str, ...]) -> Iterator[AnnotatedText]:
    """Read texts with spans of their own types, or of ours."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            spans = row.get("spans") or [
                (mention["start_offset"], mention["end_offset"], mention["entity_type"], mention["identifier_type"])
                for annotation in row["annotations"].values()
                for mention in annotation["entity_mentions"]
            ]
            typed = sorted({(start, -end, type, *rest) for start, end, name, *rest in spans if (type := type_of(name))})
            mentions = tuple(
                Mention(start, -end, type, "", rest[0] if rest else "QUASI", "") for start, end, type, *rest in typed
            )
            yield AnnotatedText(row.get("id") or row["doc_id"], language, genre, row["text"], mentions, (), taught)


def type_of(name: str) -> str | None:
    """Return our type of an annotators' type, `None` where there is none."""
    return name if name in TYPES else next((ours for theirs, ours in MEDDOCAN_TYPES if name.startswith(theirs)), None)


SWAPPED: Final = 0.6
"""The share of mentions that are swapped."""


def swap_mentions(texts: Sequence[AnnotatedText], seed: int = 1) -> Iterator[AnnotatedText]:
    """Return texts whose kinds are known once more, with mentions of others of the same kind in place of theirs.

    So a labeler learns what stands around mentions, and not these alone.
    """
    choose = random.Random(seed)
    known = [text for text in texts if any(mention.kind for mention in text.mentions)]
    pool: dict[tuple[Any, ...], list[str]] = {}
    for text in known:
        for mention in text.mentions:
            pool.setdefault(_sort_of(text, mention), []).append(text.text[mention.start : mention.end])
    for text in known:
        chosen: dict[str, str] = {}
        parts, mentions, size, end = list[str](), list[Mention](), 0, 0
        for mention in text.mentions:
            written = text.text[mention.start : mention.end]
            if choose.random() < SWAPPED:
                written = chosen.setdefault(written, choose.choice(pool[_sort_of(text, mention)]))
            parts += [text.text[end : mention.start], written]
            size += mention.start - end
            mentions.append(replace(mention, start=size, end=size + len(written)))
            size, end = size + len(written), mention.end
        yield replace(text, text="".join([*parts, text.text[end:]]), mentions=tuple(mentions))


def _sort_of(text: AnnotatedText, mention: Mention) -> tuple[Any, ...]:
    """Return what a mention must share with another to stand in its place."""
    written = text.text[mention.start : mention.end]
    look = written[:1].isupper(), written.isupper(), " " in written
    return text.language, mention.type, mention.kind, look


def training_texts(data: Path, without: Iterable[str] = ()) -> list[AnnotatedText]:
    """Return all texts to train on but those of some sets."""
    texts = training_letters(data, CORPORA_OF_NAMES)
    for language, names in CORPORA_OF_NAMES.items():
        for name in names:
            texts += read_names(data / "ner" / language / f"{name}.conll.gz", language)
    taught = ("PERSON", "ORG", "LOC", "DATETIME", "CODE")
    texts += read_records(data / "meddocan" / "train.jsonl.gz", "es", "meddocan", taught)
    for name in ("tab", "wikibios"):
        texts += read_records(data / name / "gold.jsonl.gz", "en", name, TYPES)
    return [text for text in texts if text.genre not in set(without)]


def training_letters(data: Path, languages: Iterable[str]) -> list[AnnotatedText]:
    """Return all letters to train on: the public ones in `data`, and our own."""
    texts = [*read_letters(data / "letters" / "train.jsonl.gz")]
    for path in sorted(OWN_LETTERS.glob("*.txt")):
        texts += read_marked(path)
    return [text for text in texts if text.language in set(languages)]
