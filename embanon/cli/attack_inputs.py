"""Read what an attack needs: texts, whom they are about, their originals, what stood there, and the candidates."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, Final

from embanon.attack.attack import Public, Target
from embanon.attack.infill import Gap, gaps_between, gaps_of
from embanon.attack.public import copied
from embanon.cli.options import documents
from embanon.document import Document
from embanon.entities.protected import from_row, whom
from embanon.errors import ConfigError, InputError
from embanon.io.messages import say
from embanon.io.read import LINES, TEXT, format_of, opened, read
from embanon.io.read.jsonl import rows
from embanon.io.read.limits import LIMITS, unzipped
from embanon.io.read.tabular import COMMA, TAB, table
from embanon.io.terminal import amount
from embanon.language.detect import common
from embanon.linkage.attackers import UNKNOWN
from embanon.linkage.background import named as name_of
from embanon.linkage.background import read_candidates
from embanon.replace.rewrite import Solution, restore
from embanon.replace.solutions import FILE, UNCHANGED, filed, load
from embanon.workflow.folders import ending, named
from embanon.workflow.outputs import format_read

TABLES: Final = {"csv": COMMA, "tsv": TAB}
TRUTH: Final = ("candidate", "entity", "name", "truth")
"""Columns or keys that name the candidate of an id, the first that is there."""


@dataclass(frozen=True, slots=True)
class Read:
    """A text, its id, and the names by which it may be known elsewhere."""

    id: str
    document: Document = field(repr=False)
    stem: str = field(repr=False)
    """Its id without the ending of a file."""
    filed: tuple[str, ...] = field(repr=False)
    """What a table of solutions may call it."""
    plain: bool = True
    """Whether its source is its text, so that offsets of one are those of the other."""
    was: str = field(default="", repr=False)
    """What its file was called before it was anonymized, where a table of solutions says so."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Give the ids that it may have elsewhere."""
        return (self.id, self.was) if self.was else (self.id,)

    @property
    def names(self) -> tuple[str, ...]:
        """Give those without the ending of a file, too."""
        return (*self.ids, self.stem, _stem(self.was))


def texts(paths: Sequence[str], options: argparse.Namespace) -> list[Read]:
    """Read files and folders; an id is that of a line or row, else the name of the file below what was named."""
    files, problems = named(paths)
    if problems:
        raise InputError(problems[0])
    found, seen = list[Read](), set[str]()
    for one in files:
        format = format_read(one.path, options.format)
        several, plain = format.rows, format.documents == format.sources
        for document in documents(one.path, options):
            id = document.id if several else one.relative
            if id in seen:
                raise InputError(f"{one.path}: two documents have the id {id!r}; give each its own")
            seen.add(id)
            stem = id if several else _stem(id)
            known = (filed(id, one.relative), one.relative, id) if several else (one.relative, id, document.id)
            found.append(Read(id, document, stem, tuple(dict.fromkeys(known)), plain))
    if not found:
        raise InputError(f"{paths[0]}: has no document; name files or folders with texts")
    return found


def _stem(id: str) -> str:
    return PurePosixPath(id).name.removesuffix(ending(id))


def public(options: argparse.Namespace, language: str) -> Public:
    """Read the background, and keep the candidates that are asked for."""
    known = read_candidates(options.background)
    if not known:
        raise InputError(f"{options.background}: is empty; a line is " + '{"name": …, "text": …} about a candidate')
    language = common(known.values()) if language == "auto" else language
    every = Public.of(list(known), list(known.values()), language)
    if not options.candidates:
        return every
    chosen = dict[int, str]()
    for number, name in _names(options.candidates):
        where, place = f"{options.candidates}, line {number}", every.background.find(name)
        if place < 0:
            why = "no text about" if place == UNKNOWN else "several candidates of the name of"
            raise ConfigError(f"{where}: the background has {why} this candidate; name it as the background does")
        if place in chosen:
            raise ConfigError(f"{where}: names a candidate again; name each once")
        chosen[place] = name
    names = [every.names[place] for place in sorted(chosen)]
    return Public.of(names, [known[name] for name in names], language)


def _names(path: str) -> Iterator[tuple[int, str]]:
    """Give the names of a file with their lines: a name a line, or an object that has one."""
    for number, line in enumerate(next(read(path, "utf-8", TEXT)).text.split("\n"), 1):
        if not line.strip():
            continue
        name = line.strip()
        if name.startswith("{"):
            try:
                row = json.loads(name)
            except (ValueError, RecursionError):
                raise InputError(f"{path}, line {number}: not JSON; a line is a name, or an object with one") from None
            name = name_of(row)
        if not name:
            raise InputError(f"{path}, line {number}: has no name; a line is a name, or an object with one")
        yield number, name


def truths(path: str) -> dict[str, str]:
    """Read which candidate each id is: a table or JSON Lines."""
    found, kind = dict[str, str](), format_of(path) or TEXT
    if kind not in (*TABLES, *LINES):
        raise ConfigError(f"{path}: is neither .csv, .tsv nor .jsonl; give a table with the columns id, candidate")
    with opened(path) as plain, unzipped(plain, path) if path.endswith(".gz") else nullcontext(plain) as stream:
        if kind in TABLES:
            lines: Iterator[tuple[int, dict[str, Any]]] = table(stream, path, None, LIMITS, TABLES[kind]).rows
        else:
            lines = rows(stream, path, LIMITS, LIMITS.total)
        for number, row in lines:
            name = next((row[one] for one in TRUTH if isinstance(row.get(one), str) and row[one].strip()), None)
            if not isinstance(row.get("id"), str) or name is None:
                raise InputError(f"{path}, line {number}: says not which candidate an id is; its columns or keys are "
                                 "id and candidate")  # fmt: skip
            if found.setdefault(row["id"], name) != name:
                raise InputError(f"{path}, line {number}: names another candidate for an id than a line before")
    return found


@dataclass(frozen=True, slots=True)
class Table:
    """A table of solutions, by document."""

    of: Mapping[str, Sequence[Solution]] = field(repr=False)
    files: Mapping[str, str] = field(repr=False)
    """What files are called -> what they were called."""

    @staticmethod
    def read(path: str, passphrase: bytes | None) -> Table:
        """Read it."""
        found, files = defaultdict[str, list[Solution]](list), dict[str, str]()
        for one in load(path, passphrase):
            if one.type == FILE:
                files[one.document] = one.original
            else:
                found[one.document] += [] if one.type == UNCHANGED else [one]
        return Table(found, files)

    def named(self, text: Read) -> Read:
        """Give a text with what its file was called."""
        return replace(text, was=self.files.get(text.id, ""))

    def solutions(self, text: Read, alone: bool) -> Sequence[Solution]:
        """Give those of a document; `alone` says that there is no other, so that its name does not matter."""
        if not text.plain:
            raise ConfigError(f"{text.id}: a table of solutions is of the source, which is marked up; give the "
                              "originals instead: --originals FILE")  # fmt: skip
        for name in text.filed:
            if name in self.of:
                return self.of[name]
        if alone and len(self.of) == 1:
            return next(iter(self.of.values()))
        raise ConfigError(f"{text.id}: the table of solutions has nothing of it; name the table of this text")


def originals(options: argparse.Namespace, given: Sequence[Read], solved: Table | None) -> dict[str, Document]:
    """Give the original of each text by its id: as named, or put back by the table; none where neither is there."""
    alone = len(given) == 1
    if options.originals:
        found = {one.id: one.document for one in texts(options.originals, options)}
        if alone and len(found) == 1:
            return {given[0].id: next(iter(found.values()))}
        own = {one.id: next((found[id] for id in one.ids if id in found), None) for one in given}
        missing = [id for id, document in own.items() if document is None]
        if missing:
            raise InputError(f"{missing[0]}: has no original of its id ({len(missing)} of {len(given)} have none); "
                             "originals have the ids, or the names of files, of the anonymized texts; what files were "
                             "called that were renamed, --solutions FILE says")  # fmt: skip
        return {id: document for id, document in own.items() if document is not None}
    if solved is None:
        return {}
    return {
        one.id: Document(one.id, restore(one.id, one.document.text, solved.solutions(one, alone)).text) for one in given
    }


def targets(
    options: argparse.Namespace, given: Sequence[Read], known: Public, original: Mapping[str, Document]
) -> list[Target]:  # fmt: skip
    """Say of each text whom it is about, as far as that is known."""
    said = truths(options.truth) if options.truth else {}
    if said and (strange := said.keys() - {id for one in given for id in one.ids}):
        say(f"warning: {options.truth}: {amount(len(strange), 'id')} of no document")
    found, absent = list[Target](), 0
    for one in given:
        called = [names for document in (one.document, original.get(one.id)) for names in _named_in(document)]
        name = next((said[id] for id in one.ids if id in said), None)
        if name is not None:
            absent += known.background.find(name) == UNKNOWN
        else:
            every = (*chain.from_iterable(called), *one.names)
            name = next((some for some in every if known.background.find(some) != UNKNOWN), None)
        aliases = tuple(chain.from_iterable(names for names in called if name in names))
        stood = original[one.id].text if original else None
        found.append(Target(one.id, one.document.text, name, stood, aliases))
    if absent:
        say(f"warning: {options.truth}: {amount(absent, 'document')} about people of whom the background has no "
            "text: not known")  # fmt: skip
    return found


def warn_of_copies(background: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Say how many texts the background has as they are."""
    if copies := int(copied(given, known).sum()):
        say(f"warning: {background}: has {copies:,} of {amount(len(given), 'document')} nearly as they were, so that "
            "finding whom these are about is a look-up; leave out what an attacker does not have")  # fmt: skip


def _named_in(document: Document | None) -> Iterator[tuple[str, ...]]:
    """Give the names of each of whom a line says that it is about, or that he is to be protected."""
    if document is not None:
        row, where = document.fields, f"{document.id}, key 'entity'"
        about = whom(row["entity"], where).entities if row.get("entity") is not None else ()
        yield from ((one.name, *one.aliases) for one in (*about, *from_row(row, document.id).entities))


def gaps(
    given: Sequence[Read], solved: Table | None, original: Mapping[str, Document]
) -> list[tuple[str, list[Gap]]]:  # fmt: skip
    """Give the replacements of each text with what stood there, by the table or by the edits that came along."""
    found, edited = list[tuple[str, list[Gap]]](), False
    for one in given:
        text, edits = one.document.text, one.document.fields.get("edits")
        if solved is not None:
            here = gaps_of(text, solved.solutions(one, len(given) == 1), one.id)
        elif original:
            here = gaps_between(text, original[one.id].text, edits, one.id)
        else:
            here = []
        edited = edited or solved is not None or isinstance(edits, list)
        found.append((text, here))
    if not edited or (solved is None and not original):
        raise ConfigError("infill needs what stood there; name the table: --solutions FILE, or --originals FILE beside "
                          "lines that have their edits")  # fmt: skip
    return found
