"""What may be a label: one line of text that a reader can be shown."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 400
"""Characters; what is longer describes a concept, and does not name it."""

INVISIBLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Control characters and what steers the direction or the break of a line: it would change the text around it."""
SURROGATES: Final = re.compile("[\ud800-\udfff]")


def cleaned(text: str) -> str | None:
    """Give a label with single spaces and without control characters; `None` where it is empty or too long."""
    if not (text.isascii() and text.isprintable()):
        text = SURROGATES.sub("\ufffd", INVISIBLE.sub(_space_or_nothing, text))
    text = " ".join(text.split())
    return text if 0 < len(text) <= LONGEST else None


def _space_or_nothing(found: re.Match[str]) -> str:
    return " " if found[0].isspace() else ""
