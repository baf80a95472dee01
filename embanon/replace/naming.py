"""Call what occurs more than once by one name: a hospital, the hospital, hospital B, [project 1], Person 2."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from string import ascii_uppercase
from typing import Any, Final

from embanon.document import TYPES, Phrase
from embanon.language import LANGUAGES, fold_name, noun_gender
from embanon.replace.grammar import without_article
from embanon.taxonomy import bracket_word, load_tables

ELLIPSIS: Final = "[…]"
"""What stands for words that no label fits."""
HANDLE: Final = "CODE.handle"
UNCOUNTED_KINDS: Final = frozenset(("LOC.address", "LOC.postcode"))
MAIL_DOMAIN: Final = "example.invalid"
"""A domain that nobody can have."""
OWNER_OF_ADDRESS: Final = re.compile(r"([^\W\d_]+ \d+)[\"'”“»]? ?<$")
NUMBERED_TYPES: Final = frozenset(("ORG", "LOC", "MISC"))
"""Types whose names are told apart where two read the same."""
GENDERS_OF_ARTICLES: Final = {
    "un": "masculine", "una": "feminine", "um": "masculine", "uma": "feminine", "ein": "neuter", "eine": "feminine",
}  # fmt: skip
ARTICLES_BEFORE_LETTERS: Final = {"es": {"m": "el", "f": "la"}, "pt": {"m": "o", "f": "a"}}
"""Articles, by gender, of what has a letter: el hospital B; of others it has none."""
DEFINITE: Final = {
    "a": "the", "an": "the", "un": "el", "una": "la", "um": "o", "uma": "a",
}  # fmt: skip
"""The definite article of each indefinite one; that of German hangs on the noun."""


@dataclass(frozen=True, slots=True)
class Naming:
    """The labels that stand in a text by now, and what each of them stands for."""

    language: str
    highest: Mapping[str, int] = field(default_factory=dict, repr=False)
    """The highest number that an earlier run has given, by word."""
    groups_by_label: dict[str, list[int]] = field(default_factory=dict, repr=False)
    """Those that a label or bracket word names, in the order in which they came."""

    addresses: dict[int, str] = field(default_factory=dict, repr=False)
    """The addresses of mail by now, by whose they are."""

    def number(self, label: str, group: int) -> tuple[int, bool]:
        """Return the place of a group among those of a label, from 1 on, and whether it has it already."""
        groups = self.groups_by_label.get(label, [])
        return (groups.index(group) + 1, True) if group in groups else (len(groups) + 1, False)

    def note(self, label: str, group: int) -> int:
        """Say that a label stands for a group; return its place among those of the label."""
        groups = self.groups_by_label.setdefault(label, [])
        if group not in groups:
            groups.append(group)
        return groups.index(group) + 1

    def variants(self, label: str, group: int, *, alone: bool = False) -> Iterator[str]:
        """Yield how a label may stand for a group: a hospital, the hospital, hospital B."""
        first, _, noun = label.partition(" ")
        bare = without_article(label)
        place, is_known = self.number(bare, group)
        gender = _gender_of(label, self.language)
        if place > 1:
            noun, *rest = COMPLEMENT.split(bare, maxsplit=1)
            named = " ".join((noun, _letter(place), *rest))
            articles = {} if alone else ARTICLES_BEFORE_LETTERS.get(self.language, {})
            article = articles.get(noun_gender(bare.split(" ")[0], self.language), "")
            yield f"{article} {named}" if article else named
            return
        if is_known and not alone and noun and gender and (definite := _definite(first, gender, self.language)):
            yield f"{definite} {noun}"
        yield label

    def person(self, number: int) -> str:
        """Return what a person is called."""
        return f"{bracket_word('PERSON', '', self.language) or 'PERSON'} {number}"

    def bracket(self, phrase: Phrase, group: int) -> str:
        """Return what stands for a phrase that no label fits: what it is, numbered if it is a name."""
        is_name = phrase.form in ("name", "title")
        type = "MISC" if phrase.type == "PERSON" else phrase.type  # a guess, whom nobody should take for a person
        word = bracket_word(type, phrase.kind, self.language)
        if not word and not bracket_word("MISC", "", self.language):
            return f"[{phrase.type} {self.note_word(phrase.type, group)}]"
        if not word or (type == "MISC" and not is_name and word == bracket_word(type, "", self.language)):
            return ELLIPSIS
        is_counted = is_name and type in NUMBERED_TYPES and phrase.kind not in UNCOUNTED_KINDS
        is_counted |= phrase.kind == HANDLE  # who says what in a chat
        return f"[{word} {self.note_word(word, group)}]" if is_counted else f"[{word}]"

    def address(self, before: str, group: int) -> str:
        """Return an address that is valid and nobody's, called as the person before it: Person 1 <person1@…>."""
        if group not in self.addresses:
            match = OWNER_OF_ADDRESS.search(before)
            bare = fold_name(bracket_word("CODE", "CODE.e-mail", self.language)).partition(" ")[0] or "address"
            word = fold_name(match[1]).replace(" ", "") if match else f"{bare}{len(self.addresses) + 1}"
            self.addresses[group] = f"{word}@{MAIL_DOMAIN}"
        return self.addresses[group]

    def note_word(self, word: str, group: int) -> int:
        """Return the number of a group behind a word in brackets."""
        return self.note(f"[{word}]", group) + self.highest.get(word, 0)


ANOTHER: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {"a": "another", "an": "another"},
    "es": {"un": "otro", "una": "otra", "m": "otro", "f": "otra"},
    "pt": {"um": "outro", "uma": "outra", "num": "noutro", "numa": "noutra"},
    "de": {
        "eine": "eine andere", "einen": "einen anderen", "einem": "einem anderen", "einer": "einer anderen",
        "eines": "eines anderen", "m": "ein anderer", "n": "ein anderes",
    },
}  # fmt: skip
"""What stands instead of an indefinite article before the second of a kind; of `ein` and `un` by gender."""
WITH_ARTICLE: Final = re.compile(r"((?:[^\W\d_]+ )?)(an?|una?|n?uma?|ein(?:e[nmrs]?)?) (.+)", re.IGNORECASE)


def as_another(text: str, language: str) -> str:
    """Return a label with an article as that of another of its kind: at another hospital; empty of one without."""
    match = WITH_ARTICLE.fullmatch(text)
    article = match[2].lower() if match else ""
    if match and article in ("ein", "un"):
        article = noun_gender(match[3].split(" ")[0], language) or article
    word = ANOTHER.get(language, {}).get(article, "")
    if not match or not word:
        return ""
    capital = match[2][:1].isupper() and not match[1]
    return f"{match[1]}{word.capitalize() if capital else word} {match[3]}"


def _gender_of(label: str, language: str) -> str:
    """Return the gender that a label's indefinite article tells; nothing where it has none."""
    article, _, noun = label.partition(" ")
    if language == "en":
        return "any" if article in ("a", "an") else ""
    if article == "ein" and noun:
        return "masculine" if noun_gender(noun.split(" ")[-1], "de") == "m" else "neuter"
    return GENDERS_OF_ARTICLES.get(article, "")


def _letter(place: int) -> str:
    """Return B for the second, C for the third; numbers where letters end."""
    return ascii_uppercase[place - 1] if place <= len(ascii_uppercase) else str(place)


def _definite(article: str, gender: str, language: str) -> str:
    if language == "de":
        return {"masculine": "der", "neuter": "das", "feminine": "die"}[gender]
    return DEFINITE.get(article, "")


@cache
def placeholder_pattern() -> re.Pattern[str]:
    """Return what finds persons with numbers and words in brackets, in any language: their words and numbers."""
    tables = [tables for language in LANGUAGES if (tables := load_tables(language))]
    people = {"PERSON", *(one.text("brackets", "person") for one in tables)}
    words = {*TYPES, *(word for one in tables for _, word in one.rows("brackets"))}
    person, word = ("|".join(sorted(map(re.escape, group), key=len, reverse=True)) for group in (people, words))
    shapes = (rf"\b({person}) (\d{{1,9}})\b", rf"\[({word})(?: (\d{{1,9}}))?\]", r"\[…\]", r"\*\*\*", r"(?<= )\[\d+\]")
    return re.compile("|".join((*shapes, rf"\b\w+@{re.escape(MAIL_DOMAIN)}")))


COMPLEMENT: Final = re.compile(
    r" (?=(?:of|from|in|for|at|on|with|by|de|del|en|em|no|na|nos|nas|do|da|dos|das|para|aus|von|für|mit|im|der|des) )"
)
"""Where what belongs to the noun of a label begins: city B in Norway."""
OTHER: Final = re.compile(r"^(?:another|n?outr[oa]|otr[oa]|eine?[nmrs]? andere[nmrs]?) ", re.IGNORECASE)
LETTERED: Final = re.compile(r"(?<=[^\W\d_]{2}) (?:[B-Z]|\d+)(?=$| [a-zäöü])")


def strip_number(label: str) -> str:
    """Return a label without what tells it from others like it: hospital B, another hospital is a hospital."""
    return OTHER.sub("", LETTERED.sub("", label), count=1)


@dataclass(frozen=True, slots=True)
class ExistingPlaceholders:
    """What an earlier run has put into a text: where, and the highest number of each word."""

    spans: tuple[tuple[int, int], ...]
    highest: Mapping[str, int]

    @staticmethod
    def from_text(text: str, edits: Any = None) -> ExistingPlaceholders:
        """Find it: what no text has but by us, and what the edits of an earlier run, if they came along, have put."""
        spans, highest = list(_spans_of_edits(text, edits)), dict[str, int]()
        for match in placeholder_pattern().finditer(text):
            spans.append(match.span())
            if number := match[2] or match[4]:
                word = "PERSON" if match[1] or match[3] == "PERSON" else match[3]
                highest[word] = max(highest.get(word, 0), int(number))
        return ExistingPlaceholders(tuple(sorted(spans)), highest)

    def covers(self, start: int, end: int) -> bool:
        """Return whether it has a part of the text."""
        place = bisect_right(self.spans, (start, sys.maxsize)) - 1
        return place >= 0 and end <= self.spans[place][1]


def _spans_of_edits(text: str, edits: Any) -> Iterator[tuple[int, int]]:
    """Return where the edits of a line of our own output stand in its text; those that do not fit are none."""
    shift = 0
    for edit in edits if isinstance(edits, list) else ():
        match edit:
            case {"start": int(start), "end": int(end), "replacement": str(replacement)}:
                at = start + shift
                if at < 0 or not text.startswith(replacement, at):
                    return  # the text has changed since: from here on nothing is where it was
                shift += len(replacement) - (end - start)
                yield at, at + len(replacement)
