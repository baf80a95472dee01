"""The type and kind of every phrase: by its pattern, the cues of its words, and its context.

What a name is, its evidence in `names.py` says. Nothing looks beyond a paragraph, so that paragraphs one by one give
what the whole text gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from embanon.document import FORMS, TYPES
from embanon.language import Cue, Lexicon, phrase_words
from embanon.text.grammar import (
    NAME_PATTERN,
    PATTERNS,
    TITLE_PATTERN,
    Bools,
    Codes,
    Ints,
    PhraseSpans,
    TypingColumns,
    bits_of_symbols,
    combine_flags,
    find_list_relations,
    has_cue,
    is_in,
)
from embanon.text.names import (
    CLASS_NUMBER,
    NAME_CLASSES,
    NameColumns,
    are_given_names,
    observe_names,
)
from embanon.text.tokens import UPPER, TokenFeatures, Tokens

NAME_KINDS: Final = (
    *(kind for _, kind in NAME_CLASSES), "first-name", "surname", "company", "city", "region", "continent", "country",
)  # fmt: skip
"""The kinds of names; those of the classes come first, in their order."""
_NAME_KIND: Final = {kind: np.uint8(number) for number, kind in enumerate(NAME_KINDS)}
_KINDS_OF_PLACE: Final = (
    (Cue.CITY, "city"), (Cue.REGION, "region"), (Cue.MAJOR, "city"), (Cue.CONTINENT, "continent"),
    (Cue.COUNTRY, "country"),
)  # fmt: skip
"""What kind of place a cue says, the last that fits: a region is meant more often than its small namesake."""
"""How often lists spread what is known of their members."""
_KINDS_OF_TYPE: Final = {
    "PERSON": "first-name surname full-name",
    "ORG": "organization company",
    "LOC": "city region country continent postcode place",
    "DATETIME": "date year month weekday season holiday decade century time duration",
    "DEM": "age nationality group language role kin illness",
    "CODE": "code",
    "QUANTITY": "money percentage measure ordinal count",
    "MISC": "work award event law reference other",
}
"""The kinds of each type, printed as `LOC.city`. A `group` is what joins people: faith, party, people."""
DEFAULT_KINDS: Final = {
    type: f"{type}.{kind}" for type, kind in zip(
        TYPES, "full-name organization place date group code count other".split(), strict=True)
}  # fmt: skip
"""The kind of what is known to be of a type alone."""
KINDS: Final = tuple(kind for kinds in _KINDS_OF_TYPE.values() for kind in kinds.split())
_KIND_NUMBER: Final = {kind: np.uint8(number) for number, kind in enumerate(KINDS)}
KIND_TYPES: Final = tuple(number for number, name in enumerate(TYPES) for _ in _KINDS_OF_TYPE[name].split())
"""The type of each kind, as an index into TYPES."""
_TYPE_OF_KIND: Final = np.array(KIND_TYPES, np.uint8)
_KIND_OF_NAME_KIND: Final = np.array([_KIND_NUMBER[kind] for kind in NAME_KINDS])
_FORM_NUMBER: Final = {form: np.uint8(number) for number, form in enumerate(FORMS)}
_FORM_OF_PATTERN: Final = np.array(
    [
        _FORM_NUMBER[{"lined": "reference", "dem": "common", "role": "common"}.get(pattern, pattern)]
        for pattern in PATTERNS
    ]
)


# What the head of a common phrase says; the first row that fits.
_COMMON_KINDS: Final = (
    (Cue.KIN, "kin"), (Cue.HEALTH, "illness"), (Cue.ROLE, "role"), (Cue.NATIONALITY, "nationality"),
    (Cue.DEM, "group"), (Cue.AWARD_HEAD, "award"), (Cue.LAW_HEAD, "law"), (Cue.ORG_HEAD, "organization"),
    (Cue.PLACE_HEAD, "place"), (Cue.WORK_HEAD, "work"), (Cue.EVENT_HEAD, "event"), (Cue.TITLE, "role"),
    (Cue.TIME_UNIT, "duration"), (Cue.HOLIDAY, "holiday"), (Cue.WEEKDAY, "weekday"),
    (Cue.LANGUAGE, "language"),
)  # fmt: skip
_PLACE_KINDS: Final = ((Cue.COUNTRY, "country"), (Cue.REGION, "region"))
_DEMOGRAPHIC_KINDS: Final = ((Cue.NATIONALITY, "nationality"), (Cue.LANGUAGE, "language"), (Cue.DEM, "group"))

# The symbols that tell a date's kind, and a quantity's; the first row whose symbols all occur.
_DATE_KINDS: Final = (
    ("F", "date"), ("4-3", "date"), ("M3", "date"), ("Mo", "date"), ("M4", "month"), ("M", "month"), ("E", "decade"),
    ("c", "century"), ("S", "season"), ("4", "year"), ("W", "weekday"), ("H", "time"), ("h", "time"),
)  # fmt: skip
_QUANTITY_KINDS: Final = (
    ("y", "age"), ("Y", "age"), ("$", "money"), ("%", "percentage"), ("t", "duration"), ("u", "measure"), ("", "count"),
)  # fmt: skip

_MIN_CODE_DIGITS: Final = 7
"""From so many digits in a row, a number is a code."""
_CUES_BEFORE_AGE: Final = int(Cue.ROLE | Cue.KIN | Cue.DEM | Cue.NATIONALITY | Cue.AGE)
"""What may stand before "of" and an age."""


@dataclass(frozen=True, slots=True)
class PhraseTypes:
    """Type, kind and form of each phrase, as indexes into TYPES, KINDS and FORMS."""

    type: Codes
    kind: Codes
    form: Codes


def _kinds_by_symbols(symbol_bits: Ints, rows: tuple[tuple[str, str], ...]) -> Codes:
    """Return each phrase the kind of the first row whose symbols all occur in it."""
    kind = np.full(len(symbol_bits), _KIND_NUMBER[rows[-1][1]])
    for symbols, name in reversed(rows):
        wanted = bits_of_symbols(symbols)
        kind[(symbol_bits & wanted) == wanted] = _KIND_NUMBER[name]
    return kind


def _kinds_by_cues(flags: Ints, rows: tuple[tuple[Cue, str], ...], otherwise: str) -> Codes:
    """Return each phrase the kind of the first cue that its flags have."""
    kind = np.full(len(flags), _KIND_NUMBER[otherwise])
    for cue, name in reversed(rows):
        kind[has_cue(flags, cue)] = _KIND_NUMBER[name]
    return kind


def assign_kinds(tokens: Tokens, features: TokenFeatures, cut: PhraseSpans, lexicon: Lexicon) -> PhraseTypes:
    """Return type, kind and form of every phrase."""
    kind = np.full(len(cut.first), _KIND_NUMBER["other"])
    if not len(kind):
        return PhraseTypes(kind.copy(), kind, kind.copy())
    view = TypingColumns.build(tokens, features, cut, lexicon.language)
    form = _FORM_OF_PATTERN[cut.pattern]
    symbol_bits = combine_flags(view.symbol_bits, view.first, view.last)
    patterns = {name: np.flatnonzero(cut.pattern == number) for number, name in enumerate(PATTERNS)}

    for name in ("reference", "lined"):
        kind[patterns[name]] = _KIND_NUMBER["reference"]
    kind[patterns["code"]] = _KIND_NUMBER["code"]
    kind[patterns["role"]] = _KIND_NUMBER["role"]
    kind[patterns["date"]] = _kinds_by_symbols(symbol_bits[patterns["date"]], _DATE_KINDS)
    kind[patterns["quantity"]] = _kinds_by_symbols(symbol_bits[patterns["quantity"]], _QUANTITY_KINDS)
    dem = patterns["dem"]
    kind[dem] = _kinds_by_cues(view.head_flags[dem], _DEMOGRAPHIC_KINDS, "group")
    # Argentina: an adjective has no capital there, so that what has one is the country.
    places = dem[has_cue(view.head_flags[dem], Cue.COUNTRY | Cue.REGION) & (tokens.first[cut.first[dem]] == UPPER)]
    form[places] = _FORM_NUMBER["name"]
    kind[places] = _kinds_by_cues(view.head_flags[places], _PLACE_KINDS, "region")
    kind[patterns["common"]] = _kinds_by_cues(view.head_flags[patterns["common"]], _COMMON_KINDS, "other")
    _mark_ages(view, kind, patterns["quantity"])
    _classify_numbers(view, kind, form, patterns["number"])
    names = np.flatnonzero((cut.pattern == NAME_PATTERN) | (cut.pattern == TITLE_PATTERN))
    if len(names):
        kind[names] = _KIND_OF_NAME_KIND[classify_names(view, names, lexicon)]
        form[names] = np.where(kind[names] == _KIND_NUMBER["work"], _FORM_NUMBER["title"], _FORM_NUMBER["name"])
    _mark_postcodes(view, kind, form)
    return PhraseTypes(_TYPE_OF_KIND[kind], kind, form)


def _mark_ages(view: TypingColumns, kind: Codes, quantities: Ints) -> None:
    """Turn the durations that follow a person, or the label of an age, into ages (changes `kind`)."""
    durations = quantities[kind[quantities] == _KIND_NUMBER["duration"]]
    if not len(durations):
        return
    first, last = view.first[durations], view.last[durations]
    before = first - 1  # -1 reads the last item, which is apart
    joins = ~view.starts_segment[first] & is_in(view.symbols[before], "f:")
    person = has_cue(view.flags[before - 1], _CUES_BEFORE_AGE)
    aged = joins & person & ~view.starts_segment[before]
    # Leonor Quintal, de 40 anos
    comma = (
        joins
        & (view.symbols[before] == ord("f"))
        & (view.symbols[before - 1] == ord(","))
        & ~view.starts_segment[before]
    )
    aged |= comma & is_in(view.symbols[before - 2], "Pgx") & has_cue(view.flags[last - 1], Cue.AGE) & (before > 1)
    # 15 meses de edad: the word for age follows an "of".
    after = np.minimum(last + 1, len(view.flags) - 1)
    aged |= (
        (view.symbols[last] == ord("f"))
        & ~view.starts_segment[last]
        & _is_age_word(view.flags[after])
        & ~view.starts_segment[after]
    )
    # a los 24 años, but not a los 2 años de la operación
    if opening := phrase_words(view.language, "at_age"):
        words = [(view.words[place - 1].lower(), view.words[place].lower()) for place in before.tolist()]
        at = np.array([pair[-len(opening) :] == opening for pair in words])
        years = has_cue(view.flags[last - 1], Cue.AGE) & ~view.starts_segment[first]
        aged |= at & years & (view.symbols[last] != ord("f"))
    kind[durations[aged]] = _KIND_NUMBER["age"]


def _is_age_word(flags: Ints) -> Bools:
    """Return which words mean age and no unit of time."""
    return has_cue(flags, Cue.AGE) & ~has_cue(flags, Cue.TIME_UNIT)


def _classify_numbers(view: TypingColumns, kind: Codes, form: Codes, numbers: Ints) -> None:
    """Distinguish ordinals and codes from counts (changes `kind` and `form`)."""
    kind[numbers] = _KIND_NUMBER["count"]
    first = view.first[numbers]
    symbols = view.symbols[first]
    kind[numbers[symbols == ord("o")]] = _KIND_NUMBER["ordinal"]
    before = np.where(view.starts_segment[first], len(view.words) - 1, first - 1)
    marked = (view.symbols[before] == ord("#")) & (view.symbols[before - 1] != ord("/"))  # s/n 28040
    marked |= has_cue(view.flags[before], Cue.CODE_HEAD) & (view.length[first] >= 3)
    colon = is_in(view.symbols[before], ":.") & ~view.starts_segment[before]
    marked |= colon & has_cue(view.flags[before - 1], Cue.CODE_HEAD | Cue.NUMBER_MARK | Cue.REFERENCE)
    # "nos. 19": the period of a rare abbreviation may look like the end of a sentence.
    two = np.maximum(first - 2, 0)
    marked |= (
        (view.symbols[first - 1] == ord(".")) & (view.symbols[two] == ord("#"))
        & (view.paragraph[first] == view.paragraph[two]) & (first > 1)
    )  # fmt: skip
    marked &= symbols != ord("n")
    # Application numbers have a slash, which their symbol does not say: 10424/05; but 1996/97 are two years.
    for place in np.flatnonzero(symbols == ord("9")).tolist():
        left, slash, right = view.words[first[place]].partition("/")
        if slash and len(left) == 4 and left[:2] in ("19", "20") and right == f"{(int(left) + 1) % 100:02}":
            kind[numbers[place]], form[numbers[place]] = _KIND_NUMBER["year"], _FORM_NUMBER["date"]
            marked[place] = False
        else:
            marked[place] |= bool(slash)
    listed, behind = find_list_relations(view, first, view.last[numbers])
    marked = _spread_along_lists(marked, (listed | behind) & (kind[numbers] == _KIND_NUMBER["count"]))
    # Counts of so many digits are grouped: 1,234,567.
    marked |= (symbols == ord("0")) & (view.length[first] >= _MIN_CODE_DIGITS)
    codes = numbers[marked]
    kind[codes], form[codes] = _KIND_NUMBER["code"], _FORM_NUMBER["code"]
    # 27-10-1968
    three = np.flatnonzero(view.last[numbers] - first == 5)
    parts = view.symbols[first[three, None] + np.arange(5)]
    dates = (parts[:, 1::2] == ord("-")).all(axis=1) & (parts[:, :3:2] == ord("3")).all(axis=1)
    dates &= is_in(parts[:, 4], "034")
    kind[numbers[three[dates]]], form[numbers[three[dates]]] = _KIND_NUMBER["date"], _FORM_NUMBER["date"]
    # Edad: 85
    kind[numbers[colon & _is_age_word(view.flags[before - 1])]] = _KIND_NUMBER["age"]


def _mark_postcodes(view: TypingColumns, kind: Codes, form: Codes) -> None:
    """Mark postcodes, which precede a place or follow their label (changes `kind` and `form`)."""
    first = view.first
    candidates = np.flatnonzero((view.last - first == 1) & np.isin(kind, (_KIND_NUMBER["count"], _KIND_NUMBER["code"])))
    candidates = candidates[np.isin(view.length[first[candidates]], (4, 5, 6, 7))]
    if not len(candidates):
        return
    at, last = first[candidates], view.last[candidates]
    following = np.minimum(candidates + 1, len(kind) - 1)
    start = view.first[following]
    comma = (view.symbols[last] == ord(",")) & (start == last + 1) & ~view.starts_segment[last] & (view.length[at] == 5)
    near = (
        ((start == last) | comma) & ~view.starts_segment[start] & (_TYPE_OF_KIND[kind[following]] == TYPES.index("LOC"))
    )
    near &= (kind[candidates] == _KIND_NUMBER["count"]) & (view.symbols[at] == ord("0")) & (view.length[at] < 6)
    labels = phrase_words(view.language, "postcodes")
    label = at - 1 - (view.symbols[at - 1] == ord(":"))
    near |= np.array([word.lower() in labels for word in view.words_at(label)]) & ~view.starts_segment[at]
    codes = candidates[near]
    kind[codes], form[codes] = _KIND_NUMBER["postcode"], _FORM_NUMBER["code"]


def _spread_along_lists(marked: Bools, listed: Bools) -> Bools:
    """Spread a mark forward along lists: nos. 19, 20 and 21."""
    place = np.arange(len(marked))
    start = np.maximum.accumulate(np.where(listed, 0, place))
    mark = np.maximum.accumulate(np.where(marked, place, -1))
    spread: Bools = mark >= start
    return spread


def classify_names(view: TypingColumns, number: Ints, lexicon: Lexicon) -> Codes:
    """Return the kind of each name among the phrases, as an index into KINDS of this module."""
    names = NameColumns.build(view, number, lexicon)
    chosen: Ints = np.argmax(observe_names(view, names).scores(), axis=0)
    return _refine_kinds(view, names, chosen)


def _refine_kinds(view: TypingColumns, names: NameColumns, chosen: Ints) -> Codes:
    """Return the kind of each name within its class."""
    kind = chosen.astype(np.uint8)
    tail_flags, places = view.flags[names.tail], names.place_cues
    person, org, loc = (chosen == CLASS_NUMBER[name] for name in ("person", "org", "loc"))
    titled = is_in(view.symbols[names.first], "TB")
    short = person & (names.token_count - titled == 1)
    kind[short] = _NAME_KIND["surname"]
    kind[short & are_given_names(view, names.tail) & ~titled] = _NAME_KIND["first-name"]
    kind[org & has_cue(names.cue_bits, Cue.ORG_SUFFIX)] = _NAME_KIND["company"]
    kingdom = loc & (names.tail != names.head) & has_cue(tail_flags, Cue.COUNTRY)  # Kingdom of Spain
    kind[kingdom] = _NAME_KIND["country"]
    for cue, name in _KINDS_OF_PLACE:
        kind[loc & has_cue(places, cue)] = _NAME_KIND[name]
    return kind
