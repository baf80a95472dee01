"""Messages and progress on standard error, and writing to standard output. No message quotes a text."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TextIO, TypeVar

from embanon.errors import EmbanonError, OutputError

Item = TypeVar("Item")

INTERNAL: Final = 4

LIVE_INTERVAL: Final = 0.2
LOG_INTERVAL: Final = 10.0
"""Seconds between two lines, in a terminal and in a log."""
UNITS: Final = {"training": "phrases", "concepts": "concepts", "labels": "labels"}
"""What is counted at a step, where it is not bytes."""


@dataclass(slots=True)
class ProgressLine:
    """A progress line that is rewritten in place."""

    stream: TextIO | None
    is_live: bool
    _step: str = ""
    _started: float = 0.0
    _said: float = field(default_factory=time.monotonic)
    _width: int = 0

    @classmethod
    def for_stream(cls, stream: TextIO | None) -> ProgressLine:
        """Return a progress line, which is rewritten in place on a terminal; without a stream it is silent."""
        return cls(stream, stream is not None and stream.isatty())

    def __call__(self, step: str, done: float, total: float) -> None:
        """Show that so much of a step is done; without a step, clear the line."""
        if not step:
            self.clear()
            return
        now = time.monotonic()
        if step != self._step:
            self._step, self._started = step, now
            if self.is_live:
                self._said = 0.0
        if now - self._said >= (LIVE_INTERVAL if self.is_live else LOG_INTERVAL):
            self._said = now
            self._write(describe_progress(step, done, total, now - self._started))

    def _write(self, text: str) -> None:
        self._send("\r" + text.ljust(self._width) if self.is_live else f"embanon: {text}\n")
        self._width = len(text)

    def clear(self) -> None:
        """Leave the progress line, so that what follows stands on its own."""
        if self.is_live and self._width:
            self._send("\r" + " " * self._width + "\r")
            self._width = 0

    def _send(self, text: str) -> None:
        if self.stream is not None:
            with contextlib.suppress(OSError):  # a long work does not fail because nobody hears of it
                self.stream.write(text)
                self.stream.flush()


def describe_progress(step: str, done: float, total: float, seconds: float) -> str:
    """Describe the progress of a step: its share, its rate and the time left, as far as they are known."""
    parts = [step]
    if total:
        parts.append(f"{min(done / total, 1):.0%}")
    if done and seconds > 0.5:
        rate, unit = done / seconds, UNITS.get(step, "bytes")
        parts.append(f"{rate:,.0f} {unit}/s")
        if total:
            left = max(total - done, 0) / rate
            parts.append(f"{int(left // 60)}:{int(left % 60):02} left")
    return "  ".join(parts)


PROGRESS_LINES: Final[list[ProgressLine]] = []
"""Lines that say how far a work is, which a message must not run into."""


def report_failure(exc: Exception) -> int:
    """Report a failure in one line, and return its exit code.

    For a bug in embanon only the kind and the place are shown, as its message may quote text.
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
    """Process each input and return the highest exit code; an input that fails is reported, and the others go on.

    Failures are reported at once, or collected to be reported at the end.
    """
    code = 0
    for item in inputs:
        try:
            code = max(code, work(item))
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


def report_omitted(reasons: Sequence[str], total: int) -> None:
    """List the inputs that are left out, and why, one per line."""
    if total > 1 and reasons:
        say(f"{len(reasons)} of {total} inputs {'is' if len(reasons) == 1 else 'are'} left out:")
    for reason in reasons:
        say(f"  {reason}" if total > 1 else reason)


def say(message: str) -> None:
    """Write one line to standard error."""
    for line in PROGRESS_LINES:
        line.clear()
    # Where nothing can be said, the exit code still speaks.
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"embanon: {replace_unprintable(message)}\n")


def warn_no_tagger(language: str, heard: set[str]) -> None:
    """Warn once for each language that has no tagger."""
    if language not in heard:
        heard.add(language)
        say(f"warning: no tagger for {language!r}: phrases are found by script alone")


def replace_unprintable(message: str) -> str:
    """Replace control characters in a line of a message."""
    return "".join(character if character.isprintable() else "\ufffd" for character in message)


def write(text: str) -> None:
    """Write to standard output."""
    with _output():
        sys.stdout.write(text)


def flush() -> None:
    """Flush standard output."""
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
