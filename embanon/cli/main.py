"""The command line: the table of commands, and their exit codes.

exit 0  done, nothing at or above the limit is left
     1  done, but risk at or above the limit remains or was found
     2  the command, its options or its configuration are wrong
     3  an input cannot be read, or is unsafe to read; nothing is written for it, the others are
     4  a fault of embanon's own
With several inputs, the highest code counts. An interrupted command ends as the shell expects, with 130; one whose
output cannot be written (its reader went away, the disk is full, it is closed) with 141.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

from embanon.cli.parser import Parser
from embanon.config import suggest_name
from embanon.errors import OutputError
from embanon.io import flush, report_failure, say

COMMANDS: Final = {
    "demo": "Write invented texts to a folder, and show all commands on them in a few seconds.",
    "phrases": "List the phrases of each file that can be masked, with their types; the file is not changed.",
    "anonymize": "Write an anonymized copy of each file; originals are not changed.",
    "restore": "Write a copy of each anonymized file with the originals put back.",
    "report": "Write a report on the risks in each file before and after; the file is not changed.",
    "score": "Score how much each phrase of a file gives away; the file is not changed.",
    "attack": "Attack anonymized files with public text, and count whom that finds; no file is changed.",
    "evaluate": "Compare what any system masked in texts with what people marked; no file is changed.",
    "sheet": "Write a spreadsheet in which people rate replacements, or sum up what they say.",
    "entities": "Suggest whom each file is about; the file is not changed.",
    "doctor": "Check whether a model is fit for each file; the file is not changed.",
    "tune": "Choose the limit for your texts, by annotations, attacks, or what is kept; no text is changed.",
    "train": "Train a model on a corpus, or grow one; the corpus is not changed.",
    "model": "Show, check, convert and share models.",
    "leak": "Score what a company's files disclose, and follow who knows what; no file is changed.",
    "ontology": "Compile taxonomies, show and climb them.",
    "config": "Show the settings in force, and where each comes from.",
}
"""Name -> what it does; `embanon.cli.commands.NAME` has `EXAMPLE`, `arguments(parser)` and `run(options)`."""

INTERRUPTED: Final = 130
OUTPUT_FAILED: Final = OutputError.exit_code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    logging.getLogger("embanon").handlers = [_messages()]
    if sys.stdout is None:  # as Python has it where it was started with `>&-`
        return report_failure(OutputError("standard output is closed; write to a file or to /dev/null"))
    ending = _SignalHandler()
    try:
        ending.install()
        code = _run(words)
        flush()
    except BaseException as exc:
        code = 0 if ending.signal_number else _report_error(exc)
    finally:
        ending.uninstall()
        _discard_messages()
    return ending.exit_by_signal() if ending.signal_number else code


def _report_error(exc: BaseException) -> int:
    """Print what went wrong, and return its exit code."""
    if isinstance(exc, BrokenPipeError | OutputError):
        _drop_output()
    if isinstance(exc, BrokenPipeError):
        return OUTPUT_FAILED
    if isinstance(exc, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(exc, Exception):
        return report_failure(exc)
    raise exc


class _Terminated(BaseException):
    """A signal asks the process to end."""


class _SignalHandler:
    """Ends the process on a signal as the shell expects, after cleaning up unfinished work.

    The signal counts, not the exception: garbage collection cannot raise it, and importing
    turns it into other errors.
    """

    def __init__(self) -> None:
        self.signal_number, self._heard = 0, list[int]()

    def install(self) -> None:
        """Start handling signals that nothing else handles."""
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                with contextlib.suppress(ValueError):  # not in the main thread, which alone hears of it
                    signal.signal(number, self._stop)
                    self._heard.append(number)

    def _stop(self, number: int, _frame: object) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)
        self.signal_number = number
        raise _Terminated

    def uninstall(self) -> None:
        """Stop handling signals."""
        for number in self._heard:
            signal.signal(number, signal.SIG_DFL)

    def exit_by_signal(self) -> int:
        """End by the signal."""
        signal.raise_signal(self.signal_number)
        return 128 + self.signal_number


def _run(words: Sequence[str]) -> int:
    try:
        options, unknown = _parser(words).parse_known_args(words)
        command = vars(options).pop("parser")
        if unknown:
            command.error(command.describe_unknown(unknown))
    except SystemExit as exc:  # help, version and mistakes; what they wrote is still to be flushed
        return int(exc.code or 0)
    return int(options.run(options))


def _drop_output() -> None:
    """Leave nothing that Python would try, and fail, to flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _discard_messages() -> None:
    """Drop messages that cannot be written, as Python would otherwise exit with a code of its own."""
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    except (AttributeError, ValueError):  # it was closed from the beginning
        return


def _parser(words: Sequence[str]) -> Parser:
    """Build the parser; only the requested command is imported, so that starting stays quick."""
    parser = Parser(
        prog="embanon",
        description="Find what gives an entity away in a text, offline.",
        epilog="example:\n  embanon phrases letter.txt",
    )
    parser.add_argument("--version", action="version", version=_version() if "--version" in words else "")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    asked = next((word for word in words if not word.startswith("-")), None)
    if asked is not None and asked not in COMMANDS:
        parser.error(f"no command {asked!r}{suggest_name(asked, COMMANDS)}")
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if name == asked:
            module = importlib.import_module(f"embanon.cli.commands.{name}")
            command.epilog = module.EXAMPLE
            module.arguments(command)
            command.set_defaults(run=module.run, parser=command)
    return parser


def _version() -> str:
    from importlib.metadata import version

    return f"embanon {version('embanon')}"


def _prepare_streams() -> None:
    """Write UTF-8 to files and pipes, and never fail on a character that a terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say(f"{record.levelname.lower()}: {record.getMessage()}")


def _messages() -> logging.Handler:
    return _Lines(logging.WARNING)


if __name__ == "__main__":
    sys.exit(main())
