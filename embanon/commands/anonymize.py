"""`embanon anonymize`: replace what gives away whom is to be protected."""

from __future__ import annotations

import argparse
import contextlib
import getpass
import os
import secrets
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from embanon.commands import failed, inputs, say, write
from embanon.config import PRESETS, load
from embanon.errors import ConfigError, InputError, OutputError
from embanon.generalize import METHODS, Edit, Masker
from embanon.judging import Judged, score_all
from embanon.model.shipped import open_model
from embanon.power import Rarity
from embanon.protected import given, read_background
from embanon.read import STDIN, format_of, read
from embanon.read.text import check_encoding
from embanon.rewrite import Solution, rewrite
from embanon.score import rarity_of
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
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write (standard output)")
    add("--model", metavar="MODEL", help="of `embanon train`, on texts of the same kind (else the language at large)")
    add("--entities", metavar="FILE", help="whom to protect: a name or an object a line")
    add("--protect", action="append", default=[], metavar="NAME", help="whom to protect, or everyone")
    add("--protect-field", action="append", default=[], metavar="KEY", help="of JSON Lines: names whom to protect")
    add("--preset", choices=tuple(PRESETS), help="how strict: limit .645, .28, or .28 and every rare word")
    add("--limit", type=float, metavar="RISK", help="the lowest risk that is masked, instead of the preset's")
    add("--attribution-limit", type=float, metavar="SHARE", help="from which a phrase speaks of an entity (0.2)")
    add("--method", choices=METHODS, default="generalize", help="what stands instead (generalize)")
    add("--store", action="append", default=[], metavar="STORE", help="taxonomies to climb (the shipped ones)")
    add("--background", metavar="FILE", help="public text about candidates: JSON Lines with name (or title) and text")
    add(
        "--anonymity",
        type=int,
        default=0,
        metavar="K",
        help="with --background: until the entity is behind rank K",
    )
    add("--solutions", metavar="FILE", help="the table that undoes the edits; only you may read it")
    add("--key-file", metavar="FILE", help="encrypt the table with what this file holds")
    add("--passphrase", action="store_true", help="ask for a passphrase, and encrypt the table with it")
    add("--publish", action="store_true", help="leave out the edits, and replace ids")


def run(options: argparse.Namespace) -> int:
    """Anonymize each document, and write all when every one of a file is done."""
    flags = {
        "language": options.language, "score.preset": options.preset, "score.limit": options.limit,
        "score.attribution_limit": options.attribution_limit,
    }  # fmt: skip
    config = load(options.config, flags).config
    if options.anonymity and not options.background:
        raise ConfigError("--anonymity needs public text about candidates; name it: --background FILE")
    if (options.key_file or options.passphrase) and not options.solutions:
        raise ConfigError("there is no table to encrypt; name it: --solutions FILE")
    if options.encoding:
        check_encoding(options.encoding)
    check_outputs(options.files, options.output, options.solutions, others=(options.entities, options.key_file))
    asked = given(options.entities, options.protect, options.protect_field)
    model = open_model(options.model) if options.model else None
    attackers = read_background(options.background, config.language) if options.background else None
    passphrase = secret(options, twice=True)
    finished, code, solutions, parts = False, 0, list[Solution](), list[str]()
    rarities: dict[str, Rarity] = {}
    for path in options.files:
        lines = _is_lines(path, options.format)
        try:
            done = list[tuple[str, list[Solution], int]]()
            documents = read(path, options.encoding, options.format)
            for judged in score_all(
                documents, asked, config=config, model=model, attackers=attackers, rank=options.anonymity
            ):
                language = judged.analysis.language
                rarity = rarities.setdefault(language, rarity_of(model, language))
                climbing = climber(tuple(options.store) or SHIPPED, language)
                masker = Masker(climbing, rarity, config.score.lowest, options.method)
                done.append(_done(judged, masker, lines, options))
        except (BrokenPipeError, OutputError):
            raise
        except Exception as exc:
            code = max(code, failed(exc))
            continue
        finished = True
        for text, some, one in done:
            parts.append(text)
            solutions += some
            code = max(code, one)
    if not finished:
        return code
    if options.solutions:  # first what undoes it
        save(options.solutions, solutions, passphrase)
    write_all(options.output, parts)
    return code


def _is_lines(path: str, format: str | None) -> bool:
    return (format or format_of(path) or "").startswith("jsonl")


def check_outputs(files: Sequence[str], *outputs: str | None, others: Sequence[str | None] = ()) -> None:
    """Refuse to write over what is read, or twice to one file."""
    named = [Path(name).resolve() for name in outputs if name and name != STDIN]
    read_ = {Path(name).resolve() for name in (*files, *others) if name and name != STDIN}
    if len(set(named)) < len(named) or read_.intersection(named):
        raise ConfigError("an output has the name of an input or of another output; name another file")


def secret(options: argparse.Namespace, *, twice: bool) -> bytes | None:
    """Give the key of the table: of a file, or asked for."""
    if options.key_file:
        try:
            key = Path(options.key_file).read_bytes().strip()
        except OSError as exc:
            raise InputError(f"{options.key_file}: cannot be read ({exc.strerror})") from exc
        if not key:
            raise ConfigError(f"{options.key_file}: is empty; write a long random text into it")
        return key
    if not options.passphrase:
        return None
    first = getpass.getpass("passphrase: ")
    if not first or (twice and getpass.getpass("again: ") != first):
        raise ConfigError("no passphrase, or two that differ")
    return first.encode()


def _done(judged: Judged, masker: Masker, lines: bool, options: argparse.Namespace) -> tuple[str, list[Solution], int]:
    """Give what is written of a document, its solutions, and its exit code."""
    document, scored = judged.analysis.document, judged.scored
    edits = masker.edits(document.text, scored, judged.analysis.sentences.tolist(), judged.protected.entities)
    id = secrets.token_hex(8) if options.publish else document.id
    text, solutions = rewrite(id, document.text, edits)
    code = int(masker.method == "keep" and bool(edits))
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


def write_all(path: str, parts: list[str]) -> None:
    """Write all, or nothing."""
    if path == STDIN:
        for part in parts:
            write(part)
        return
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("x", encoding="utf-8", newline="") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as exc:
        with contextlib.suppress(OSError):  # where its folder is none, there is nothing to put away
            temporary.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written ({exc.strerror}); make room, or name another file") from exc
