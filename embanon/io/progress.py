"""Say on a terminal how far a long work is; elsewhere a line now and then."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import Final, TextIO

LIVE_INTERVAL: Final = 0.2
LOG_INTERVAL: Final = 10.0
"""Seconds between two lines, in a terminal and in a log."""
UNITS: Final = {"training": "phrases", "concepts": "concepts"}
"""What is counted at a step, where it is not bytes."""


@dataclass(slots=True)
class ProgressLine:
    """One line that is written over and over."""

    stream: TextIO | None
    is_live: bool
    _step: str = ""
    _started: float = 0.0
    _said: float = field(default_factory=time.monotonic)
    _width: int = 0

    @classmethod
    def for_stream(cls, stream: TextIO | None) -> ProgressLine:
        """Write to a stream, over and over where it is a terminal; there is none where standard error is closed."""
        return cls(stream, stream is not None and stream.isatty())

    def __call__(self, step: str, done: float, of: float) -> None:
        """Return whether so much of a step is done; without a step, leave the line to others."""
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
            self._write(describe_progress(step, done, of, now - self._started))

    def _write(self, text: str) -> None:
        self._send("\r" + text.ljust(self._width) if self.is_live else f"embanon: {text}\n")
        self._width = len(text)

    def clear(self) -> None:
        """Leave the line, so that what follows stands on its own."""
        if self.is_live and self._width:
            self._send("\r" + " " * self._width + "\r")
            self._width = 0

    def _send(self, text: str) -> None:
        if self.stream is not None:
            with contextlib.suppress(OSError):  # a long work does not fail because nobody hears of it
                self.stream.write(text)
                self.stream.flush()


def describe_progress(step: str, done: float, of: float, seconds: float) -> str:
    """Say how far a step is: its share, its rate and the time that is left, as far as they are known."""
    parts = [step]
    if of:
        parts.append(f"{min(done / of, 1):.0%}")
    if done and seconds > 0.5:
        rate, unit = done / seconds, UNITS.get(step, "bytes")
        parts.append(f"{rate:,.0f} {unit}/s")
        if of:
            left = max(of - done, 0) / rate
            parts.append(f"{int(left // 60)}:{int(left % 60):02} left")
    return "  ".join(parts)
