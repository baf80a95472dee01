"""The users' grammar of noun phrases: a chunk grammar of NLTK over universal tags, checked when settings are loaded."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
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
EXAMPLE_GRAMMAR: Final = "NP: {<ADJ>*<NOUN|PROPN>+}"


@lru_cache(maxsize=8)
def compile_chunk_grammar(grammar: str, place: str = "phrases.grammar") -> Any:
    """Return NLTK's parser of a grammar that stands at a place; what is wrong with it is said by its line."""
    if len(grammar) > MAX_GRAMMAR_LENGTH:
        raise ConfigError(f"{place}: has more than {MAX_GRAMMAR_LENGTH:,} characters; make it shorter")
    # NLTK takes a comment with a colon for a rule.
    lines = ["" if line.lstrip().startswith("#") else line for line in grammar.splitlines()]
    parser = _parser(lines)
    if parser is None:
        wrong = bisect_left(range(1, len(lines)), True, key=lambda count: _parser(lines[:count]) is None) + 1
        raise ConfigError(f"{place}: line {wrong} is no rule of a chunk grammar of NLTK; such as {EXAMPLE_GRAMMAR}")
    labels = _labels(lines)
    if NOUN_PHRASE not in labels:
        raise ConfigError(
            f"{place}: has no rule of {NOUN_PHRASE}, which says what a phrase is; such as {EXAMPLE_GRAMMAR}"
        )
    names = (*sorted(TAGS), *labels, *(f"{first}{TAG_JOINER}{second}" for first in TAGS for second in TAGS))
    for number, line in enumerate(lines, 1):
        for pattern in _TAG_PATTERN.findall(_without_comment(line)):
            if not _names_tags(pattern, names):
                raise ConfigError(
                    f"{place}: line {number}: <{pattern[:40]}> is no tag; tags are {' '.join(sorted(TAGS))}, of "
                    f"contractions ADP{TAG_JOINER}DET, and the grammar's own chunks"
                )
    return parser


def _parser(lines: Sequence[str]) -> Any:
    """Return the parser, or `None` of what is no grammar."""
    from nltk.chunk import RegexpParser
    from regex import error as RegexError  # noqa: N812

    try:
        return RegexpParser("\n".join(lines))
    except (ValueError, TypeError, IndexError, RecursionError, OverflowError, TimeoutError, RegexError):
        return None


def _labels(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the labels that have a rule with a tag."""
    labels, label = dict[str, None](), ""
    for line in lines:
        before, colon, rule = line.partition(":")
        label = before.strip() if colon else label
        if _TAG_PATTERN.search(_without_comment(rule if colon else line)):
            labels[label] = None
    return tuple(labels)


def _without_comment(line: str) -> str:
    return line.partition("#")[0]


def _names_tags(pattern: str, names: Sequence[str]) -> bool:
    """Return whether each alternative between angle brackets matches a tag, a contraction's or a chunk's label."""
    import regex
    from nltk.chunk.regexp import tag_pattern2re_pattern

    alternatives = [pattern] if set("([\\") & set(pattern) else pattern.split("|")
    for alternative in alternatives:
        expression = regex.compile(tag_pattern2re_pattern(f"<{alternative}>"))
        try:
            if not any(expression.fullmatch(f"<{name}>", timeout=1) for name in names):
                return False
        except TimeoutError:
            return False
    return True
