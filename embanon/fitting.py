"""Fit a label into a sentence: articles, capitals, number, and no word twice."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from embanon.document import Phrase
from embanon.inflection import inflect_noun
from embanon.lemmas import Lemmatizer
from embanon.lexicon import Cue, Lexicon

ARTICLE: Final = re.compile(r"(?:a|an|un|una|um|uma|ein|eine) ")
DEFINITE: Final = re.compile(r"(?:the|el|la|los|las|o|a|os|as|der|die|das) ")
BEFORE: Final = re.compile(r"([^\W\d_]+(?:['’]s)?|\d+|['’]s)[ \u00a0]+$")
A_OR_AN: Final = re.compile(r"\b(an?)([ \u00a0]+)$", re.IGNORECASE)
VOWEL: Final = re.compile(r"(?:[aeio]|u(?!ni|se|til|ro|k\b)|hon(?:est|or|our)|heir|hour)", re.IGNORECASE)
NOT_VOWEL: Final = re.compile(r"(?:eu|one\b|once\b|uni|us\b|use)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What stands from `start` on instead of a phrase; `counted` if two of the same need telling apart."""

    start: int
    text: str = field(repr=False)
    rung: str
    risk: float
    counted: bool = False


@cache
def _determiners(language: str) -> frozenset[str]:
    words = {
        "en": "a an the this that these those his her its their my our your no any some each every another",
        "es": "un una el la los las su sus mi este esta ese esa algún alguna cada otro otra",
        "pt": "um uma o a os as seu sua seus suas meu este esta esse essa algum alguma cada outro outra",
        "de": "ein eine einen einem einer eines der die das den dem des sein seine ihr ihre kein keine dieser diese",
    }
    return frozenset(words.get(language, "").split())


def fitted(text: str, phrase: Phrase, label: str, opens: bool, language: str) -> Fitted | None:
    """Give a label as it stands in place of a phrase; nothing where it would say a word twice."""
    before = text[max(0, phrase.start - 40) : phrase.start]
    last = BEFORE.search(before)
    word = last[1] if last else ""
    shown = _in_number(text, phrase, label, language)
    lexicon = Lexicon.load(language)
    if language == "en" and phrase.form in ("name", "title") and phrase.type != "DEM" and _needs_article(shown):
        shown = f"{'an' if _is_vowel(shown) else 'a'} {shown}"
    determined = word.lower() in _determiners(language) or word.endswith(("'s", "’s")) or word.isdecimal()
    modified = bool(word) and bool(lexicon.flags(word) & (Cue.NUMBER_WORD | Cue.ORDINAL_WORD | Cue.NATIONALITY))
    if (determined or modified) and ARTICLE.match(shown):
        shown = ARTICLE.sub("", shown, count=1)
    elif word.lower() in ("the", "el", "la", "der", "die", "das", "o", "a") and DEFINITE.match(shown):
        shown = DEFINITE.sub("", shown, count=1)
    after = re.match(r"[ \u00a0]+([^\W\d_]+)", text[phrase.end : phrase.end + 40])
    words = shown.lower().split()
    if not words or word.lower() in (words[0], words[-1]) or (after and after[1].lower() in (words[-1], words[0])):
        return None
    start = phrase.start
    if language == "en" and (found := A_OR_AN.search(before)):
        right = "an" if _is_vowel(shown) else "a"
        if found[1].lower() != right:
            start -= len(found[0])
            article = right.capitalize() if found[1][0].isupper() else right
            shown = f"{article}{found[2]}{shown}"
    if opens and start == phrase.start:
        shown = shown[:1].upper() + shown[1:]
    return Fitted(start, shown, "", 0.0)


def _needs_article(label: str) -> bool:
    """Say that a label is a common noun in the singular without its article: no name, no plural, no mass."""
    words = label.split()
    lower = all(word.islower() for word in words)
    return lower and not ARTICLE.match(label) and not DEFINITE.match(label) and not words[-1].endswith("s")


def _is_vowel(text: str) -> bool:
    return bool(VOWEL.match(text)) and not NOT_VOWEL.match(text)


def _in_number(text: str, phrase: Phrase, label: str, language: str) -> str:
    """Give a common label in the plural where the phrase has one."""
    if phrase.form != "common" or language != "en" or any(sign.isupper() for sign in label[1:]):
        return label
    head = text[phrase.head_start : phrase.head_end]
    if not head.endswith("s") or Lemmatizer.load(language).lemma(head.lower()) == head.lower():
        return label
    bare = ARTICLE.sub("", label, count=1)
    *first, last = bare.split(" ")
    plural = next(iter(inflect_noun(last, language)), last)
    return " ".join((*first, plural))
