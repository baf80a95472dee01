"""`embanon doctor`: check whether a model is fit for a text."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Final

from embanon.cli.options import add_input_arguments, input_documents, language_config
from embanon.cli.output import process_each_file
from embanon.io import as_json, format_table, heading, write
from embanon.model import DEFAULT, Fitness, Step, measure_fitness, open_model
from embanon.text import find_all

EXAMPLE: Final = """\
Exit code 1 says that the model is not fit for one of the texts: then a low risk means nothing.

examples:
  embanon doctor letter.txt --model our.model
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    parser.add_argument("--model", metavar="MODEL", default=DEFAULT, help="Model folder. [default: the shipped model]")
    parser.add_argument("--json", action="store_true", help="Write a JSON object for each document.")


def run(options: argparse.Namespace) -> int:
    """Compare each document with the model."""
    config = language_config(options)
    model = open_model(options.model)

    def compare(path: str) -> int:
        code = 0
        for analysis in find_all(input_documents(path, options), config=config):
            document = analysis.document
            fitness = measure_fitness(document.text, analysis.phrases, analysis.language, model)
            code = max(code, 1 if fitness.problem else 0)
            if options.json:
                write(as_json({"id": document.id, "fit": not fitness.problem, **asdict(fitness)}) + "\n")
            else:
                write(heading(document.id, analysis.language) + _table(fitness))
        return code

    return process_each_file(options.files, compare)


def _table(fitness: Fitness) -> str:
    rows = [
        ("distinct words", f"{fitness.words:,}"),
        ("unknown to the model", f"{fitness.strange:.1%}"),
        *((f"phrases: {step.name.lower()}", f"{fitness.steps[step]:,}") for step in Step),
        ("documents nearly the same", f"{fitness.same:,}"),
    ]
    return format_table(("fit", fitness.problem or "yes"), rows)
