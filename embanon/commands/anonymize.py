"""`embanon anonymize`: replace what gives away whom is to be protected."""

from __future__ import annotations

import argparse
import hmac
import json
import secrets
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any, Final

from embanon.anonymizer import Anonymized, Anonymizer
from embanon.commands import columns, each, inputs, put_away, say, say_left_out
from embanon.commands.files import WORD, Folder, Input, ending, named
from embanon.commands.outputs import (
    Part, check_outputs, encoded, format_read, is_lines, joined, key_in, secret, write_bytes,
)  # fmt: skip
from embanon.commands.protecting import anonymizer, protecting, raising, replacing, told
from embanon.document import Document
from embanon.errors import ConfigError, InputError
from embanon.generalize import Edit
from embanon.judging import Judged
from embanon.progress import Line
from embanon.protected import Given, given
from embanon.read import STDIN, laid
from embanon.read.corpus import Ids
from embanon.read.laid import Laid, Reading
from embanon.residue import gives_away, told_by
from embanon.rewrite import Solution, rewrite
from embanon.solutions import FILE, UNCHANGED, filed, marker, save
from embanon.source import on_source
from embanon.view import as_json

EXAMPLE: Final = """\
Of JSON Lines the output is JSON Lines with the edits; of anything else it is the same with other words: what marks a
text up stays. Of a table only the id, the columns of text and those of --carry are written, of an e-mail who writes to
whom about what, and the parts of text. Scripts, styles and attachments are not read; exit code 1 says that one is left
out, or has a part of a protected name. Files of a folder keep their names but for what these give away.
Keep the table of solutions as secret as the text: it undoes everything.

examples:
  embanon anonymize letter.txt --entities protect.jsonl -o anonymized.txt --solutions table.jsonl
  embanon anonymize letters.jsonl --model our.model -o out.jsonl --preset strict
  embanon anonymize cases.csv --column report --protect-field patient --carry ward -o out.csv
  embanon anonymize letters/ --entities protect.jsonl -o anonymized/ --solutions table.sealed --key-file key.txt
"""
WRITTEN: Final = ("id", "text", "edits", "embanon")
"""The fields of a line."""
DIGITS: Final = 16
BYTES: Final = 32
"""Of a keyed id, and of a key."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    inputs(parser)
    protecting(parser)
    raising(parser)
    replacing(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write: a file, or a folder (standard output)")
    add("--solutions", metavar="FILE", help="the table that undoes the edits; only you may read it")
    add("--key-file", metavar="FILE", help="encrypt the table with what this file holds")
    add("--passphrase", action="store_true", help="ask for a passphrase, and encrypt the table with it")
    add("--carry", action="append", default=[], metavar="FIELD", help="of lines and tables: write this as it is, too")
    add("--publish", action="store_true", help="leave out the edits, and replace ids and names of files")
    add("--id-key", metavar="FILE", help="with --publish: what it holds makes the same ids each time (else by chance)")


def run(options: argparse.Namespace) -> int:
    """Anonymize each document, and write a file when every one of it is done."""
    _check(options)
    files, left_out = named(options.files)
    others = options.entities, options.background, options.key_file, options.id_key
    folder = Folder.of(options.output, options.files, files, (*others, options.solutions))
    check_outputs([one.path for one in files], None if folder else options.output, options.solutions, others=others)
    asked = given(options.entities, options.protect, options.protect_field)
    doing, line = anonymizer(options), Line.on(sys.stderr)
    work = _Work(options, doing, asked, folder, line, sum(one.size for one in files))
    passphrase, of = secret(options, twice=True), len(files) + len(left_out)
    code = InputError.exit_code if left_out else 0
    with put_away():
        try:
            code = max(code, each(files, work.file, left_out))
        finally:
            line.end()
            if folder and options.solutions and work.finished:  # also where it ends half done: files are written
                save(options.solutions, work.solutions, passphrase)
    if work.finished and not folder:
        if options.solutions:  # first what undoes it
            save(options.solutions, work.solutions, passphrase)
        write_bytes(options.output, [joined(work.parts)])
    say_left_out(left_out, of)
    return code


def _check(options: argparse.Namespace) -> None:
    """Refuse options that do not fit together."""
    if (options.key_file or options.passphrase) and not options.solutions:
        raise ConfigError("there is no table to encrypt; name it: --solutions FILE")
    if options.id_key and not options.publish:
        raise ConfigError("--id-key makes the ids of --publish; give both")


@dataclass(slots=True)
class _Done:
    """What a file became."""

    parts: list[str] = field(default_factory=list)
    first: Laid | None = None
    solutions: list[tuple[str, list[Solution]]] = field(default_factory=list)
    """Of each document, with its id in the file."""
    telling: set[str] = field(default_factory=set)
    """Parts of its name that give somebody away."""
    code: int = 0


@dataclass(slots=True)
class _Work:
    """Anonymizes files, one by one."""

    options: argparse.Namespace
    doing: Anonymizer
    asked: Given
    folder: Folder | None
    line: Line
    size: int
    parts: list[Part] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)
    finished: int = 0
    _key: bytes = b""
    _ids: Ids = field(default_factory=Ids)
    _read: int = 0

    def __post_init__(self) -> None:
        self._key = key_in(self.options.id_key) if self.options.id_key else secrets.token_bytes(BYTES)

    def file(self, one: Input) -> int:
        """Anonymize a file, and write it, or keep it to be written."""
        lines, done, waiting, before = is_lines(one.path, self.options.format), _Done(), deque[Laid](), self._read
        self._read += one.size
        if lines and (taken := [name for name in self.options.carry if name in WRITTEN]):
            raise ConfigError(f"--carry {taken[0]}: is written anyway; leave it out")
        documents = self._documents(one, waiting)
        for anonymized in self.doing.anonymize_all(documents, self.asked, rank=self.options.anonymity):
            self._add(done, waiting.popleft(), anonymized, one, lines)
            self.line("anonymizing", before + len(done.parts[-1]), self.size)
            before += len(done.parts[-1])
        text = "".join(done.parts)
        name = self._name(self.folder, one, done) if self.folder else ""
        for id, solutions in done.solutions:
            key = self._ids.unused(filed(id, name))
            self.solutions += [replace(some, document=key) for some in solutions] or [marker(UNCHANGED, key)]
        if self.folder:
            if name != one.relative:
                self.solutions.append(marker(FILE, name, one.relative))
            self.folder.write(name, encoded(text, done.first, format_read(one.path, self.options.format).zipped))
        else:
            self.parts.append((text, done.first))
        self.finished += 1
        return done.code

    def _documents(self, one: Input, waiting: deque[Laid]) -> Iterator[Document]:
        reading = Reading(self.options.encoding, columns(self.options, self.options.carry))
        for source in laid(one.path, reading, self.options.format):
            waiting.append(source)
            yield source.document

    def _add(self, done: _Done, source: Laid, anonymized: Anonymized, one: Input, lines: bool) -> None:
        """Take in a document of a file."""
        judged, publish = anonymized.judged, self.options.publish
        carried = self._carried(source.document) if lines else {}
        done.first = done.first or source
        self.line.end()
        done.code = max(done.code, told(judged, one.path, self.options.anonymity), int(anonymized.kept))
        done.code = max(done.code, _told_beside(source, judged, carried, one.path, publish))
        for part in PurePosixPath(one.relative).parts if self.folder else ():
            if self._tells(part.removesuffix(ending(part)), judged):
                done.telling.add(part)
        id = source.own or source.document.id
        shown = self._keyed(id) if publish and (lines or source.id) else id
        edits = on_source(source, anonymized.edits)
        if publish and source.id:
            edits = sorted([*edits, _of_id(source.id, shown)], key=lambda edit: edit.start)
        text, solutions = rewrite(shown, source.raw, edits)
        done.solutions.append((shown if source.own or not self.folder else "", solutions))
        if lines:
            row = anonymized.to_dict() | {"id": shown} | carried
            text = as_json({name: row[name] for name in row if name != "edits" or not publish}) + "\n"
        done.parts.append(source.before + text)

    def _tells(self, stem: str, judged: Judged) -> bool:
        """Say whether a part of a name of a file gives somebody away; where everyone counts, any word may."""
        if judged.protected.everyone and WORD.search(stem):
            return True
        known = (*self.asked.always.entities, *(entity for of in self.asked.of.values() for entity in of.entities))
        return _told_by(stem, judged) or gives_away(stem, known, judged.analysis.language)

    def _name(self, folder: Folder, one: Input, done: _Done) -> str:
        if self.options.publish:
            return folder.unused(self._keyed(one.relative) + ending(one.relative))
        return folder.name(one.relative, done.telling)

    def _carried(self, document: Document) -> dict[str, Any]:
        """Give the fields of a line that are written as they are."""
        row = {**document.fields, "language": document.language}
        return {name: row[name] for name in self.options.carry if name in row}

    def _keyed(self, id: str) -> str:
        """Give an id that tells nobody who lacks the key."""
        return hmac.new(self._key, id.encode("utf-8", "replace"), sha256).hexdigest()[:DIGITS]


def _of_id(place: tuple[int, int], shown: str) -> Edit:
    """Give the edit that replaces an id."""
    return Edit(*place, shown, None, 0.0, "CODE", -1, "id", -1)


def _told_by(text: str, judged: Judged) -> bool:
    return told_by(text, judged.protected, judged.scored, judged.analysis.language)


def _told_beside(source: Laid, judged: Judged, carried: dict[str, Any], path: str, publish: bool) -> int:
    """Warn of what is left out, and of names in what is not read; give the exit code."""
    id = source.document.id
    id, code = path if id == path else f"{path}, {id}", 0
    for reason in source.left_out:
        say(f"warning: {id}: {reason}")
        code = 1
    beside = [source.before, *(source.raw[start:end] for start, end in source.unread)]
    beside += [json.dumps(value, ensure_ascii=False) for value in carried.values()]
    if _told_by("\n".join(beside), judged):
        say(f"warning: {id}: a part of a protected name is in what is not read, and stays (scripts, styles, fields)")
        code = 1
    if source.own and not publish and _told_by(source.own, judged):
        say(f"warning: {id}: the id has a part of a protected name, and stays; --publish replaces ids")
        code = 1
    return code
