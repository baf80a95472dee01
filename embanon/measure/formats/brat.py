"""Folders of brat: texts (`.txt`) and what is marked in them (`.ann`), a line each: `T1<tab>TYPE 0 5;7 12<tab>words`.

The parts of a span that is not in one piece are mentions of one entity. Relations, events, attributes, notes and
normalizations say nothing of what is to be masked, and are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from embanon.errors import InputError
from embanon.io import open_input
from embanon.measure.annotations import Annotation, GoldDocument, Mention
from embanon.measure.formats.rows import read_utf
from embanon.measure.formats.spans import OutputDocument, check_mentions, parse_mention

ANNOTATOR: Final = "brat"
TEXT, MARKS = ".txt", ".ann"


def golds(folder: str) -> Iterator[tuple[str, GoldDocument]]:
    """Return the documents of a folder and those below it; each text has its marks."""
    for id, path in _files(folder, TEXT):
        text, marks = _read(path), path.with_suffix(MARKS)
        if not marks.is_file():
            raise InputError(f"{path}: has no {MARKS} beside it; an empty one says that nothing is marked")
        yield str(marks), GoldDocument(id, text, (Annotation(ANNOTATOR, _mentions(marks, text)),))
    for _, marks in _files(folder, MARKS):
        if not marks.with_suffix(TEXT).is_file():
            raise InputError(f"{marks}: has no {TEXT} beside it, which gold needs; bring it, or take this file out")


def outputs(folder: str) -> Iterator[tuple[str, OutputDocument]]:
    """Return what is marked in each document; its text need not be there."""
    for id, path in _files(folder, MARKS):
        beside = path.with_suffix(TEXT)
        text = _read(beside) if beside.is_file() else None
        yield str(path), OutputDocument(id, _mentions(path, text), text)


def _files(folder: str, ending: str) -> Iterator[tuple[str, Path]]:
    root = Path(folder)
    paths = sorted(path for path in root.rglob(f"*{ending}") if not path.name.startswith("."))
    if not paths:
        raise InputError(f"{folder}: has no {ending} file; a folder of brat has {TEXT} and {MARKS} files")
    for path in paths:
        yield path.relative_to(root).with_suffix("").as_posix(), path


def _read(path: Path) -> str:
    with open_input(str(path)) as stream:
        return read_utf(stream, str(path))


def _mentions(path: Path, text: str | None) -> tuple[Mention, ...]:
    mentions = list[Mention]()
    for number, line in enumerate(_read(path).split("\n"), 1):
        if line.startswith("T"):
            mentions += _parse_line(line.rstrip("\r"), f"{path}, line {number}", text)
    return tuple(mentions)


def _parse_line(line: str, where: str, text: str | None) -> Iterator[Mention]:
    """Return the parts of what a line marks."""
    name, _, rest = line.partition("\t")
    description, _, words = rest.partition("\t")
    type_, _, offsets = description.partition(" ")
    parts = [part.split() for part in offsets.split(";")]
    if not type_ or not all(len(part) == 2 and all(map(_is_number, part)) for part in parts):
        raise InputError(f"{where}: is not T1<tab>TYPE START END<tab>WORDS; export the annotations again")
    mentions, at = list[Mention](), 0
    for start, end in parts:
        mention = parse_mention([int(start), int(end), type_], where)
        quoted = words[at : at + mention.end - mention.start] if len(parts) > 1 else words  # parts have a space between
        at += mention.end - mention.start + 1
        mentions.append(
            Mention(mention.start, mention.end, mention.type, name if len(parts) > 1 else None, quoted=quoted or None)
        )
    if text is not None:
        check_mentions(mentions, text, where)
    yield from mentions


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 16
