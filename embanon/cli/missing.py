"""Phrases of a collection of texts that have no ladder yet: listed, and asked of a source."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

from embanon.cli.options import input_documents, language_config, refuse_repeated_stdin
from embanon.config import load
from embanon.document import Document
from embanon.errors import ConfigError, InputError
from embanon.io import as_json, check_encoding, format_table, read_documents, report_omitted, say, write
from embanon.taxonomy import SHIPPED, MissingLabel, climber, missing_labels
from embanon.text import find_all

HEADER: Final = ("count", "type", "language", "phrase")


def list_missing(options: argparse.Namespace) -> int:
    """Write the phrases without a ladder, the most frequent first."""
    config = language_config(options)
    refuse_repeated_stdin(options.files)
    if options.encoding:
        check_encoding(options.encoding)
    paths, omitted = _inputs(options.files)
    documents = chain.from_iterable(input_documents(path, options) for path in paths)
    stores = tuple(options.store) or SHIPPED
    labels = missing_labels(find_all(documents, config=config), partial(climber, stores))
    if options.json:
        write("".join(as_json(_row(label)) + "\n" for label in labels))
    elif labels:
        write(format_table(HEADER, (
            (str(label.count), " ".join(label.types), label.language, label.label) for label in labels
        )))  # fmt: skip
    else:
        say("note: every phrase of the texts has a ladder")
    return InputError.exit_code if omitted else 0


def labels_for(options: argparse.Namespace) -> list[str]:
    """Return what to ask a source for: what the texts of `--for` have no ladder of, also in simpler forms."""
    paths, omitted = _inputs(options.collection)
    if omitted:
        raise InputError("--for: not all of its texts can be read; leave out what is no text, or name the files")
    documents: Iterator[Document] = chain.from_iterable(map(read_documents, paths))
    config = load(options.config).config
    missing = missing_labels(find_all(documents, config=config), partial(climber, SHIPPED))
    if not missing:
        raise ConfigError("--for: every phrase of the texts has a ladder already; there is nothing to build")
    say(f"note: {len(missing):,} phrases have no ladder yet")
    return list(dict.fromkeys(form for label in missing for form in label.forms))


def _inputs(names: Sequence[str]) -> tuple[list[str], bool]:
    """Return the files of inputs, and whether there are others that cannot be read."""
    from embanon.workflow import find_inputs

    files, omitted = find_inputs(names)
    report_omitted(omitted, len(omitted))
    return [file.path for file in files], bool(omitted)


def _row(label: MissingLabel) -> dict[str, Any]:
    return {
        "phrase": label.label, "language": label.language, "count": label.count, "types": dict(label.types),
        "forms": list(label.forms),
    }  # fmt: skip
