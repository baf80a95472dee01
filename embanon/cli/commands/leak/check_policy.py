"""`embanon leak check-policy`: what is amiss with a policy that can be used all the same."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from embanon.cli.options import add_input_arguments, input_documents
from embanon.errors import InputError
from embanon.io import as_json, format_table, report_omitted, write
from embanon.leak import FILE_NAME, check_policy, read_policy
from embanon.workflow import Input, find_inputs

EXAMPLE: Final = """\
A policy that cannot be used is an error, with exit code 2; exit code 1 says that something is amiss. Names of a policy
are secrets: they are told by their place in it. With documents it is found which names stand in many of them.

examples:
  embanon leak check-policy policy.toml
  embanon leak check-policy policy.toml documents/ --json
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("policy", metavar="POLICY", help=f"such as {FILE_NAME}")
    add_input_arguments(parser, "*")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Check it, and say what was found."""
    policy = read_policy(options.policy)
    for item in policy.entities:
        item.entity(Path(options.policy).parent)  # whose samples may not be there to be read
    files, left_out = find_inputs(options.files)
    found = check_policy(policy, _read_texts(files, options, left_out), options.language or "en")
    if options.json:
        write("".join(as_json({"where": one.where, "what": one.what}) + "\n" for one in found))
    elif found:
        write(format_table(("where", "what is amiss"), [(one.where, one.what) for one in found]))
    else:
        write(f"{options.policy}: nothing is amiss; entities: {len(policy.entities):,}\n")
    report_omitted(left_out, len(files) + len(left_out))
    return InputError.exit_code if left_out else int(bool(found))


def _read_texts(files: Sequence[Input], options: argparse.Namespace, left_out: list[str]) -> Iterator[str]:
    for file in files:
        try:
            for document in input_documents(file.path, options):
                yield document.text
        except InputError as exc:
            left_out.append(str(exc))
