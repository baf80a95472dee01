"""Say on standard error what happened, and write to standard output: what commands share. No line has a text."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from embanon.errors import EmbanonError, OutputError
from embanon.io.progress import ProgressLine

Item = TypeVar("Item")

INTERNAL: Final = 4

PROGRESS_LINES: Final[list[ProgressLine]] = []
"""Lines that say how far a work is, which a message must not run into."""


def report_failure(exc: Exception) -> int:
    """Say in one line what failed, and give its exit code.

    Of a fault of our own only the kind and the place are said: its message may quote text.
    """
    if os.environ.get("EMBANON_DEBUG") == "1":
        traceback.print_exception(exc)
    if isinstance(exc, EmbanonError):
        say(str(exc))
        return exc.exit_code
    if isinstance(exc, MemoryError):
        say("out of memory; give smaller inputs")
        return INTERNAL
    last = traceback.extract_tb(exc.__traceback__)[-1:]
    where = f" at {last[0].name}:{last[0].lineno}" if last else ""
    say(f"internal error ({type(exc).__name__}{where}); EMBANON_DEBUG=1 shows more, and may show text")
    return INTERNAL


def process_each(inputs: Iterable[Item], work: Callable[[Item], int], left_out: list[str] | None = None) -> int:
    """Do the work of each input and give the highest code; one that fails is named, and the others are done.

    What failed is said at once, or kept where it is to be said at the end.
    """
    code = 0
    for one in inputs:
        try:
            code = max(code, work(one))
        except (BrokenPipeError, OutputError):
            raise
        except EmbanonError as exc:
            if left_out is None:
                code = max(code, report_failure(exc))
            else:
                left_out.append(str(exc))
                code = max(code, exc.exit_code)
        except Exception as exc:
            code = max(code, report_failure(exc))
    return code


def report_omitted(reasons: Sequence[str], of: int) -> None:
    """Say which inputs are left out, and why, a line each."""
    if of > 1 and reasons:
        say(f"{len(reasons)} of {of} inputs {'is' if len(reasons) == 1 else 'are'} left out:")
    for reason in reasons:
        say(f"  {reason}" if of > 1 else reason)


def say(message: str) -> None:
    """Write one line to standard error."""
    for line in PROGRESS_LINES:
        line.clear()
    # Where nothing can be said, the exit code still speaks.
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"embanon: {replace_unprintable(message)}\n")


def warn_no_tagger(language: str, heard: set[str]) -> None:
    """Say once what it means that a language has no tagger."""
    if language not in heard:
        heard.add(language)
        say(f"warning: no tagger for {language!r}: phrases are found by script alone")


def replace_unprintable(message: str) -> str:
    """Replace what a terminal would obey in a line of a message."""
    return "".join(character if character.isprintable() else "\ufffd" for character in message)


def write(text: str) -> None:
    """Write to standard output."""
    with _output():
        sys.stdout.write(text)


def flush() -> None:
    """Send what is written on its way."""
    with _output():
        sys.stdout.flush()


@contextlib.contextmanager
def _output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has what it wanted, which is no error
    except OSError as exc:
        raise OutputError(f"standard output cannot be written ({exc.strerror}); make room, or write elsewhere") from exc
