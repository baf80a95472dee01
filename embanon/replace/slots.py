"""Look around a phrase: where its label is to stand, and what stands there by now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from embanon.document import Phrase
from embanon.entities import class_pattern, fold_text
from embanon.replace.edit import Edit
from embanon.replace.grammar import Slot

SLOT_CONTEXT: Final = 40
"""Characters beside a phrase that its grammar depends on."""
QUOTES: Final = "\"“‘«„'("
OPENS_FIELD: Final = re.compile(r"(?:^|[:|•·(\t]|  |^[-–*] ?|^\d+[.)]|(?:^|[|(•·]|  ) *[^\W\d_][^\s.]{0,9}\.) *$")
SECOND_OF_LIFE: Final = re.compile(r"\([^()]{2,40} ?[–—-] ?$")
"""Before the second of two dates in brackets."""
ABBREVIATION_BEFORE: Final = re.compile(r"(?<!\w)[a-zA-Z]{1,4}\. $")
CLOSES_FIELD: Final = re.compile(r"\.?$|\.\s+$|[ \u00a0]*(?:[,;|•·()\t/–—:]|  | - )")
"""What stands before and behind the value of a field, a heading, an entry of a list."""
LIST_CONTEXT: Final = 120
LIST_GOES_ON: Final = re.compile(
    r"(?:, [^,.;:\n]{2,40}){1,4},? (?:and|or|y|e|o|ou|und|oder) "
    r"(?:[A-ZÀ-Þ][\w.&'’-]* )+(?!(?:de|of|von|da|do) )[a-zß-ÿ]{2,}"
)
"""Behind the first of several who do something."""
GOES_ON: Final = re.compile(r", [^\W\d_A-ZÄÖÜ].{12,}[.!?]$")


def build_slot(text: str, near: Sequence[Phrase], phrase: Phrase, last: Edit | None, starts: frozenset[int]) -> Slot:
    """Look around a phrase, with the edit before it as it will read; `near` has the phrases beside it as well."""
    free = text[max(0, phrase.start - SLOT_CONTEXT, last.end if last else 0) : phrase.start]
    before = free
    if last and phrase.start - last.end < SLOT_CONTEXT:
        before = f"{text[max(0, last.start - SLOT_CONTEXT) : last.start]}{last.replacement}{free}"
    opening = phrase.start
    while opening and opening not in starts and text[opening - 1] in QUOTES:
        opening -= 1
    return Slot(
        phrase, text[phrase.start : phrase.end], text[phrase.head_start : phrase.head_end],
        before.rpartition("\n")[2][-SLOT_CONTEXT:], text[phrase.end : phrase.end + SLOT_CONTEXT].partition("\n")[0],
        len(free.rpartition("\n")[2]), opening in starts,
        is_modifier=near[-1].form == "common" and _are_adjacent(text, phrase, near[-1]),
        follows_phrase=_are_adjacent(text, near[0], phrase),
        stands_alone=_stands_alone(before.rpartition("\n")[2], text[phrase.end : phrase.end + LIST_CONTEXT], phrase),
        precedes_name=near[-1].type == "PERSON" and text[phrase.end : near[-1].start].isspace(),
    )  # fmt: skip


def _stands_alone(before: str, after: str, phrase: Phrase) -> bool:
    """Return whether a phrase is the value of a field, a heading, an entry of a list; geb. 9.2.1986 is one too."""
    line = after.partition("\n")[0]
    after = after[:SLOT_CONTEXT]
    if LIST_GOES_ON.match(line) or (after.startswith(", ") and GOES_ON.match(after.partition("\n")[0])):
        return False  # a sentence that begins with a name
    opens = OPENS_FIELD.search(before)
    if phrase.type == "DATETIME" and not opens:
        opens = ABBREVIATION_BEFORE.search(before) or SECOND_OF_LIFE.search(before)
    return bool(opens) and bool(CLOSES_FIELD.match(after.partition("\n")[0]))


def is_salutation(before: str, after: str, language: str) -> bool:
    """Return whether somebody is spoken to by name: Dear Ms Berger, and Hola, Ana."""
    pattern, match = class_pattern("salutation", language), GREETING_WORD.search(before)
    return bool(pattern and match and pattern.fullmatch(fold_text(match[1])) and CLOSES_GREETING.match(after))


GREETING_WORD: Final = re.compile(r"([^\W\d_]+)[, ]{1,2}$")
CLOSES_GREETING: Final = re.compile(r"\s*(?:[,:;!.–—-]|$)")


def _are_adjacent(text: str, phrase: Phrase, other: Phrase) -> bool:
    """Return whether a phrase and the next one belong together, with a space between them."""
    return phrase.base == other.base and text[phrase.end : other.start].isspace()
