"""Compute the ladders of names by their head: University of X, X GmbH, Lake X, Treaty of X, X Award.

The head is looked for in the part of a name before its first preposition: at its end in English, at its beginning in
Spanish and Portuguese, anywhere and inside closed compounds in German. Heads that names of towns and people end in as
well (Beach, Falls, Hill) are not in the tables.
"""

from __future__ import annotations

from typing import Final

from embanon.language import Cue, Lexicon, fold_name
from embanon.taxonomy.ladders.adjacent_nouns import adjacent_noun
from embanon.taxonomy.ladders.codes import code_steps
from embanon.taxonomy.ladders.rung import Context, Step
from embanon.taxonomy.ladders.tables import Tables, Token, head_labels, load_tables, parse_words, split_steps, tokenize

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
    if len(named) == 1 and (section == "LOC" or named[0].key in weak) and tables.language != "de":
        return ""
    known = head_labels(tables, section)
    position = tables.text("nouns", "position")
    if position == "last":
        # A head of several words may have the preposition in it: the Hall of Fame.
        whole = _last(tokens, known, tables) if len(segment) < len(tokens) else ""
        return whole or _last(segment, known, tables) or _opening_head(tokens, section, tables)
    if position == "first":
        return _opening_head(tokens, section, tables) or _first(segment, known, tables)
    return _anywhere(segment, known)


def is_excepted(phrase: str, type: str, language: str) -> bool:
    """Return whether a name is not what its head says: the Electoral College."""
    known = load_tables(language)
    return known is not None and fold_name(phrase) in known.words("exceptions", type)


def _opening_head(tokens: list[Token], section: str, tables: Tables) -> str:
    """Find a head that begins a name, if a name follows: Lake X."""
    first = head_labels(tables, f"{section}_first")
    for size in range(min(LONGEST_HEAD, len(tokens)), 0, -1):
        if (found := first.get(_key(tokens[:size]))) and (len(tokens) > size or size > 2):
            return found
    return ""


def _segment(tokens: list[Token], tables: Tables) -> list[Token]:
    """Return the words before the first preposition."""
    cut = tables.words("nouns", "cut")
    place = next((place for place, token in enumerate(tokens) if place and token.key in cut), len(tokens))
    return tokens[:place]


def _key(tokens: list[Token]) -> str:
    return " ".join(token.key for token in tokens)


def _last(segment: list[Token], known: dict[str, str], tables: Tables) -> str:
    """Find the longest head at the end; ordinals and Roman numbers behind it are left out: World War II."""
    while len(segment) > 1 and (segment[-1].text.isdecimal() or not segment[-1].text.strip("IVXLC")):
        segment = segment[:-1]
    if segment[-1].text.islower() and segment[-1].key in tables.words("nouns", "capital"):
        return ""
    for size in range(min(LONGEST_HEAD, len(segment)), 0, -1):
        if found := known.get(_key(segment[len(segment) - size :])):
            return found
    return ""


def _first(segment: list[Token], known: dict[str, str], tables: Tables) -> str:
    """Find the longest head at the beginning, perhaps behind an article or an adjective before it."""
    before = tables.words("nouns", "before_head")
    while len(segment) > 1 and segment[0].key in before:
        segment = segment[1:]
    for size in range(min(LONGEST_HEAD, len(segment)), 0, -1):
        if found := known.get(_key(segment[:size])):
            return found
    return ""


def _anywhere(segment: list[Token], known: dict[str, str]) -> str:
    """Find the first word that is a head, or a compound that ends in one, the longest first."""
    for token in segment:
        if not token.text[:1].isupper():
            continue
        for part in (token.key, *_hyphened(token.key)):
            if found := known.get(part):
                return found
        for start in range(3, len(token.key) - 3):
            if found := known.get(f"-{token.key[start:]}"):
                return found
    return ""


def _hyphened(key: str) -> list[str]:
    return [key.rpartition("-")[2]] if "-" in key else []


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
    if not names and (
        labels := head_labels_of(phrase, "LOC", tables) or adjacent_noun(phrase, "places", tables, context)
    ):
        return [*split_steps(labels, "head"), last]
    return [last]


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
