"""Compute the ladders of names by their head (University of X, X GmbH, Treaty of X), and of codes by their kind.

The head is looked for in the part of a name before its first preposition: at its end in English, at its beginning in
Spanish and Portuguese, anywhere and inside closed compounds in German. Heads that names of towns and people end in as
well (Beach, Falls, Hill) are not in the tables. An organization is also known by its legal form, by the noun beside
its name, and by what teams are known by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from embanon.language import Cue, Lexicon, fold_name
from embanon.taxonomy.ladders.adjacent_nouns import LIST_WINDOW, NOUN_WINDOW, adjacent_noun
from embanon.taxonomy.ladders.tables import (
    Context,
    Step,
    Tables,
    Token,
    head_labels,
    load_tables,
    parse_words,
    split_steps,
    tokenize,
)


def code_steps(kind: str, tables: Tables) -> list[Step]:
    """Return the steps of a code by its kind: of which country, what it is, that it is a code."""
    family, _, country = kind.partition(".")
    steps = split_steps(tables.text("codes", family), "code")
    if country and steps and (adjective := tables.pairs("national", "adjectives").get(country)):
        article, _, label = steps[0][0].partition(" ")
        form = tables.text("national", "form")
        steps.insert(0, (form.format(article=article, label=label, adjective=adjective), "code"))
    return [*steps, tables.type("code")]


NAME_HEADS: Final = int(Cue.PLACE_HEAD | Cue.ORG_HEAD)
LONGEST_HEAD: Final = 5
"""Words of a head."""

PLACES: Final = (("country", Cue.COUNTRY), ("region", Cue.REGION), ("city", Cue.CITY), ("continent", Cue.CONTINENT))


def head_labels_of(phrase: str, section: str, tables: Tables) -> str:
    """Return the labels of a name's head; empty where none is known."""
    tokens = [token for token in tokenize(phrase.partition(" (")[0]) if token.text[:1].isalnum() or token.text == "&"]
    if not tokens or fold_name(phrase) in tables.words("exceptions", section.partition("_")[0]):
        return ""
    segment = _segment(tokens, tables)
    if len(segment) < len(tokens) and tables.language == "en" and tokens[-1].text.islower():
        return ""  # the Library of America series
    named = [token for token in tokens if token.key not in tables.words("", "articles")]
    weak = tables.words("nouns", "weak")
    if len(named) == 1 and (section == "LOC" or named[0].key in weak) and not tables.flag("nouns", "capitalized"):
        return ""
    known = head_labels(tables, section)
    position = tables.text("nouns", "position")
    if position == "last":
        # A head of several words may have the preposition in it: the Hall of Fame.
        whole = _last(tokens, known, tables) if len(segment) < len(tokens) else ""
        if head := whole or _last(segment, known, tables):
            return head
        is_headed = len(segment) > 1 and Lexicon.load(tables.language).flags(segment[-1].text) & NAME_HEADS
        return "" if is_headed else _opening_head(tokens, section, tables)  # River House is no river
    if position == "first":
        return _opening_head(tokens, section, tables) or _first(segment, known, tables)
    return _anywhere(segment, known)


def is_excepted(phrase: str, type: str, language: str) -> bool:
    """Return whether a name is not what its head says: the Electoral College."""
    known = load_tables(language)
    return known is not None and fold_name(phrase) in known.words("exceptions", type)


def _opening_head(tokens: list[Token], section: str, tables: Tables) -> str:
    """Find a head that begins a name, if a name follows: Lake X."""
    sizes = (size for size in _sizes(tokens) if len(tokens) > size or size > 2)
    return _longest((tokens[:size] for size in sizes), head_labels(tables, f"{section}_first"))


def _segment(tokens: list[Token], tables: Tables) -> list[Token]:
    """Return the words before the first preposition."""
    cut = tables.words("nouns", "cut")
    place = next((place for place, token in enumerate(tokens) if place and token.key in cut), len(tokens))
    return tokens[:place]


def _sizes(tokens: list[Token]) -> range:
    return range(min(LONGEST_HEAD, len(tokens)), 0, -1)


def _longest(heads: Iterable[list[Token]], known: dict[str, str]) -> str:
    """Return the labels of the first head that is known; empty where none is."""
    keys = (" ".join(token.key for token in head) for head in heads)
    return next((known[key] for key in keys if known.get(key)), "")


def _last(segment: list[Token], known: dict[str, str], tables: Tables) -> str:
    """Find the longest head at the end; ordinals and Roman numbers behind it are left out: World War II."""
    while len(segment) > 1 and (segment[-1].text.isdecimal() or not segment[-1].text.strip("IVXLC")):
        segment = segment[:-1]
    if segment[-1].text.islower() and segment[-1].key in tables.words("nouns", "capital"):
        return ""
    return _longest((segment[-size:] for size in _sizes(segment)), known)


def _first(segment: list[Token], known: dict[str, str], tables: Tables) -> str:
    """Find the longest head at the beginning, perhaps behind an article or an adjective before it."""
    before = tables.words("nouns", "before_head")
    while len(segment) > 1 and segment[0].key in before:
        segment = segment[1:]
    return _longest((segment[:size] for size in _sizes(segment)), known)


def _anywhere(segment: list[Token], known: dict[str, str]) -> str:
    """Find the first word that is a head, or a compound that ends in one, the longest first."""
    for token in segment:
        if not token.text[:1].isupper():
            continue
        endings = (f"-{token.key[start:]}" for start in range(3, len(token.key) - 3))
        for part in (token.key, token.key.rpartition("-")[2], *endings):
            if labels := known.get(part):
                return labels
    return ""


def place_steps(phrase: str, kind: str, tables: Tables, context: Context) -> list[Step]:
    """Return the steps of a place: by its head, or what the lexicon alone knows it to be."""
    last = tables.type("place")
    if kind in ("postcode", "po-box", "coordinates"):
        return code_steps(kind, tables)
    if kind == "address":
        return [tables.type("address")]
    if not any(sign.isupper() for sign in phrase):
        return [last]
    lexicon = Lexicon.load(tables.language)
    known = lexicon.place_cues(phrase)
    if lexicon.exact.get(phrase.rstrip("."), 0) & Cue.COUNTRY:
        known = int(Cue.COUNTRY)
    elif " " not in phrase and lexicon.flags(phrase) & Cue.PLACE_HEAD:
        known = 0  # Island, which is Iceland elsewhere
    names = [name for name, cue in PLACES if known & cue]
    if len(names) == 1:
        return [(tables.text("types", names[0]), "place"), last]
    if names:
        return [last]
    labels = head_labels_of(phrase, "LOC", tables) or adjacent_noun(phrase, "places", tables, context)
    return [*split_steps(labels, "head"), last]


def event_steps(phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of events, awards, laws and degrees, which a capital tells from common nouns."""
    if not any(sign.isupper() for sign in phrase) or len(phrase.split()) > 12:
        return []
    # Heads of organizations count of names of several words alone: the St. Lawrence League.
    labels = head_labels_of(phrase, "MISC", tables) or (head_labels_of(phrase, "ORG", tables) if " " in phrase else "")
    return split_steps(labels, "head")


def reference_steps(phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of what refers to a text: Article 8, page 3."""
    tokens = tokenize(phrase)
    for label, words in tables.rows("reference"):
        if tokens and tokens[0].key in frozenset(parse_words(words)):
            return [(label, "reference"), tables.type("reference")]
    return [tables.type("reference")]


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
    """Return the labels of letters for a club, a word of a name of several words: 1. FC Magdeburg."""
    words = phrase.split()
    letters, names = tables.content.get("clubs", {}), tables.words("teams", "names")
    if len(words) < 2:
        return ""
    label = next((str(letters[word]) for word in words if word in letters), "")
    return label or (tables.text("teams", "club") if fold_name(words[-1]) in names else "")


@cache
def _sport(tables: Tables) -> re.Pattern[str] | None:
    words = sorted(tables.words("teams", "sport"))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b") if words else None


def _team(phrase: str, tables: Tables, context: Context) -> str:
    """Return the label of a team, known by the words before it, or by place, plural and sport: the Ottawa Riders."""
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
def _legal_forms(tables: Tables) -> tuple[dict[str, str], dict[str, str]]:
    """Return the legal forms that match in any case, and those that only match as written."""
    rows = [(word, label) for label, words in tables.rows("legal") for word in words.split()]
    exact = {word: label for word, label in rows if not word.islower()}
    return {fold_name(word): label for word, label in rows if word.islower()}, exact


def _legal(phrase: str, tables: Tables) -> str:
    """Return the label of the legal form at the end of a name."""
    words = phrase.replace(",", " ").split()
    if len(words) < 2:
        return ""
    folded, exact = _legal_forms(tables)
    for word in (words[-1], "".join(words[-2:])):
        if label := exact.get(word) or folded.get(fold_name(word)):
            return label
    return ""


def _newspaper(phrase: str, tables: Tables) -> str:
    """Return the label of a newspaper, known by its last word and what is before it: The New York Times."""
    words = phrase.split()
    if not words or fold_name(words[-1]) not in tables.words("works", "newspapers"):
        return ""
    middle = words[1:-1] if fold_name(words[0]) in tables.words("", "articles") else words[:-1]
    named = Lexicon.load(tables.language).place_cues(" ".join(middle))
    return tables.text("works", "newspaper") if middle and named else ""
