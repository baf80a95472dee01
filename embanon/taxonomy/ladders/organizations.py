"""Compute the ladders of organizations: by head, legal form, the noun beside the name, and what teams are known by."""

from __future__ import annotations

import re
from functools import cache

from embanon.language import Lexicon, fold_name
from embanon.taxonomy.ladders.adjacent_nouns import LIST_WINDOW, NOUN_WINDOW, adjacent_noun
from embanon.taxonomy.ladders.names import head_labels_of
from embanon.taxonomy.ladders.rung import Context, Step
from embanon.taxonomy.ladders.tables import Tables, split_steps


def organization_steps(phrase: str, kind: str, tables: Tables, context: Context) -> list[Step]:
    """Return the steps of an organization."""
    last = tables.type("organization")
    if not any(sign.isupper() for sign in phrase):
        return [last]
    if labels := head_labels_of(phrase, "ORG", tables):
        return [*split_steps(labels, "head"), last]
    if label := _legal(phrase, tables):
        return [(label, "legal form"), last]
    if paper := _newspaper(phrase, tables):
        return [*split_steps(paper, "head"), last]
    if labels := adjacent_noun(phrase, "named", tables, context):
        return [*split_steps(labels, "beside"), last]
    if labels := _club(phrase, tables) or _team(phrase, tables, context):
        return [*split_steps(labels, "head"), last]
    # What is no organization by its head is what the head says all the same: the 1962 World Cup.
    for section in ("MISC", "LOC"):
        if labels := head_labels_of(phrase, section, tables):
            return split_steps(labels, "head")
    return [last]


def _club(phrase: str, tables: Tables) -> str:
    """Say what letters for a club, as a word of a name of several words, mean: 1. FC Magdeburg."""
    words = phrase.split()
    letters, names = tables.content.get("clubs", {}), tables.words("teams", "names")
    if len(words) < 2:
        return ""
    found = next((str(letters[word]) for word in words if word in letters), "")
    return found or (tables.text("teams", "club") if fold_name(words[-1]) in names else "")


@cache
def _sport(tables: Tables) -> re.Pattern[str] | None:
    words = sorted(tables.words("teams", "sport"))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b") if words else None


def _team(phrase: str, tables: Tables, context: Context) -> str:
    """Tell a team by what is said beside its name (played for), or by place, plural and sport: the Ottawa Riders."""
    label = tables.text("teams", "team")
    before = " ".join(fold_name(word) for word in context.before[-NOUN_WINDOW:].split())
    articles = tables.words("", "articles")
    while before.rpartition(" ")[2] in articles and before:
        before = before.rpartition(" ")[0]
    if label and before.endswith(tuple(tables.words("teams", "before"))):
        return label
    sport, words = _sport(tables), phrase.split()
    if not sport or len(words) < 2 or not words[-1].endswith("s") or words[-1].endswith("ss"):
        return ""
    lexicon = Lexicon.load(tables.language)
    named = any(lexicon.place_cues(" ".join(words[:size])) for size in range(1, len(words)))
    around = context.before[-LIST_WINDOW:] + context.after[:NOUN_WINDOW]
    return label if named and sport.search(around.lower()) else ""


@cache
def _forms(tables: Tables) -> tuple[dict[str, str], dict[str, str]]:
    """Return the legal forms that match in any case, and those that only match as written."""
    rows = [(word, label) for label, words in tables.rows("legal") for word in words.split()]
    exact = {word: label for word, label in rows if not word.islower()}
    return {fold_name(word): label for word, label in rows if word.islower()}, exact


def _legal(phrase: str, tables: Tables) -> str:
    """Say what the legal form at the end of a name means."""
    words = phrase.replace(",", " ").split()
    if len(words) < 2:
        return ""
    folded, exact = _forms(tables)
    for word in (words[-1], "".join(words[-2:])):
        if label := exact.get(word) or folded.get(fold_name(word)):
            return label
    return ""


def _newspaper(phrase: str, tables: Tables) -> str:
    """Tell a newspaper by its last word and an article or a place at its beginning: The New York Times."""
    words = phrase.split()
    if not words or fold_name(words[-1]) not in tables.words("works", "newspapers"):
        return ""
    middle = words[1:-1] if fold_name(words[0]) in tables.words("", "articles") else words[:-1]
    named = Lexicon.load(tables.language).place_cues(" ".join(middle))
    return tables.text("works", "newspaper") if middle and named else ""
