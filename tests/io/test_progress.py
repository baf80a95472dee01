"""Progress: what is said of how far a work is, and that a work does not fail where nobody hears of it."""

from __future__ import annotations

import errno
import io

import pytest

from embanon.io.messages import ProgressLine, describe_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Full(Terminal):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


# step, done, of, seconds -> what is said
DESCRIBED = [
    (("saving", 0, 0, 0.0), "saving"),
    (("saving", 0, 0, 99.0), "saving"),
    (("training", 0, 1000, 1.0), "training  0%"),
    (("training", 10, 1000, 0.1), "training  1%"),  # too early for a rate
    (("training", 500, 1000, 2.0), "training  50%  250 phrases/s  0:02 left"),
    (("training", 1000, 1000, 2.0), "training  100%  500 phrases/s  0:00 left"),
    (("training", 2000, 1000, 2.0), "training  100%  1,000 phrases/s  0:00 left"),
    (("statistics", 1_000_000, 200_000_000, 1.0), "statistics  0%  1,000,000 bytes/s  3:19 left"),
    (("statistics", 3000, 0, 2.0), "statistics  1,500 bytes/s"),  # a pipe: who knows how much is to come
    (("phrases", 1, 7201, 1.0), "phrases  0%  1 bytes/s  120:00 left"),
]


@pytest.mark.parametrize(("given", "text"), DESCRIBED, ids=lambda value: value if isinstance(value, str) else "")
def test_described(given: tuple[str, float, float, float], text: str) -> None:
    assert describe_progress(*given) == text


def often(line: ProgressLine, *calls: tuple[str, float, float]) -> None:
    """Tell of a work as if time passed between."""
    for call in calls:
        line._said = float("-inf")
        line(*call)


def test_a_terminal_has_one_line() -> None:
    stream = Terminal()
    line = ProgressLine.for_stream(stream)
    line("statistics", 0, 10)  # the first of a step is said at once
    often(line, ("saving", 0, 0))
    line("saving", 0, 0)  # no time has passed
    assert stream.getvalue() == "\rstatistics  0%\rsaving        "
    line.clear()
    assert stream.getvalue().endswith("\r      \r")
    written = stream.getvalue()
    line.clear()
    assert stream.getvalue() == written


def test_a_line_is_left_to_others() -> None:
    stream = Terminal()
    line = ProgressLine.for_stream(stream)
    often(line, ("phrases", 1, 2), ("", 0, 0))
    assert stream.getvalue() == "\rphrases  50%\r            \r"


def test_a_log_has_a_line_now_and_then() -> None:
    stream = io.StringIO()
    line = ProgressLine.for_stream(stream)
    line("statistics", 0, 10)
    assert stream.getvalue() == ""
    often(line, ("statistics", 1, 10), ("phrases", 5, 10), ("", 0, 0))
    line.clear()
    assert stream.getvalue() == "embanon: statistics  10%\nembanon: phrases  50%\n"


@pytest.mark.parametrize("stream", [None, Full()], ids=["closed", "full"])
def test_nobody_hears(stream: io.StringIO | None) -> None:
    line = ProgressLine.for_stream(stream)
    often(line, ("statistics", 0, 10), ("", 0, 0), ("phrases", 1, 2))
    line.clear()
