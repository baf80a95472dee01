"""`embanon anonymize`: replace what gives away whom is to be protected."""

from __future__ import annotations

import argparse
import secrets
from importlib.metadata import version
from typing import Any, Final

from embanon.commands import each, inputs, say
from embanon.commands.outputs import check_outputs, is_lines, secret, write_all
from embanon.commands.protecting import choosing, protecting, raising
from embanon.config import METHODS, load
from embanon.errors import ConfigError
from embanon.generalize import Edit, Masker
from embanon.judging import Judged, score_all
from embanon.model.shipped import open_model
from embanon.protected import given, read_background
from embanon.read import STDIN, read
from embanon.read.text import check_encoding
from embanon.rewrite import Solution, rewrite
from embanon.solutions import save
from embanon.taxonomy.shipped import SHIPPED, climber
from embanon.view import as_json

EXAMPLE: Final = """\
Of JSON Lines the output is JSON Lines with the edits; of a plain text it is the text. Nothing but id and text is
copied.
Keep the table of solutions as secret as the text: it undoes everything.

examples:
  embanon anonymize letter.txt --entities protect.jsonl -o anonymized.txt --solutions table.jsonl
  embanon anonymize letters.jsonl --model our.model -o out.jsonl --preset strict
  embanon anonymize letter.txt --entities protect.jsonl -o out.txt --solutions table.sealed --key-file key.txt
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    inputs(parser)
    protecting(parser)
    raising(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write (standard output)")
    add("--method", choices=METHODS, help="what stands instead (generalize)")
    add("--pseudonym-key", metavar="FILE",
        help="what it holds chooses substitutes and shifts, the same in all texts (else each run its own)")  # fmt: skip
    add("--store", action="append", default=[], metavar="STORE", help="taxonomies to climb (the shipped ones)")
    add("--solutions", metavar="FILE", help="the table that undoes the edits; only you may read it")
    add("--key-file", metavar="FILE", help="encrypt the table with what this file holds")
    add("--passphrase", action="store_true", help="ask for a passphrase, and encrypt the table with it")
    add("--publish", action="store_true", help="leave out the edits, and replace ids")


def run(options: argparse.Namespace) -> int:
    """Anonymize each document, and write all when every one of a file is done."""
    flags = {
        "language": options.language, "score.preset": options.preset, "score.limit": options.limit,
        "score.attribution_limit": options.attribution_limit, "anonymize.method": options.method,
        "anonymize.key_file": options.pseudonym_key,
    }  # fmt: skip
    config = load(options.config, flags).config
    if options.anonymity and not options.background:
        raise ConfigError("--anonymity needs public text about candidates; name it: --background FILE")
    if (options.key_file or options.passphrase) and not options.solutions:
        raise ConfigError("there is no table to encrypt; name it: --solutions FILE")
    if options.encoding:
        check_encoding(options.encoding)
    check_outputs(options.files, options.output, options.solutions, others=(
        options.entities, options.key_file, config.anonymize.key_file,
    ))  # fmt: skip
    asked = given(options.entities, options.protect, options.protect_field)
    model = open_model(options.model) if options.model else None
    attackers = read_background(options.background, config.language) if options.background else None
    passphrase = secret(options, twice=True)
    chosen = choosing(config, model)
    finished, solutions, parts = list[str](), list[Solution](), list[str]()

    def anonymize(path: str) -> int:
        lines, done = is_lines(path, options.format), list[tuple[str, list[Solution], int]]()
        documents = read(path, options.encoding, options.format)
        for judged in score_all(
            documents, asked, config=config, model=model, attackers=attackers, rank=options.anonymity
        ):
            climbing = climber(tuple(options.store) or SHIPPED, judged.analysis.language)
            masker = Masker(climbing, judged.rarity, config.score.lowest, chosen(judged.analysis.language))
            done.append(_done(judged, masker, lines, options))
        finished.append(path)
        parts.extend(text for text, _, _ in done)
        solutions.extend(one for _, some, _ in done for one in some)
        return max((code for *_, code in done), default=0)

    code = each(options.files, anonymize)
    if not finished:
        return code
    if options.solutions:  # first what undoes it
        save(options.solutions, solutions, passphrase)
    write_all(options.output, parts)
    return code


def _done(judged: Judged, masker: Masker, lines: bool, options: argparse.Namespace) -> tuple[str, list[Solution], int]:
    """Give what is written of a document, its solutions, and its exit code."""
    document, scored = judged.analysis.document, judged.scored
    edits = masker.edits(document.text, scored, judged.analysis.sentences.tolist(), judged.protected.entities)
    id = secrets.token_hex(8) if options.publish else document.id
    text, solutions = rewrite(id, document.text, edits)
    code = int(any(edit.rung == "keep" for edit in edits))
    if scored.missing and len(scored.missing) == len(judged.protected.entities):
        say(f"warning: {document.id}: does not name whom is to be protected: masked as if all of it were about them")
        code = 1
    if not judged.reached:
        say(f"warning: {document.id}: not behind rank {options.anonymity}")
        code = 1
    if not lines:
        return text, solutions, code
    row: dict[str, Any] = {"id": id, "text": text}
    if not options.publish:
        row["edits"] = [to_dict(edit) for edit in edits]
    row["embanon"] = {"version": version("embanon"), "model": options.model or "", "limit": masker.limit}
    return as_json(row) + "\n", solutions, code


def to_dict(edit: Edit) -> dict[str, Any]:
    """Give an edit as the contract has it."""
    return {
        "start": edit.start, "end": edit.end, "replacement": edit.replacement, "risk": edit.risk,
        "replacement_risk": edit.replacement_risk, "type": edit.type,
        "entity": f"e{edit.entity + 1}" if edit.entity >= 0 else None, "rung": edit.rung,
    }  # fmt: skip
