"""The users' grammar of noun phrases: a chunk grammar of NLTK over universal tags, checked when settings are loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from embanon.errors import ConfigError

TAGS: Final = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
"""The tags of Universal Dependencies, which are those of all taggers."""
TAG_JOINER: Final = "_"
"""Between the tags of a contraction: `ADP_DET`. A plus would be a quantifier in a grammar."""
NOUN_PHRASE: Final = "NP"
"""The chunks of a grammar that are phrases; others may be steps on the way to them."""
MAX_GRAMMAR_LENGTH: Final = 100_000
_TAG_PATTERN: Final = re.compile(r"<([^<>]*)>")
_EXAMPLE: Final = "NP: {<ADJ>*<NOUN|PROPN>+}"


@lru_cache(maxsize=8)
def compile_chunk_grammar(grammar: str) -> Any:
    """Return NLTK's parser of a grammar; what is wrong with it is said by its line."""
    from nltk.chunk import RegexpParser

    if len(grammar) > MAX_GRAMMAR_LENGTH:
        raise ConfigError(f"phrases.grammar: has more than {MAX_GRAMMAR_LENGTH} characters; make it shorter")
    lines = grammar.splitlines()
    labels = {line.partition(":")[0].strip() for line in lines if ":" in line}
    if NOUN_PHRASE not in labels:
        raise ConfigError(f"phrases.grammar: has no {NOUN_PHRASE}, which says what a phrase is; such as {_EXAMPLE}")
    parser = _parser(grammar)
    if parser is None:
        wrong = next(number for number in range(1, len(lines) + 1) if _parser("\n".join(lines[:number])) is None)
        raise ConfigError(f"phrases.grammar: line {wrong} is no rule of a chunk grammar of NLTK; such as {_EXAMPLE}")
    for number, line in enumerate(lines, 1):
        for pattern in _TAG_PATTERN.findall(line.partition("#")[0]):
            if not _names_tag(pattern, labels):
                raise ConfigError(
                    f"phrases.grammar: line {number}: <{pattern}> is no tag; tags are {' '.join(sorted(TAGS))}, of "
                    f"contractions ADP{TAG_JOINER}DET, and the grammar's own chunks"
                )
    assert isinstance(parser, RegexpParser)
    return parser


def _parser(grammar: str) -> Any:
    """Return the parser, or `None` of what is no grammar."""
    from nltk.chunk import RegexpParser
    from regex import error as RegexError  # noqa: N812

    try:
        return RegexpParser(grammar)
    except (ValueError, TypeError, IndexError, RecursionError, OverflowError, TimeoutError, RegexError):
        return None


def _names_tag(pattern: str, labels: Iterable[str]) -> bool:
    """Return whether a pattern between angle brackets matches a tag, a contraction's or a chunk's label."""
    from nltk.chunk.regexp import tag_pattern2re_pattern

    expression = re.compile(tag_pattern2re_pattern(f"<{pattern}>"))
    pairs = (f"{first}{TAG_JOINER}{second}" for first in TAGS for second in TAGS)
    return any(expression.fullmatch(f"<{tag}>") for tag in (*TAGS, *labels, *pairs))
