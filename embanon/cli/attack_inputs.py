"""Read the inputs of an attack: texts, the people they are about, their originals, replaced phrases, and candidates."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, Final

from embanon.attack import Gap, PublicTexts, Target, are_copies, gaps_from_edits, gaps_from_solutions
from embanon.cli.options import input_documents
from embanon.document import Document
from embanon.entities import parse_protected, protected_from_row
from embanon.errors import ConfigError, InputError
from embanon.io import (
    FORMATS,
    LIMITS,
    TEXT,
    count_noun,
    format_of,
    open_unpacked,
    read_documents,
    read_table,
    rows,
    say,
)
from embanon.language import common_language
from embanon.linkage import UNKNOWN, candidate_name as name_of, read_candidates
from embanon.replace import Solution, document_name, restore
from embanon.workflow import SolutionTable, file_ending, find_inputs, input_format

TRUTH: Final = ("candidate", "entity", "name", "truth")
"""Columns or keys that name the candidate of an id, the first that is there."""


@dataclass(frozen=True, slots=True)
class AttackedText:
    """A text, its id, and the names by which it may be known elsewhere."""

    id: str
    document: Document = field(repr=False)
    stem: str = field(repr=False)
    """The id without the ending of a file."""
    solution_keys: tuple[str, ...] = field(repr=False)
    """What a table of solutions may call it."""
    is_plain: bool = True
    """Whether its source is its text, so that offsets of one are those of the other."""
    previous_name: str = field(default="", repr=False)
    """What its file was called before it was anonymized, where a table of solutions says so."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids that the text may have elsewhere."""
        return (self.id, self.previous_name) if self.previous_name else (self.id,)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the ids, with and without file endings."""
        return (*self.ids, self.stem, _stem(self.previous_name))


def read_attacked_texts(paths: Sequence[str], options: argparse.Namespace) -> list[AttackedText]:
    """Read files and folders; an id is that of the line or row, else the path of the file below the named folder."""
    files, problems = find_inputs(paths)
    if problems:
        raise InputError(problems[0])
    texts, seen = list[AttackedText](), set[str]()
    for file in files:
        format = input_format(file.path, options.format)
        by_row, plain = format.has_rows, format.documents == format.sources
        for document in input_documents(file.path, options):
            id = document.id if by_row else file.relative
            if id in seen:
                raise InputError(f"{file.path}: two documents have the id {id!r}; give each its own")
            seen.add(id)
            stem = id if by_row else _stem(id)
            keys = (document_name(id, file.relative), file.relative, id) if by_row else (file.relative, id, document.id)
            texts.append(AttackedText(id, document, stem, tuple(dict.fromkeys(keys)), plain))
    if not texts:
        raise InputError(f"{paths[0]}: has no document; name files or folders with texts")
    return texts


def _stem(id: str) -> str:
    return PurePosixPath(id).name.removesuffix(file_ending(id))


def read_public_texts(options: argparse.Namespace, language: str) -> PublicTexts:
    """Read the background texts, keeping only the requested candidates."""
    known = read_candidates(options.background)
    if not known:
        raise InputError(f"{options.background}: is empty; a line is " + '{"name": …, "text": …} about a candidate')
    language = common_language(known.values()) if language == "auto" else language
    every = PublicTexts.from_texts(list(known), list(known.values()), language)
    if not options.candidates:
        return every
    chosen = dict[int, str]()
    for number, name in _candidate_names(options.candidates):
        where, place = f"{options.candidates}, line {number}", every.background.find_candidate(name)
        if place < 0:
            why = "no text about" if place == UNKNOWN else "several candidates of the name of"
            raise ConfigError(f"{where}: the background has {why} this candidate; name it as the background does")
        if place in chosen:
            raise ConfigError(f"{where}: names a candidate again; name each once")
        chosen[place] = name
    names = [every.names[place] for place in sorted(chosen)]
    return PublicTexts.from_texts(names, [known[name] for name in names], language)


def _candidate_names(path: str) -> Iterator[tuple[int, str]]:
    """Yield the names in a file with their line numbers: each line is a name, or an object that has one."""
    for number, line in enumerate(next(read_documents(path, "utf-8", TEXT)).text.split("\n"), 1):
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


def read_truths(path: str) -> dict[str, str]:
    """Read which candidate each id is: a table or JSON Lines."""
    truths, kind = dict[str, str](), format_of(path) or TEXT
    if not FORMATS[kind].has_rows:
        raise ConfigError(f"{path}: is neither .csv, .tsv nor .jsonl; give a table with the columns id, candidate")
    with open_unpacked(path) as stream:
        if delimiter := FORMATS[kind].delimiter:
            lines: Iterator[tuple[int, dict[str, Any]]] = read_table(stream, path, None, LIMITS, delimiter).rows
        else:
            lines = rows(stream, path, LIMITS, LIMITS.total)
        for number, row in lines:
            name = next((row[one] for one in TRUTH if isinstance(row.get(one), str) and row[one].strip()), None)
            if not isinstance(row.get("id"), str) or name is None:
                raise InputError(f"{path}, line {number}: says not which candidate an id is; its columns or keys are "
                                 "id and candidate")  # fmt: skip
            if truths.setdefault(row["id"], name) != name:
                raise InputError(f"{path}, line {number}: names another candidate for an id than a line before")
    return truths


def attacked_solutions(table: SolutionTable, text: AttackedText, is_only: bool) -> Sequence[Solution]:
    """Return the solutions of a text; where it `is_only` one text, its name does not matter."""
    if not text.is_plain:
        raise ConfigError(f"{text.id}: a table of solutions is of the source, which is marked up; give the "
                          "originals instead: --originals FILE")  # fmt: skip
    for name in text.solution_keys:
        if name in table.by_document:
            return table.by_document[name]
    if is_only and len(table.by_document) == 1:
        return next(iter(table.by_document.values()))
    raise ConfigError(f"{text.id}: the table of solutions has nothing of it; name the table of this text")


def find_originals(
    options: argparse.Namespace, given: Sequence[AttackedText], solved: SolutionTable | None
) -> dict[str, Document]:
    """Return the originals by id: from the named files, else restored from the table, else none."""
    alone = len(given) == 1
    if options.originals:
        by_id = {text.id: text.document for text in read_attacked_texts(options.originals, options)}
        if alone and len(by_id) == 1:
            return {given[0].id: next(iter(by_id.values()))}
        matched = {text.id: next((by_id[id] for id in text.ids if id in by_id), None) for text in given}
        missing = [id for id, document in matched.items() if document is None]
        if missing:
            raise InputError(f"{missing[0]}: has no original of its id ({len(missing)} of {len(given)} have none); "
                             "originals have the ids, or the names of files, of the anonymized texts; what files were "
                             "called that were renamed, --solutions FILE says")  # fmt: skip
        return {id: document for id, document in matched.items() if document is not None}
    if solved is None:
        return {}
    return {
        text.id: Document(text.id, restore(text.id, text.document.text, attacked_solutions(solved, text, alone)).text)
        for text in given
    }


def find_targets(
    options: argparse.Namespace, given: Sequence[AttackedText], known: PublicTexts, original: Mapping[str, Document]
) -> list[Target]:  # fmt: skip
    """Return each text with the name of the person it is about, where that is known."""
    truths = read_truths(options.truth) if options.truth else {}
    if truths and (strange := truths.keys() - {id for text in given for id in text.ids}):
        say(f"warning: {options.truth}: {count_noun(len(strange), 'id')} of no document")
    targets, absent = list[Target](), 0
    for text in given:
        called = [names for document in (text.document, original.get(text.id)) for names in _names_in(document)]
        name = next((truths[id] for id in text.ids if id in truths), None)
        if name is not None:
            absent += known.background.find_candidate(name) == UNKNOWN
        else:
            every = (*chain.from_iterable(called), *text.names)
            name = next((alias for alias in every if known.background.find_candidate(alias) != UNKNOWN), None)
        aliases = tuple(chain.from_iterable(names for names in called if name in names))
        stood = original[text.id].text if original else None
        targets.append(Target(text.id, text.document.text, name, stood, aliases))
    if absent:
        say(f"warning: {options.truth}: {count_noun(absent, 'document')} about people of whom the background has no "
            "text: not known")  # fmt: skip
    return targets


def warn_of_copies(background: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Warn of texts that the background contains almost unchanged."""
    if copies := int(are_copies(given, known).sum()):
        say(f"warning: {background}: has {copies:,} of {count_noun(len(given), 'document')} nearly as they were, "
            "so that finding whom these are about is a look-up; leave out what an attacker does not have")  # fmt: skip


def _names_in(document: Document | None) -> Iterator[tuple[str, ...]]:
    """Yield the names of each entity that a line is about, or asks to protect."""
    if document is not None:
        row, where = document.fields, f"{document.id}, key 'entity'"
        about = parse_protected(row["entity"], where).entities if row.get("entity") is not None else ()
        yield from ((one.name, *one.aliases) for one in (*about, *protected_from_row(row, document.id).entities))


def find_gaps(
    given: Sequence[AttackedText], solved: SolutionTable | None, original: Mapping[str, Document]
) -> list[tuple[str, list[Gap]]]:  # fmt: skip
    """Return each text with its replacements and their originals, from the table of solutions or from its edits."""
    gaps, edited = list[tuple[str, list[Gap]]](), False
    for attacked in given:
        text, edits = attacked.document.text, attacked.document.fields.get("edits")
        if solved is not None:
            here = gaps_from_solutions(text, attacked_solutions(solved, attacked, len(given) == 1), attacked.id)
        elif original:
            here = gaps_from_edits(text, original[attacked.id].text, edits, attacked.id)
        else:
            here = []
        edited = edited or solved is not None or isinstance(edits, list)
        gaps.append((text, here))
    if not edited or (solved is None and not original):
        raise ConfigError("infill needs what stood there; name the table: --solutions FILE, or --originals FILE beside "
                          "lines that have their edits")  # fmt: skip
    return gaps
