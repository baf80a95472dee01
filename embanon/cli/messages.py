"""One file a command: each maps its arguments to one call of the library and writes what comes back.

Here is what they share.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from embanon.document import Document
from embanon.errors import EmbanonError, OutputError
from embanon.io.progress import Line
from embanon.io.read import FORMATS, read
from embanon.io.read.source_map import TextColumns

Item = TypeVar("Item")

INTERNAL: Final = 4
LIVE: Final[list[Line]] = []
"""Lines that say how far a work is, which a message must not run into."""

CONFIG_HELP: Final = "settings; else ./embanon.toml, else the user's own"


def inputs(parser: argparse.ArgumentParser, least: str = "+") -> None:
    """Add what every command has that reads texts; `least` is how many, in argparse's words."""
    add = parser.add_argument
    add("files", nargs=least, metavar="FILE",
        help="text (.txt, .md), page (.html), JSON Lines (.jsonl[.gz]), table (.csv, .tsv[.gz]), e-mail (.eml); a "
        "folder or a pattern for many; - is stdin. Offsets are of the text that readers see, whatever marks it up"
    )  # fmt: skip
    reading(parser)


def reading(parser: argparse.ArgumentParser) -> None:
    """Add what says how inputs are read."""
    add = parser.add_argument
    add("--format", choices=tuple(FORMATS), help="what each FILE is, whatever its name")
    add("--encoding", metavar="NAME", help="of text, pages and tables; else as they say themselves, or UTF-8")
    add("--column", action="append", metavar="NAME", help="of tables: that has text (text); may be given again")
    add("--id-column", metavar="NAME", help="of tables: that has ids (id, else the number of the row)")
    add("--config", metavar="FILE", help=CONFIG_HELP)
    add("--language", metavar="CODE", help="en, es, pt, de …; else detected")


def columns(options: argparse.Namespace, carried: Sequence[str] = ()) -> TextColumns:
    """Give the columns of tables that the options name."""
    return TextColumns(tuple(options.column or ("text",)), options.id_column, tuple(carried))


def documents(path: str, options: argparse.Namespace) -> Iterator[Document]:
    """Read an input as the options say."""
    return read(path, options.encoding, options.format, columns=columns(options))


def failed(exc: Exception) -> int:
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


def each(inputs: Iterable[Item], work: Callable[[Item], int], left_out: list[str] | None = None) -> int:
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
                code = max(code, failed(exc))
            else:
                left_out.append(str(exc))
                code = max(code, exc.exit_code)
        except Exception as exc:
            code = max(code, failed(exc))
    return code


def say_left_out(reasons: Sequence[str], of: int) -> None:
    """Say which inputs are left out, and why, a line each."""
    if of > 1 and reasons:
        say(f"{len(reasons)} of {of} inputs {'is' if len(reasons) == 1 else 'are'} left out:")
    for reason in reasons:
        say(f"  {reason}" if of > 1 else reason)


def say(message: str) -> None:
    """Write one line to standard error."""
    for line in LIVE:
        line.end()
    # Where nothing can be said, the exit code still speaks.
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"embanon: {printable(message)}\n")


def warn_of_script(language: str, heard: set[str]) -> None:
    """Say once what it means that a language has no tagger."""
    if language not in heard:
        heard.add(language)
        say(f"warning: no tagger for {language!r}: phrases are found by script alone")


def printable(message: str) -> str:
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
