"""What beside a word says that it is somebody's name, or that it is none."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from embanon.entities.folding import fold_text
from embanon.entities.spellings import table_words
from embanon.language import Cue, Lexicon

REACH: Final = 80
"""Characters of a line that are looked at on each side."""

WORD_BEFORE: Final = re.compile(r"([^\W\d_]+(?:['’][^\W\d_]+)?)(\.?),?[ \t]{1,3}$")
LABEL_BEFORE: Final = re.compile(
    r"^[\s>*_|•–—-]*(?:\[[^\]\n]{1,30}\]|\(?\d[\d:./, -]{1,20}(?:[ap]\.?m\.?)?\)?)?[\s>*_|–—-]*[<@]?$", re.IGNORECASE
)
LABEL_AFTER: Final = re.compile(r"[\w.]{0,20}[ *_]{0,3}(?:\([^)\n]{1,30}\))?(?::(?!/)|>)")
"""What stands about whoever speaks: [10:02] rose: hi."""
HANDLE_BEFORE: Final = re.compile(r"(?:^|[^\w.])@[\w.]{0,20}$")
LINE_REST: Final = re.compile(r"[\s.,!xXoO♥❤<3:)*~_-]*$")
CLAUSE_BEGIN: Final = re.compile(r"(?:^|[.!?,;:…(\n])[\s>*_-]*$")
CLAUSE_END: Final = re.compile(r"\s*(?:$|[.!?,;:…)\n])")
SENTENCE_BEGIN: Final = re.compile(r"(?:^|[.!?:;…\n•*>|\"“„»«(])[\s>*_\"“„»«(–—-]*$")
DOMAIN_BEFORE: Final = re.compile(r"(?:[@#/]|www\.)[\w.-]{0,30}$")
DOMAIN_AFTER: Final = re.compile(r"(?:-?[\w-]{0,30}\.[a-z]{2,6})(?![\w])", re.IGNORECASE)
LETTERS: Final = re.compile(r"[^\W\d_]+")
SENTENCE_BREAK: Final = re.compile(r"[.!?…]")
CLAUSE_BREAK: Final = re.compile(r"[.!?,;:…(>]")
MIN_CLAUSE_LENGTH: Final = 2
"""Words before one in its clause, from which it is no mere call: ok rose."""
MAX_PREFIX: Final = 3
"""Words before a name that is alone in its line: with love from."""


def _line_before(text: str, start: int) -> str:
    return text[max(text.rfind("\n", 0, start) + 1, start - REACH) : start]


def _line_after(text: str, end: int) -> str:
    stop = text.find("\n", end, end + REACH)
    return text[end : stop if stop >= 0 else end + REACH]


def is_speaker(text: str, start: int, end: int) -> bool:
    """Return whether a word says who speaks, or is a user's name."""
    before = _line_before(text, start)
    return bool(LABEL_BEFORE.search(before) and LABEL_AFTER.match(_line_after(text, end))) or bool(
        HANDLE_BEFORE.search(before)
    )


@cache
def _folded_words(language: str, name: str) -> frozenset[str]:
    return frozenset(map(fold_text, table_words(language, name)))


def is_addressed(text: str, start: int, end: int, language: str, *, weak: bool = False) -> bool:
    """Return whether a name stands where somebody is spoken to, titled, or signs; a weak one more clearly."""
    before, after = _line_before(text, start), _line_after(text, end)
    if match := WORD_BEFORE.search(before):
        if is_title(match[1], match[2], language):
            return True
        if fold_text(match[1]) in _folded_words(language, "greetings") and (not weak or CLAUSE_END.match(after)):
            return True
    return bool(LINE_REST.fullmatch(after)) and is_parting(before, language)


def follows_title(text: str, start: int, language: str) -> bool:
    """Return whether a word stands behind a title."""
    match = WORD_BEFORE.search(_line_before(text, start))
    return match is not None and is_title(match[1], match[2], language)


def is_title(word: str, point: str, language: str) -> bool:
    """Return whether a word is a title, or stands as one before a name."""
    lexicon = Lexicon.load(language)
    cues = lexicon.flags(word + point) | lexicon.flags(word) if point or len(word) > 1 else 0
    return bool(cues & Cue.TITLE) or fold_text(word) in _folded_words(language, "titles")


def is_parting(before: str, language: str) -> bool:
    """Return whether a line begins with a name, or with a few words of parting before it."""
    words = LETTERS.findall(fold_text(SENTENCE_BREAK.split(before)[-1]))
    return len(words) <= MAX_PREFIX and all(word in _folded_words(language, "partings") for word in words)


def at_edge(text: str, start: int, end: int) -> bool:
    """Return whether a word begins a clause, or ends one that has a word beside it, as a name that is called."""
    before, after = _line_before(text, start), _line_after(text, end)
    if CLAUSE_BEGIN.search(before):
        return True
    clause = CLAUSE_BREAK.split(before)[-1]
    return bool(CLAUSE_END.match(after)) and len(clause.split()) < MIN_CLAUSE_LENGTH


def is_plain_word(text: str, start: int, language: str) -> bool:
    """Return whether what stands before a word in small letters makes it an ordinary one."""
    match = WORD_BEFORE.search(_line_before(text, start))
    return match is not None and fold_text(match[1]) in _folded_words(language, "plain")


def begins_sentence(text: str, start: int) -> bool:
    """Return whether a word has its capital for its place alone."""
    return bool(SENTENCE_BEGIN.search(text[max(0, start - REACH) : start]))


def in_domain(text: str, start: int, end: int) -> bool:
    """Return whether a word stands in an address or a tag: ibm.com, @ibm, #ibm."""
    return bool(DOMAIN_BEFORE.search(_line_before(text, start)) or DOMAIN_AFTER.match(_line_after(text, end)))
