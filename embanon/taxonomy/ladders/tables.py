"""Read the tables of a language that ladders are computed from: `ontologies/ladders/*.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from embanon.data import read_toml
from embanon.language import LANGUAGES, fold_name, fold_names

Step = tuple[str, str]
"""A label and its kind, before a ladder checks it."""


@dataclass(frozen=True, slots=True)
class ComputedRung:
    """A true generalization of a phrase.

    `kind` says what the label is: `year`, `decade`, `range`; `type` labels say no more than the phrase's type does,
    and `person` is the place of a number that is given later.
    """

    label: str = field(repr=False)
    kind: str


@dataclass(frozen=True, slots=True)
class Context:
    """What stands before and after a phrase in its sentence, and the phrase's head, as far as a caller knows them."""

    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)
    head: str = field(default="", repr=False)

    @classmethod
    def of_line(cls, text: str, start: int, end: int, head: str = "") -> Context:
        """Return what stands around a phrase in its line."""
        before = text[max(0, start - LINE_CONTEXT) : start].rpartition("\n")[2]
        return cls(before, text[end : end + LINE_CONTEXT].partition("\n")[0], head)


NO_CONTEXT = Context()
LINE_CONTEXT: Final = 240
"""Characters on each side that are looked at."""


MAX_PHRASE_LENGTH: Final = 300
"""Characters of a phrase that is looked at; what is longer is no phrase, and has no ladder."""

_TOKENS: Final = re.compile(r"\d+|[^\W\d_]+(?:['’.\-][^\W\d_]+)*|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a row of digits or a mark, as written and folded, and where it stands in the phrase."""

    text: str = field(repr=False)
    key: str = field(repr=False)
    start: int
    end: int

    @property
    def number(self) -> int | None:
        """Return the value of digits, `None` for all else."""
        return int(self.text) if self.text.isdecimal() and len(self.text) <= 15 else None


def tokenize(text: str) -> list[Token]:
    """Cut a phrase: digits apart from letters, hyphens and apostrophes inside words."""
    matches = list(_TOKENS.finditer(text))
    keys = fold_names([match[0] for match in matches])
    return [Token(match[0], key, *match.span()) for match, key in zip(matches, keys, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The tables of one language, by section."""

    language: str
    content: Mapping[str, Any] = field(repr=False)
    _sets: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict, repr=False)

    def text(self, section: str, name: str) -> str:
        """Return a label or a form, empty where the language has none."""
        return str(self.content.get(section, {}).get(name, ""))

    def flag(self, section: str, name: str) -> bool:
        """Return whether something is so in the language."""
        return bool(self.content.get(section, {}).get(name, False))

    def words(self, section: str, name: str) -> frozenset[str]:
        """Return a list of words, folded."""
        known = self._sets.get((section, name))
        if known is None:
            known = self._sets[section, name] = frozenset(parse_words(self.text(section, name)))
        return known

    def pairs(self, section: str, name: str) -> Mapping[str, str]:
        """Return the pairs of a list such as `million=6 billion=9`, by their first part, folded."""
        return _pairs(self, section, name)

    def rows(self, section: str) -> Iterator[tuple[str, str]]:
        """Return name and value of every row of a section."""
        for name, value in self.content.get(section, {}).items():
            if isinstance(value, str):
                yield name, value

    def type(self, name: str) -> tuple[str, str]:
        """Return the label of a type as the last step of a ladder."""
        return self.text("types", name), "type"

    def bare(self, label: str) -> str:
        """Return a label or phrase without article, case and spaces, as two of them are compared."""
        words = fold_name(label).split()
        if len(words) > 1 and words[0] in self.words("", "articles"):
            words = words[1:]
        return " ".join(words)


def parse_words(text: str) -> list[str]:
    """Return the folded words of a list, in which an underscore is a space."""
    return fold_names([entry.replace("_", " ") for entry in text.split()])


def parse_pairs(text: str) -> list[tuple[str, str]]:
    """Return the pairs of a list such as `million=6 billion=9`."""
    pairs = [entry.replace("_", " ").partition("=") for entry in text.split()]
    return list(zip(fold_names([key for key, _, _ in pairs]), [value for _, _, value in pairs], strict=True))


@cache
def _pairs(tables: Tables, section: str, name: str) -> Mapping[str, str]:
    return dict(parse_pairs(tables.text(section, name)))


@cache
def section_labels(tables: Tables, section: str) -> dict[str, str]:
    """Return the label of each word of a section of rows `label = words`."""
    return labels_by_word(tables.rows(section))


@cache
def load_tables(language: str) -> Tables | None:
    """Open the tables of a language; `None` where there are none."""
    if language not in LANGUAGES:
        return None
    content = read_toml("ontologies", "ladders", f"{language}.toml")
    general = {name: value for name, value in content.items() if isinstance(value, str)}
    return Tables(language, {**content, "": general})


@cache
def head_labels(known: Tables, section: str) -> dict[str, str]:
    """Return the labels of each head of a section."""
    content = known.content.get("heads", {}).get(section, {})
    return labels_by_word((labels, words) for words, labels in content.items())


def labels_by_word(rows: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Turn rows `label = words` around: every word with its label."""
    entries = [(entry.replace("_", " "), label) for label, words in rows for entry in words.split()]
    return dict(zip(fold_names([entry for entry, _ in entries]), [label for _, label in entries], strict=True))


def split_steps(labels: str, kind: str) -> list[tuple[str, str]]:
    """Return the steps of a row `most specific | more general`."""
    return [(label.strip(), kind) for label in labels.split("|") if label.strip()]
