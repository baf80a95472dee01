"""`embanon entities`: suggest whom a text is about, with their aliases, as lines for `--entities`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, Final

from embanon.cli.options import add_input_arguments, input_documents, language_config
from embanon.cli.output import process_each_file
from embanon.entities import propose_entities
from embanon.io import as_json, write
from embanon.text import Analysis, find_all

EXAMPLE: Final = """\
A line a document: its id, and whom it is about, the likeliest first: the patient rather than the doctor, a company, a
project. The score is the probability that it is this one rather than another; several are suggested where it is close.
Read them before you use them: who is only mentioned is left out, unless --all.

examples:
  embanon entities letter.txt > protect.jsonl
  embanon score letter.txt --entities protect.jsonl
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    parser.add_argument("--all", action="store_true", help="Add who is only mentioned.")


def run(options: argparse.Namespace) -> int:
    """Write whom each document is about."""
    config = language_config(options)

    def suggest(path: str) -> int:
        code = 0
        for analysis in find_all(input_documents(path, options), config=config):
            entities = list(_suggested(analysis, options.all))
            write(as_json({"id": analysis.document.id, "protect": entities}) + "\n")
            code = max(code, 0 if entities else 1)
        return code

    return process_each_file(options.files, suggest)


def _suggested(analysis: Analysis, every: bool) -> Iterator[dict[str, Any]]:
    """Return whom a text may be about, by rank."""
    proposals = propose_entities(analysis.document.text, analysis.phrases, analysis.language)
    for rank, proposal in enumerate(proposals, 1):
        if proposal.proposed or every:
            entity = proposal.entity
            yield {
                "name": entity.name, "aliases": list(entity.aliases), "type": entity.type, "rank": rank,
                "score": round(proposal.score, 2),
            }  # fmt: skip
