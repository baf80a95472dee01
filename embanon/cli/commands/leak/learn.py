"""`embanon leak learn`: learn from labeled documents what makes a document sensitive, whatever it is about."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from embanon.cli.options import add_input_arguments, refuse_repeated_stdin, text_columns
from embanon.cli.output import progress_over
from embanon.errors import ConfigError, EmbanonError, InputError, OutputError
from embanon.io import (
    STDIN,
    ProgressLine,
    ReadOptions,
    as_json,
    format_table,
    open_input,
    read_sources,
    replace_unsafe,
    report_failure,
    report_omitted,
    say,
    write,
)
from embanon.leak import LabeledDocuments, Labels, describe_omissions, read_labels
from embanon.model import DEFAULT, open_model
from embanon.workflow import Input, check_outputs, find_inputs

EXAMPLE: Final = """\
The result is a second opinion beside what documents disclose of entities: embanon leak scan … --sensitivity FILE. It
holds words of sensitive documents, and is as secret as these. Labels and usual markings such as `secret` are first
removed from the texts, wherever they stand; name others with --marking.

examples:
  embanon leak learn papers.jsonl --label-field marking --sensitive Secret --sensitive 'Top Secret' -o sensitivity.npz
  embanon leak learn legal/ public/ --by-folder --sensitive legal -o sensitivity.npz
  embanon leak learn documents/ --labels labels.csv --sensitive C3 --open C1 --marking 'C3*' -o sensitivity.npz
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", required=True, help="File to write the result to, such as sensitivity.npz.")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--label-field", metavar="KEY", help="Key or column with the label of a document.")
    how.add_argument("--labels", metavar="FILE", help="Table of id,label; an id is a path as named, or below the named "
        "folder, or an id of JSON Lines or tables.")  # fmt: skip
    how.add_argument("--by-folder", action="store_true", help="Take the folder of a document as its label.")
    add("--sensitive", action="append", required=True, metavar="LABEL", help="Sensitive label. Repeatable.")
    add("--open", action="append", default=[], metavar="LABEL", help="Label that is not sensitive; "
        "other labels are then left out. Repeatable. [default: all other labels]")  # fmt: skip
    add("--group-field", metavar="KEY", help="Key or column of a group that must not give labels away, "
        "such as volume, author or year; also a column of --labels.")  # fmt: skip
    add("--marking", action="append", default=[], metavar="WORD", help="Marking in texts that is not "
        "learned from; a star at the end is any ending. Repeatable.")  # fmt: skip
    add("--model", metavar="MODEL", default=DEFAULT, help="Model of `embanon train`. [default: the shipped model]")
    add("--show-original", action="store_true", help="List the words that tell the most.")
    add("--json", action="store_true", help="Write JSON.")


def run(options: argparse.Namespace) -> int:
    """Learn and save the classifier, and print how reliable it is."""
    from embanon.leak import Markings, learn

    if options.output == STDIN:
        raise ConfigError("what is learnt is no text; name a file for it: -o sensitivity.npz")
    refuse_repeated_stdin(options.files)
    check_outputs([one for one in options.files if not Path(one).is_dir()], options.output, others=[options.labels])
    further = Markings.build((), options.marking)
    given, left_out, faults, count = _read_documents(options, _read_labels(options))
    model = open_model(options.model)
    training = learn(given, model, Markings.build(given.seen_labels, (), further.words))
    _save(training.sensitivity, options.output)
    row = {**given.counts(), "left_out": len(left_out) + len(faults), **training.row()}
    words = training.telling_words if options.show_original else ()
    if options.show_original:
        row["telling"] = words
    write(as_json(row) + "\n" if options.json else "".join(_describe_result(row, words)))
    for note in describe_omissions(given):
        say(f"note: {note}")
    for warning in _warnings(row, training.is_single_word):
        say(f"warning: {warning}")
    report_omitted(left_out, count)
    return max([InputError.exit_code if left_out else 0, *map(report_failure, faults)])


def _read_labels(options: argparse.Namespace) -> Labels:
    rows = None
    if options.labels:
        with open_input(options.labels) as stream:
            rows = read_labels(stream, options.labels, options.group_field)
    return Labels(tuple(options.sensitive), tuple(options.open), options.label_field, rows, options.group_field)


def _read_documents(
    options: argparse.Namespace, labels: Labels
) -> tuple[LabeledDocuments, list[str], list[Exception], int]:
    """Read all documents; with what is left out, faults of ours, and how many files there are."""
    files, left_out = find_inputs(options.files)
    unlisted = len(left_out)
    ignored = {Path(one).resolve() for one in (options.output, options.labels, options.config) if one}
    files = [one for one in files if one.path in options.files or Path(one.path).resolve() not in ignored]
    given, faults = LabeledDocuments(labels), list[Exception]()
    done, total = 0, sum(one.size for one in files)
    carried = (labels.label_field, None if labels.has_groups else labels.group)
    reading = ReadOptions(options.encoding, text_columns(options, tuple(dict.fromkeys(one for one in carried if one))))
    with progress_over(files) as line:
        for file in files:
            try:
                _read_file(given, file, reading, options.format, line, (done, total))
            except EmbanonError as exc:
                left_out.append(str(exc))
            except Exception as exc:  # a fault of ours: the other files are read
                faults.append(exc)
            done += file.size
    if left_out and not given.texts:
        report_omitted(left_out, len(files) + unlisted)
        raise InputError("no document that has a label could be read; name others")
    if faults and not given.texts:
        raise faults[0]
    given.finish()
    return given, left_out, faults, len(files) + unlisted


def _read_file(
    given: LabeledDocuments,
    file: Input,
    reading: ReadOptions,
    format: str | None,
    line: ProgressLine,
    done: tuple[int, int],
) -> None:
    size = 0
    for source in read_sources(file.path, reading, format):
        size += len(source.document.text)
        line("reading", done[0] + min(size, file.size), done[1])
        given.add(source.document, file.path, file.relative)


def _save(model: Any, output: str) -> None:
    try:
        model.save(Path(output))
    except OSError as exc:
        raise OutputError(f"{output}: cannot be written ({exc.strerror}); make room, or name another file") from exc


def _describe_result(row: dict[str, Any], words: Sequence[str]) -> Iterator[str]:
    yield f"documents: {row['sensitive']:,} sensitive, {row['others']:,} not, {row['unlabeled']:,} without a label; "
    yield f"groups: {row['groups']:,}\n\n"
    areas = [(name, *(f"{one[each]:.3f}" for each in ("value", "low", "high"))) for name, one in row["auc"].items()]
    yield format_table(("told by other groups", "AUC", "from", "to"), areas)
    bins = [(f"{one['documents']:,}", f"{one['stated']:.2f}", f"{one['true']:.2f}") for one in row["calibration"]]
    yield "\n" + format_table(("documents", "stated", "sensitive"), bins)
    yield f"Brier score: {row['brier']:.3f}; of the share alone: {row['brier_of_share']:.3f}\n"
    if words:
        yield "\n" + format_table(("words that tell most",), [(replace_unsafe(one),) for one in words])


def _warnings(row: dict[str, Any], by_a_word: bool) -> Iterator[str]:
    """Yield reasons not to rely on the result."""
    if not row["above_floors"]:
        yield "what is learnt tells no more than a floor does, within its bounds: do not rely on it; label more"
    if by_a_word:
        yield ("a single word tells about as much: perhaps a marking that stands in the texts; look with "
               "--show-original, and name it with --marking")  # fmt: skip
    if row["brier"] >= row["brier_of_share"]:
        yield "what is stated is met no better than the share of all: do not rely on its probabilities"
