"""`embanon restore`: put the originals back by the table of solutions."""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from embanon.cli.options import add_input_arguments, text_columns
from embanon.errors import ConfigError, InputError
from embanon.io import (
    PROGRESS_LINES,
    STDIN,
    ReadOptions,
    SourceDocument,
    UniqueIds,
    as_json,
    process_each,
    read_sources,
    report_omitted,
    say,
)
from embanon.replace import FILE, UNCHANGED, Solution, document_name, load, restore
from embanon.workflow import (
    Input,
    OutputFolder,
    OutputPart,
    check_outputs,
    encode_text,
    find_inputs,
    input_format,
    is_json_lines,
    join_parts,
    progress_line,
    read_table_key,
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
GENERATED_FIELDS: Final = ("edits", "embanon")
"""Fields of a line that we wrote."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write: a file, or a folder (standard output)")
    add("--solutions", metavar="FILE", required=True, help="the table that `embanon anonymize` wrote")
    add("--key-file", metavar="FILE", help="what the table was encrypted with")
    add("--passphrase", action="store_true", help="ask for the passphrase")


def run(options: argparse.Namespace) -> int:
    """Restore each document."""
    files, left_out = find_inputs(options.files)
    others = options.solutions, options.key_file, options.config
    if Path(options.solutions).exists():  # which may lie beside what it restores
        files = [one for one in files if one.path == STDIN or not Path(one.path).samefile(options.solutions)]
    folder = OutputFolder.from_output(options.output, options.files, files, others)
    check_outputs([one.path for one in files], None if folder else options.output, others=others)
    table = _SolutionTable.from_solutions(load(options.solutions, read_table_key(options, twice=False)))
    parts, ids, line = list[OutputPart](), UniqueIds(), progress_line(files)
    size, read_ = sum(one.size for one in files), 0
    PROGRESS_LINES[:] = [line]

    def put_back(one: Input) -> int:
        nonlocal read_
        line("restoring", read_, size)
        read_ += one.size
        name = table.file_key(one, folder)
        text, first, code = _restore_file(one, options, table, name, ids)
        if folder:
            data = encode_text(text, first, input_format(one.path, options.format).is_gzipped)
            folder.write(folder.unused_name(table.original_names.get(name, one.relative)), data)
        else:
            parts.append((text, first))
        return code

    code, of = InputError.exit_code if left_out else 0, len(files) + len(left_out)
    try:
        code = max(code, process_each(files, put_back, left_out))
    finally:
        PROGRESS_LINES.clear()
        line.clear()
    if not folder and (parts or not code):
        write_bytes(options.output, [join_parts(parts)])
    report_omitted(left_out, of)
    return code


def _restore_file(
    one: Input, options: argparse.Namespace, table: _SolutionTable, name: str, ids: UniqueIds
) -> tuple[str, SourceDocument | None, int]:
    """Return a file with the originals, its first document, and the exit code."""
    first, done, code, lines = None, list[str](), 0, is_json_lines(one.path, options.format)
    for source in read_sources(
        one.path, ReadOptions(options.encoding, text_columns(options)), options.format, source=True
    ):
        first = first or source
        some = table.for_document(source, name, ids)
        found = restore(source.document.id, source.raw, some)
        if found.missing:
            say(f"warning: {source.document.id}: {len(found.missing)} of {len(some)} replacements were not found")
            code = 1
        done.append(_line(source, found.text) if lines else source.prefix + found.text)
    return "".join(done), first, code


def _line(source: SourceDocument, text: str) -> str:
    rest = {name: value for name, value in source.document.fields.items() if name not in GENERATED_FIELDS}
    if source.document.language:
        rest["language"] = source.document.language
    return as_json({"id": source.document.id, "text": text, **rest}) + "\n"


@dataclass(frozen=True, slots=True)
class _SolutionTable:
    """The solutions of each document, and the names that files had."""

    documents: dict[str, list[Solution]] = field(repr=False)
    original_names: dict[str, str] = field(repr=False)

    @staticmethod
    def from_solutions(solutions: list[Solution]) -> _SolutionTable:
        """Sort the lines of a table."""
        documents, names = defaultdict[str, list[Solution]](list), dict[str, str]()
        for one in solutions:
            if one.type == FILE:
                names[one.document] = one.original
            else:
                documents[one.document] += [] if one.type == UNCHANGED else [one]
        return _SolutionTable(documents, names)

    def file_key(self, one: Input, folder: OutputFolder | None) -> str:
        """Return the name that a file has in the table; "" where it goes by its ids alone."""
        if folder:
            return one.relative
        known = {document.partition(": ")[0] for document in self.documents}
        path = one.path.replace("\\", "/")
        return max((name for name in known if f"/{path}".endswith(f"/{name}")), key=len, default="")

    def for_document(self, source: SourceDocument, name: str, ids: UniqueIds) -> list[Solution]:
        """Return the solutions of a document."""
        own, id = source.record_id, source.document.id
        key = document_name(own, name)
        key = ids.make_unique(key if key in self.documents else own or id)
        if key in self.documents:
            return self.documents[key]
        if len(self.documents) == 1 and not own:  # a text may have another name now
            return next(iter(self.documents.values()))
        if self.documents:
            raise ConfigError(f"{id}: the table has nothing of it; name the table of this text")
        return []
