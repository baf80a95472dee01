"""`embanon restore`: put the originals back by the table of solutions."""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from embanon.cli.options import columns, inputs
from embanon.errors import ConfigError, InputError
from embanon.io.messages import LIVE, each, say, say_left_out
from embanon.io.read import STDIN, laid
from embanon.io.read.corpus import Ids
from embanon.io.read.source_map import Laid, Reading
from embanon.io.terminal import as_json
from embanon.replace.rewrite import Solution, restore
from embanon.replace.solutions import FILE, UNCHANGED, filed, load
from embanon.workflow.folders import Folder, Input, named
from embanon.workflow.outputs import (
    Part,
    check_outputs,
    encoded,
    format_read,
    is_lines,
    joined,
    progress,
    secret,
    write_bytes,
)

EXAMPLE: Final = """\
A text that nobody has edited comes back exactly, with all that marks it up; a table has the columns that were written,
and an e-mail is the message without what was left out. Of one that was edited or translated, replacements are looked
for; what is not found is counted, and ends with 1. Files get their names back.

examples:
  embanon restore anonymized.txt --solutions table.jsonl -o letter.txt
  embanon restore out.jsonl --solutions table.sealed --key-file key.txt -o back.jsonl
  embanon restore anonymized/ --solutions table.sealed --key-file key.txt -o letters/
"""
MADE: Final = ("edits", "embanon")
"""Fields of a line that we wrote."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    inputs(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write: a file, or a folder (standard output)")
    add("--solutions", metavar="FILE", required=True, help="the table that `embanon anonymize` wrote")
    add("--key-file", metavar="FILE", help="what the table was encrypted with")
    add("--passphrase", action="store_true", help="ask for the passphrase")


def run(options: argparse.Namespace) -> int:
    """Restore each document."""
    files, left_out = named(options.files)
    others = options.solutions, options.key_file, options.config
    if Path(options.solutions).exists():  # which may lie beside what it restores
        files = [one for one in files if one.path == STDIN or not Path(one.path).samefile(options.solutions)]
    folder = Folder.of(options.output, options.files, files, others)
    check_outputs([one.path for one in files], None if folder else options.output, others=others)
    table = _Table.of(load(options.solutions, secret(options, twice=False)))
    parts, ids, line = list[Part](), Ids(), progress(files)
    size, read_ = sum(one.size for one in files), 0
    LIVE[:] = [line]

    def put_back(one: Input) -> int:
        nonlocal read_
        line("restoring", read_, size)
        read_ += one.size
        name = table.name(one, folder)
        text, first, code = _restored(one, options, table, name, ids)
        if folder:
            data = encoded(text, first, format_read(one.path, options.format).zipped)
            folder.write(folder.unused(table.names.get(name, one.relative)), data)
        else:
            parts.append((text, first))
        return code

    code, of = InputError.exit_code if left_out else 0, len(files) + len(left_out)
    try:
        code = max(code, each(files, put_back, left_out))
    finally:
        LIVE.clear()
        line.end()
    if not folder and (parts or not code):
        write_bytes(options.output, [joined(parts)])
    say_left_out(left_out, of)
    return code


def _restored(
    one: Input, options: argparse.Namespace, table: _Table, name: str, ids: Ids
) -> tuple[str, Laid | None, int]:
    """Give a file with the originals, its first document, and the exit code."""
    first, done, code, lines = None, list[str](), 0, is_lines(one.path, options.format)
    for source in laid(one.path, Reading(options.encoding, columns(options)), options.format, source=True):
        first = first or source
        some = table.of_document(source, name, ids)
        found = restore(source.document.id, source.raw, some)
        if found.missing:
            say(f"warning: {source.document.id}: {len(found.missing)} of {len(some)} replacements were not found")
            code = 1
        done.append(_line(source, found.text) if lines else source.before + found.text)
    return "".join(done), first, code


def _line(source: Laid, text: str) -> str:
    rest = {name: value for name, value in source.document.fields.items() if name not in MADE}
    if source.document.language:
        rest["language"] = source.document.language
    return as_json({"id": source.document.id, "text": text, **rest}) + "\n"


@dataclass(frozen=True, slots=True)
class _Table:
    """The solutions of each document, and the names that files had."""

    documents: dict[str, list[Solution]] = field(repr=False)
    names: dict[str, str] = field(repr=False)

    @staticmethod
    def of(solutions: list[Solution]) -> _Table:
        """Sort the lines of a table."""
        documents, names = defaultdict[str, list[Solution]](list), dict[str, str]()
        for one in solutions:
            if one.type == FILE:
                names[one.document] = one.original
            else:
                documents[one.document] += [] if one.type == UNCHANGED else [one]
        return _Table(documents, names)

    def name(self, one: Input, folder: Folder | None) -> str:
        """Give the name that a file has in the table; "" where it goes by its ids alone."""
        if folder:
            return one.relative
        known = {document.partition(": ")[0] for document in self.documents}
        path = one.path.replace("\\", "/")
        return max((name for name in known if f"/{path}".endswith(f"/{name}")), key=len, default="")

    def of_document(self, source: Laid, name: str, ids: Ids) -> list[Solution]:
        """Give the solutions of a document."""
        own, id = source.own, source.document.id
        key = filed(own, name)
        key = ids.unused(key if key in self.documents else own or id)
        if key in self.documents:
            return self.documents[key]
        if len(self.documents) == 1 and not own:  # a text may have another name now
            return next(iter(self.documents.values()))
        if self.documents:
            raise ConfigError(f"{id}: the table has nothing of it; name the table of this text")
        return []
