"""What commands write: files, standard output, and warnings and progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from embanon.errors import EmbanonError, InputError
from embanon.io import (
    PROGRESS_LINES,
    STDIN,
    ProgressLine,
    as_json,
    format_table,
    process_each,
    report_failure,
    report_omitted,
    say,
    write,
)

if TYPE_CHECKING:  # commands that only read texts do not wait for what scores and replaces
    from embanon.workflow import DocumentWarning, FileResult, Input, Progress

PROGRESS_MIN_BYTES: Final = 1 << 18
"""Bytes of input from which it is said how far a work is."""
MAX_SUMMARIES: Final = 20
"""Documents that are summed up one by one in a terminal."""


class _Bounds(Protocol):
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def process_each_file(paths: Sequence[str], work: Callable[[str], int]) -> int:
    """Process each named file and each file in a named folder; return the highest exit code."""
    from embanon.workflow import find_inputs

    files, omitted = find_inputs(paths)
    code = max(InputError.exit_code if omitted else 0, process_each([file.path for file in files], work))
    report_omitted(omitted, len(omitted))
    return code


def say_warnings(document_warnings: Iterable[DocumentWarning], heard: set[str]) -> int:
    """Print warnings, those that hold for many documents once; return the exit code."""
    code = 0
    for warning in document_warnings:
        if warning.is_note and warning.message in heard:
            continue
        heard.add(warning.message)
        say(f"warning: {warning}")
        code = max(code, 0 if warning.is_note else 1)
    return code


def write_results(results: Callable[[Progress], Generator[FileResult, None, None]], output: str) -> int:
    """Report on each file, writing results to standard output if requested; return the exit code."""
    from embanon.report import summary_line, totals
    from embanon.workflow import join_results

    code, count, omitted, heard = 0, 0, list[str](), set[str]()
    shown: list[FileResult] = []
    numbers: list[dict[str, Any]] = []
    with progress_over() as line, closing(results(partial(_show_if_long, line))) as outcomes:
        for result in outcomes:
            count += 1
            code = max(code, say_warnings(result.warnings, heard), int(result.has_remaining_risk))
            numbers += map(dict, result.numbers)
            if result.problem is None:
                shown += [result] if output == STDIN else []
            elif isinstance(result.problem, EmbanonError):
                omitted.append(str(result.problem))
                code = max(code, result.problem.exit_code)
            else:
                code = max(code, report_failure(result.problem))
    if shown:
        write_bytes(output, join_results(shown))
    for row in numbers[:MAX_SUMMARIES]:
        say(f"{row['id']}: {summary_line(row)}")
    if len(numbers) > 1:
        say(f"documents: {len(numbers):,}; {summary_line(totals(numbers))}")
    report_omitted(omitted, count)
    return code


def _show_if_long(line: ProgressLine, step: str, done: float, size: float) -> None:
    if size >= PROGRESS_MIN_BYTES:
        line(step, done, size)


@contextmanager
def progress_over(files: Iterable[Input] | None = None) -> Iterator[ProgressLine]:
    """Show progress, unless the work is short."""
    line = progress_line(files)
    PROGRESS_LINES[:] = [line]
    try:
        yield line
    finally:
        PROGRESS_LINES.clear()
        line.clear()


def is_watched() -> bool:
    """Return whether a person watches standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


def progress_line(files: Iterable[Input] | None = None) -> ProgressLine:
    """Return a progress line, which stays silent while the work is short."""
    is_short = files is not None and sum(file.size for file in files) < PROGRESS_MIN_BYTES
    return ProgressLine.for_stream(None if is_short else sys.stderr)


def write_all(path: str, parts: Iterable[str], mode: int = 0o666) -> None:
    """Write a file whole, or not at all."""
    write_bytes(path, "".join(parts).encode("utf-8"), mode)


def write_bytes(path: str, data: bytes, mode: int = 0o666) -> None:
    """Write a file whole, or not at all; a terminal gets only what it can show."""
    if path != STDIN:
        from embanon.workflow import write_file

        write_file(path, data, mode)
    elif sys.stdout.isatty():
        write(data.decode("utf-8", "replace"))
    else:
        write("")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


def show_card(card: dict[str, Any], json: bool) -> int:
    """Write the card of a model or a taxonomy, with the size of its files."""
    card["bytes"] = sum(row["bytes"] for row in card.pop("files").values())
    rows = ((key, as_json(value)) for key, value in _flat(card))
    write(as_json(card) + "\n" if json else format_table(("key", "value"), rows))
    return 0


def _flat(card: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in card.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def show_whole(path: Path, verify: Callable[[Path], object]) -> int:
    """Verify that no byte of a folder has changed."""
    verify(path)
    write(f"{path}: whole\n")
    return 0


def format_number(value: float | None, digits: int = 3, missing: str = "-") -> str:
    """Return a number as text, or what stands for an unknown one."""
    return missing if value is None else f"{value:.{digits}f}"


def format_rank(rank: float | None) -> str:
    """Return a rank as text."""
    return "" if rank is None else f"{rank:g}"


def format_bounds(bounds: _Bounds | None) -> str:
    """Return an interval as text."""
    return "" if bounds is None else f"{bounds.low:.3f}-{bounds.high:.3f}"


def format_risk(risk: float) -> str:
    """Return a risk as text, or `unknown`."""
    return "unknown" if risk != risk else f"{risk:.2f}"
