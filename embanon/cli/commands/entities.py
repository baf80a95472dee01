"""`embanon entities`: suggest the people a text is about, with their aliases, as lines for `--entities`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from embanon.cli.options import add_input_arguments, input_documents, language_config
from embanon.cli.output import process_each_file
from embanon.entities import PresentEntity, find_present_entities
from embanon.io import as_json, write
from embanon.risk import attribute
from embanon.text import Analysis, find_all

EXAMPLE: Final = """\
A line a document: its id, and the people it is about, most of it first. Read them before you use them: who is only
mentioned is left out, unless --all.

examples:
  embanon entities letter.txt > protect.jsonl
  embanon score letter.txt --entities protect.jsonl
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    parser.add_argument("--all", action="store_true", help="Add who is only mentioned.")


def run(options: argparse.Namespace) -> int:
    """Write the people each document is about."""
    config = language_config(options)

    def suggest(path: str) -> int:
        code = 0
        for analysis in find_all(input_documents(path, options), config=config):
            people = list(_suggested(analysis, options.all))
            write(as_json({"id": analysis.document.id, "protect": people}) + "\n")
            code = max(code, 0 if people else 1)
        return code

    return process_each_file(options.files, suggest)


def _suggested(analysis: Analysis, every: bool) -> Iterator[dict[str, Any]]:
    """Return the people in a text, ordered by how much of it speaks of them."""
    text, phrases = analysis.document.text, analysis.phrases
    people = find_present_entities(text, phrases, [], analysis.language)
    attribution = attribute(text, phrases, people, analysis.sentences, analysis.language)
    share = {place: float(np.sum(attribution.shares_of(place))) for place in attribution.subjects}
    if not share and people:  # nobody begins a sentence: who is named most
        most = max(len(one.spans) for one in people)
        share = {place: 1.0 for place, one in enumerate(people) if len(one.spans) == most}
    order = sorted(share, key=lambda place: -share[place])
    if every:
        order += [place for place in range(len(people)) if place not in share]
    for place in order:
        names = _names(text, people[place])
        yield {"name": names[0], "aliases": names[1:], "type": "PERSON"}


def _names(text: str, entity: PresentEntity) -> list[str]:
    """Return the names of a person in a text, the longest first."""
    names = dict.fromkeys(" ".join(text[start:end].split()) for start, end in entity.spans)
    return sorted(names, key=lambda name: (-len(name), name))
