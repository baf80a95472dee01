"""Give every phrase its type and a finer kind: cues of its own words, gazetteers, and what stands beside it.

Names are decided by evidence that adds up: a table gives what each observation is worth to each class, and
columns of observations give all scores of a piece at once. Nothing looks beyond a paragraph, so that
paragraphs one by one give what the whole text gives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import FORMS, TYPES
from embanon.forms import Found
from embanon.grammar import NAME_PATTERN, PATTERNS, TITLE_PATTERN, Cut
from embanon.lexicon import PERSON, PLACE, Cue, Lexicon
from embanon.tokens import UPPER, Tokens

Ints = NDArray[np.int64]
Codes = NDArray[np.uint8]
Bools = NDArray[np.bool_]

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
KINDS: Final = tuple(kind for kinds in _KINDS_OF_TYPE.values() for kind in kinds.split())
_KIND: Final = {kind: np.uint8(number) for number, kind in enumerate(KINDS)}
KIND_TYPES: Final = tuple(number for number, name in enumerate(TYPES) for _ in _KINDS_OF_TYPE[name].split())
"""The type of each kind, as an index into TYPES."""
_TYPE: Final = np.array(KIND_TYPES, np.uint8)
_FORM: Final = {form: np.uint8(number) for number, form in enumerate(FORMS)}

_FORM_OF_PATTERN: Final = np.array(
    [_FORM[{"lined": "reference", "dem": "common", "role": "common"}.get(pattern, pattern)] for pattern in PATTERNS]
)

_CLASSES: Final = (
    ("person", "full-name"), ("org", "organization"), ("loc", "place"), ("work", "work"), ("award", "award"),
    ("event", "event"), ("law", "law"), ("role", "role"), ("ill", "illness"), ("day", "holiday"),
    ("group", "group"), ("kin", "kin"),
)  # fmt: skip
"""What a name may be, and the kind that it has when nothing finer is known."""
_CLASS: Final = {name: number for number, (name, _) in enumerate(_CLASSES)}
_KIND_OF_CLASS: Final = np.array([_KIND[kind] for _, kind in _CLASSES])

# What an observation is worth to each class: ten is as good as certain, one breaks a tie. The *head* is the
# last word before an "of" (English, German) or the first word (Spanish, Portuguese).
_EVIDENCE: Final[Mapping[str, Mapping[str, float]]] = {
    "always": {"person": 1, "org": 0.5, "work": 0.2},
    # Its own words.
    "title first": {"person": 8},
    "title first, organization's head": {"person": -4},  # Lord Keeper's Office
    "given first": {"person": 4},
    "given first, ambiguous": {"person": -2},
    "surname last": {"person": 1.5},
    "initial": {"person": 4},
    "suffix of names": {"person": 4},
    "particle": {"person": 1.5},
    "given twice": {"person": 3},
    "two to four names": {"person": 0.5},
    "five or more words": {"person": -2, "org": 1, "work": 1},
    "organization's head": {"org": 7},
    "organization's first": {"org": 4},
    "organization's word": {"org": 2.5},
    "company's suffix": {"org": 8},
    "known organization": {"org": 5},
    "house of an organization": {"org": 6},
    "acronym": {"org": 3, "person": -1},
    "acronym first or last": {"org": 3, "person": -1},
    "acronym, quoted": {"org": 4},
    "place's head": {"loc": 6},
    "place's head, one word": {"loc": 2},
    "place's first": {"loc": 4},
    "country": {"loc": 7},
    "region": {"loc": 5},
    "major city": {"loc": 5},
    "city": {"loc": 2.5},
    "place, ambiguous": {"loc": -1.5},
    "place of several words": {"loc": 3},
    "place last": {"loc": 1, "org": 0.5},
    "place first": {"org": 1.5, "person": -1.5},
    "place first, after an article": {"org": 3, "role": -2},
    "direction first": {"loc": 3},
    "work's head": {"work": 4},
    "award's head": {"award": 9},
    "event's head": {"event": 6},
    "law's head": {"law": 6},
    "year first": {"event": 3},
    "year in brackets": {"work": 7},
    "function word": {"work": 1.5, "org": 0.5, "person": -2},
    "number": {"work": 1, "event": 1, "person": -2},
    "role": {"role": 5},
    "role, then a name": {"role": -3, "person": 4},
    "illness": {"ill": 7},
    "holiday": {"day": 5},
    "group": {"group": 2},
    "group, one word": {"group": 3},
    "kin": {"kin": 5.5},
    "quoted": {"work": 5, "person": -1},
    # What stands beside it.
    "role before": {"person": 4},
    "work before": {"work": 5},
    "event before": {"event": 3},
    "organization before": {"org": 3},
    "place before": {"loc": 6},
    "label of names": {"person": 6},
    "postcode before": {"loc": 4},
    "organization after": {"org": 2},
    "event after": {"event": 1, "org": 0.5},
    "role in apposition": {"person": 3},
    "kin of": {"person": 3},
    "place of": {"loc": 5},
    "role of": {"org": 1.5, "loc": 1},
    "in": {"loc": 2, "work": 1, "person": -2},
    "in, before a place": {"loc": 3, "person": -1},
    "from": {"loc": 1},
    "at": {"org": 2, "loc": 1, "person": -1},
    "by": {"person": 1},
    "for": {"org": 1},
    "article": {"org": 1.5, "work": 1, "event": 1, "award": 0.5, "person": -2.5},
    "who after": {"person": 4},
    "verb after": {"person": 0.5},
    "possessive after": {"person": 0.5},
    "wider place after": {"loc": 3},
    # What the paragraph's longer names say of a single word.
    "part of person": {"person": 4},
    "part of org": {"org": 2.5},
    "part of loc": {"loc": 1},
    # What its neighbors in a list are, and the name that it stands behind in brackets.
    "beside person": {"person": 2},
    "beside org": {"org": 2},
    "beside loc": {"loc": 2},
    "beside work": {"work": 3},
    "behind loc": {"loc": 2},
    "alias of person": {"person": 4},
    "alias of org": {"org": 7},
    "alias of loc": {"loc": 4},
    "alias of work": {"work": 3},
}
_ROW: Final = {name: number for number, name in enumerate(_EVIDENCE)}
_ENTRIES: Final = tuple(
    (row, _CLASS[name], np.float32(worth))
    for row, worths in enumerate(_EVIDENCE.values())
    for name, worth in worths.items()
)
_LATE: Final = _ROW["part of person"]
"""The first row of what other names say."""

_PLACE_KINDS: Final = (
    (Cue.CITY, "city"), (Cue.REGION, "region"), (Cue.MAJOR, "city"), (Cue.CONTINENT, "continent"),
    (Cue.COUNTRY, "country"),
)  # fmt: skip
"""What kind of place a cue says, the last that fits: a region is meant more often than its small namesake."""

# Words that say what the name after them is: closed classes whose senses no cue of the lexicon tells apart.
_BEFORE: Final = {
    "en": {"in": "in near inside outside throughout", "from": "from to into across toward", "at": "at",
           "for": "for", "by": "by with", "label": "name named surname called"},
    "es": {"in": "en", "from": "desde hacia hasta a", "at": "", "for": "para",
           "by": "por con",
           "label": "nombre nombres apellido apellidos llamado llamada"},
    "pt": {"in": "em no na nos nas", "from": "desde até a à ao", "at": "", "for": "para",
           "by": "por pelo pela com",
           "label": "nome nomes apelido apelidos sobrenome chamado chamada"},
    "de": {"in": "in im bei nach aus", "from": "ab über", "at": "am an", "for": "für",
           "by": "durch mit",
           "label": "name vorname nachname namens geborene geb"},
}  # fmt: skip
_WHO: Final = {
    "en": "who whom whose himself herself", "es": "quien quienes", "pt": "quem", "de": "selbst",
}  # fmt: skip


_POSTCODES: Final = {
    "en": frozenset(("zip", "postcode")), "es": frozenset(("cp", "c.p", "c.p.", "postal")),
    "pt": frozenset(("cep", "postal")), "de": frozenset(("plz", "postleitzahl")),
}  # fmt: skip
"""What stands before a postcode; other codes have a cue of the lexicon."""


def _table(language: str) -> dict[str, int]:
    """Number the words before a name by what they say: the place in `_BEFORE_NAMES`, from 1."""
    rows = _BEFORE.get(language, {})
    words = {word: 1 + _BEFORE_NAMES.index(name) for name, listed in rows.items() for word in listed.split()}
    return {**words, **{word.capitalize(): number for word, number in words.items()}}


_BEFORE_NAMES: Final = ("in", "from", "at", "for", "by", "label")
_PASSES: Final = 2
"""How often lists spread what is known of their members."""
_TABLES: Final = {language: _table(language) for language in _BEFORE}
_WHO_TABLES: Final = {language: frozenset(words.split()) for language, words in _WHO.items()}

# What the head of a common phrase says; the first row that fits.
_COMMON: Final = (
    (Cue.KIN, "kin"), (Cue.HEALTH, "illness"), (Cue.ROLE, "role"), (Cue.NATIONALITY, "nationality"),
    (Cue.DEM, "group"), (Cue.AWARD_HEAD, "award"), (Cue.LAW_HEAD, "law"), (Cue.ORG_HEAD, "organization"),
    (Cue.PLACE_HEAD, "place"), (Cue.WORK_HEAD, "work"), (Cue.EVENT_HEAD, "event"), (Cue.TITLE, "role"),
    (Cue.TIME_UNIT, "duration"), (Cue.HOLIDAY, "holiday"), (Cue.WEEKDAY, "weekday"),
    (Cue.LANGUAGE, "language"),
)  # fmt: skip
_DEM: Final = ((Cue.NATIONALITY, "nationality"), (Cue.LANGUAGE, "language"), (Cue.DEM, "group"))

# The symbols that tell a date's kind, and a quantity's; the first row whose symbols all occur.
_DATE: Final = (
    ("F", "date"), ("M3", "date"), ("Mo", "date"), ("M4", "month"), ("M", "month"), ("E", "decade"),
    ("c", "century"), ("S", "season"), ("4", "year"), ("W", "weekday"), ("H", "time"), ("h", "time"),
)  # fmt: skip
_QUANTITY: Final = (
    ("y", "age"), ("$", "money"), ("%", "percentage"), ("t", "duration"), ("u", "measure"), ("", "count"),
)  # fmt: skip


_LONG: Final = 7
"""From so many digits in a row, a number is a code."""
_AT_AGE: Final = {"es": ("a", "los"), "pt": ("", "aos"), "de": ("", "mit")}
"""What stands before an age as a point in life: `a los 24 años`; English says `at the age of`."""
_AGED: Final = int(Cue.ROLE | Cue.KIN | Cue.DEM | Cue.NATIONALITY | Cue.AGE)
"""What may stand before "of" and an age."""


@dataclass(frozen=True, slots=True)
class Typed:
    """Type, kind and form of each phrase, as indexes into TYPES, KINDS and FORMS."""

    type: Codes
    kind: Codes
    form: Codes


def _members(symbols: str) -> Bools:
    table = np.zeros(256, dtype=bool)
    table[list(symbols.encode("ascii"))] = True
    return table


def _any(bits: Ints, first: Ints, last: Ints) -> Ints:
    """Join the bits of the tokens of each phrase; `bits` has one item more than there are tokens."""
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    bounds = np.empty(2 * len(first), dtype=np.int64)
    bounds[::2], bounds[1::2] = first, last
    joined: Ints = np.bitwise_or.reduceat(bits, bounds)[::2]
    return joined


def _next(places: Ints, at: Ints, end: Ints) -> Ints:
    """Give the first of the sorted places in each span, the span's end where there is none."""
    if not len(places):
        return end
    number = np.searchsorted(places, at)
    return np.where(number < len(places), np.minimum(places[np.minimum(number, len(places) - 1)], end), end)


_DAY_MONTH_YEAR: Final = np.stack([_members(symbols) for symbols in ("3", "-", "3", "-", "034")])
_SYMBOL_BITS: Final = np.zeros(256, dtype=np.int64)
for _bit, _symbol in enumerate(b"FM3o4EcSWHhy$%tuDTBgxv0QP&9(fkI/"):
    _SYMBOL_BITS[_symbol] = 1 << _bit


def _bits(symbols: str) -> int:
    return int(np.bitwise_or.reduce(_SYMBOL_BITS[list(symbols.encode("ascii"))])) if symbols else 0


def _by_symbols(seen: Ints, rows: tuple[tuple[str, str], ...]) -> Codes:
    """Give each phrase the kind of the first row whose symbols all occur in it."""
    kind = np.full(len(seen), _KIND[rows[-1][1]])
    for symbols, name in reversed(rows):
        wanted = _bits(symbols)
        kind[(seen & wanted) == wanted] = _KIND[name]
    return kind


def _by_cues(flags: Ints, rows: tuple[tuple[Cue, str], ...], otherwise: str) -> Codes:
    """Give each phrase the kind of the first cue that its flags have."""
    kind = np.full(len(flags), _KIND[otherwise])
    for cue, name in reversed(rows):
        kind[flags & int(cue) > 0] = _KIND[name]
    return kind


@dataclass(frozen=True, slots=True)
class _View:
    """A piece of text and its phrases; token columns have one item more, so that `last` is always a place."""

    words: list[str] = field(repr=False)
    flags: Ints
    symbols: Codes
    bits: Ints
    apart: Bools  # whether the token starts a sentence or a line: what is before it says nothing
    length: Ints
    paragraph: Ints
    ids: Ints
    first: Ints
    last: Ints
    pattern: Codes
    head: Ints  # flags of each phrase's head
    language: str

    @classmethod
    def of(cls, tokens: Tokens, found: Found, cut: Cut, language: str) -> _View:
        flags = np.append(found.of("facts", "flags"), 0)
        symbols = np.append(cut.symbols, ord("\n")).astype(np.uint8)
        apart = np.append(tokens.sentence | (tokens.gap >= 3), True)
        paragraph = np.cumsum(tokens.gap >= 4, dtype=np.int64)
        length = np.append(tokens.end - tokens.start, 0)
        first, last, pattern = cut.first, cut.last, cut.pattern
        if language in ("es", "pt"):
            head = _next(np.flatnonzero((symbols == ord("N")) | (symbols == ord("G"))), first, last - 1)
        else:
            head = last - 1
        return cls(
            [*tokens.words, ""], flags, symbols, _SYMBOL_BITS[symbols], apart, length, paragraph, found.ids,
            first, last, pattern, flags[head], language,
        )  # fmt: skip


def assign(tokens: Tokens, found: Found, cut: Cut, lexicon: Lexicon) -> Typed:
    """Give type, kind and form of every phrase."""
    kind = np.full(len(cut.first), _KIND["other"])
    if not len(kind):
        return Typed(kind.copy(), kind, kind.copy())
    view = _View.of(tokens, found, cut, lexicon.language)
    form = _FORM_OF_PATTERN[cut.pattern]
    seen = _any(view.bits, view.first, view.last)
    patterns = {name: np.flatnonzero(cut.pattern == number) for number, name in enumerate(PATTERNS)}

    for name in ("reference", "lined"):
        kind[patterns[name]] = _KIND["reference"]
    kind[patterns["code"]] = _KIND["code"]
    kind[patterns["role"]] = _KIND["role"]
    kind[patterns["date"]] = _by_symbols(seen[patterns["date"]], _DATE)
    kind[patterns["quantity"]] = _by_symbols(seen[patterns["quantity"]], _QUANTITY)
    kind[patterns["dem"]] = _by_cues(view.head[patterns["dem"]], _DEM, "group")
    # Argentina: an adjective has no capital there, so that what has one is the country.
    adjectives = patterns["dem"]
    country = (view.head[adjectives] & int(Cue.COUNTRY | Cue.REGION) != 0) & (
        tokens.first[cut.first[adjectives]] == UPPER
    )
    form[adjectives[country]] = _FORM["name"]
    kind[adjectives[country]] = np.where(
        view.head[adjectives[country]] & int(Cue.COUNTRY) != 0, _KIND["country"], _KIND["region"]
    )
    kind[patterns["common"]] = _by_cues(view.head[patterns["common"]], _COMMON, "other")
    _ages(view, kind, patterns["quantity"])
    _numbers(view, kind, form, patterns["number"])
    names = np.flatnonzero((cut.pattern == NAME_PATTERN) | (cut.pattern == TITLE_PATTERN))
    if len(names):
        kind[names] = _names(view, names, lexicon)
        form[names] = np.where(kind[names] == _KIND["work"], _FORM["title"], _FORM["name"])
    _postcodes(view, kind, form)
    return Typed(_TYPE[kind], kind, form)


def _ages(view: _View, kind: Codes, quantities: Ints) -> None:
    """Turn the durations that follow a person, or the label of an age, into ages (changes `kind`)."""
    some = quantities[kind[quantities] == _KIND["duration"]]
    if not len(some):
        return
    first, last = view.first[some], view.last[some]
    before = first - 1  # -1 reads the last item, which is apart
    joins = ~view.apart[first] & ((view.symbols[before] == ord("f")) | (view.symbols[before] == ord(":")))
    person = view.flags[before - 1] & _AGED != 0
    aged = joins & person & ~view.apart[before]
    # Leonor Quintal, de 40 anos
    comma = joins & (view.symbols[before] == ord("f")) & (view.symbols[before - 1] == ord(",")) & ~view.apart[before]
    aged |= comma & _members("Pgx")[view.symbols[before - 2]] & _has(view.flags[last - 1], Cue.AGE) & (before > 1)
    # 15 meses de edad: the word for age follows an "of".
    after = np.minimum(last + 1, len(view.flags) - 1)
    aged |= (view.symbols[last] == ord("f")) & ~view.apart[last] & (_age_word(view.flags[after])) & ~view.apart[after]
    # a los 24 años, but not a los 2 años de la operación
    if view.language in _AT_AGE:
        outer, inner = _AT_AGE[view.language]
        words = [(view.words[place - 1].lower(), view.words[place].lower()) for place in before.tolist()]
        at = np.array([word == inner and (not outer or earlier == outer) for earlier, word in words])
        years = _has(view.flags[last - 1], Cue.AGE) & ~view.apart[first]
        aged |= at & years & (view.symbols[last] != ord("f"))
    kind[some[aged]] = _KIND["age"]


def _age_word(flags: Ints) -> Bools:
    """Say which words mean age and no unit of time."""
    return _has(flags, Cue.AGE) & ~_has(flags, Cue.TIME_UNIT)


def _numbers(view: _View, kind: Codes, form: Codes, numbers: Ints) -> None:
    """Tell ordinals and codes from counts (changes `kind` and `form`)."""
    kind[numbers] = _KIND["count"]
    first = view.first[numbers]
    symbols = view.symbols[first]
    kind[numbers[symbols == ord("o")]] = _KIND["ordinal"]
    before = np.where(view.apart[first], len(view.words) - 1, first - 1)
    marked = (view.symbols[before] == ord("#")) & (view.symbols[before - 1] != ord("/"))  # s/n 28040
    marked |= _has(view.flags[before], Cue.CODE_HEAD) & (view.length[first] >= 3)
    colon = np.isin(view.symbols[before], (ord(":"), ord("."))) & ~view.apart[before]
    marked |= colon & (view.flags[before - 1] & int(Cue.CODE_HEAD | Cue.NUMBER_MARK | Cue.REFERENCE) > 0)
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
            kind[numbers[place]], form[numbers[place]] = _KIND["year"], _FORM["date"]
            marked[place] = False
        else:
            marked[place] |= bool(slash)
    listed, behind, _ = _neighbors(view, first, view.last[numbers])
    marked = _along(marked, (listed | behind) & (kind[numbers] == _KIND["count"]))
    # Counts of so many digits are grouped: 1,234,567.
    marked |= (symbols == ord("0")) & (view.length[first] >= _LONG)
    codes = numbers[marked]
    kind[codes], form[codes] = _KIND["code"], _FORM["code"]
    # 27-10-1968
    three = np.flatnonzero(view.last[numbers] - first == 5)
    parts = view.symbols[first[three, None] + np.arange(5)]
    dates = np.all(_DAY_MONTH_YEAR[np.arange(5), parts], axis=1)
    kind[numbers[three[dates]]], form[numbers[three[dates]]] = _KIND["date"], _FORM["date"]
    # Edad: 85
    kind[numbers[colon & _age_word(view.flags[before - 1])]] = _KIND["age"]


def _postcodes(view: _View, kind: Codes, form: Codes) -> None:
    """Tell postcodes, which stand before a place or behind their label (changes `kind` and `form`)."""
    first = view.first
    some = np.flatnonzero((view.last - first == 1) & np.isin(kind, (_KIND["count"], _KIND["code"])))
    some = some[np.isin(view.length[first[some]], (4, 5, 6, 7))]
    if not len(some):
        return
    at, last = first[some], view.last[some]
    following = np.minimum(some + 1, len(kind) - 1)
    start = view.first[following]
    comma = (view.symbols[last] == ord(",")) & (start == last + 1) & ~view.apart[last] & (view.length[at] == 5)
    near = ((start == last) | comma) & ~view.apart[start] & (_TYPE[kind[following]] == TYPES.index("LOC"))
    near &= (kind[some] == _KIND["count"]) & (view.symbols[at] == ord("0")) & (view.length[at] < 6)
    labels = _POSTCODES.get(view.language, frozenset())
    label = at - 1 - (view.symbols[at - 1] == ord(":"))
    near |= np.array([word.lower() in labels for word in _words(view, label)]) & ~view.apart[at]
    codes = some[near]
    kind[codes], form[codes] = _KIND["postcode"], _FORM["code"]


def _along(marked: Bools, listed: Bools) -> Bools:
    """Spread a mark forward along lists: nos. 19, 20 and 21."""
    place = np.arange(len(marked))
    start = np.maximum.accumulate(np.where(listed, 0, place))
    mark = np.maximum.accumulate(np.where(marked, place, -1))
    spread: Bools = mark >= start
    return spread


def _names(view: _View, names: Ints, lexicon: Lexicon) -> Codes:
    """Give the kind of each name."""
    first, last = view.first[names], view.last[names]
    # What stands in brackets at the end is no part of the name proper.
    end = _next(np.flatnonzero(view.symbols == ord("(")), first + 1, last)
    of = _next(np.flatnonzero(view.symbols == ord("f")), first + 1, end)
    tail = end - 1
    head = first if view.language in ("es", "pt") else of - 1
    size = end - first
    hyphens = np.concatenate([[0], np.cumsum(view.symbols == ord("-"))])
    words = np.maximum(size - 2 * (hyphens[end] - hyphens[first]), 1)  # Stow-on-the-Fen is one word
    seen = _any(view.bits, first, end)
    cues = _any(view.flags, first, end)
    places = _places(view, names, first, end, size, seen, lexicon)
    features = np.zeros((len(_EVIDENCE), len(names)), dtype=np.float32)
    bracket = end < last
    features[_ROW["year in brackets"]] = bracket & (view.symbols[np.minimum(end + 1, last)] == ord("4"))
    features[_ROW["quoted"]] = view.pattern[names] == TITLE_PATTERN
    _inside(view, features, first, head, tail, words, seen, cues, places)
    _beside(view, features, names, first, last)
    _between(view, features, names, first, last, places)
    features[_ROW["in, before a place"]] = (features[_ROW["in"]] > 0) & _has(places, PLACE)
    listed, behind, alias = _neighbors(view, first, last)
    opening = np.maximum.accumulate(np.where(listed, 0, np.arange(len(first))))
    for name in ("work before", "place before", "place of"):  # what introduces a list introduces its members
        features[_ROW[name]] = features[_ROW[name], opening]
    scores = _scores(features, slice(0, _LATE))
    chosen = np.argmax(scores, axis=0)
    _parts(view, features, chosen, first, end, size == 1)
    for _ in range(_PASSES):
        for name in ("person", "org", "loc", "work"):
            same = chosen == _CLASS[name]
            features[_ROW[f"beside {name}"]] = (listed & _moved(same, 1)) | (_moved(listed, -1) & _moved(same, -1))
            features[_ROW[f"alias of {name}"]] = alias & _moved(same, 1)
        features[_ROW["behind loc"]] = behind & _moved(chosen == _CLASS["loc"], 1)
        chosen = np.argmax(scores + _scores(features, slice(_LATE, None)), axis=0)
    return _finer(view, chosen, first, head, tail, size, seen, cues, places)


def _scores(features: NDArray[np.float32], rows: slice) -> NDArray[np.float32]:
    """Add up what some rows of evidence are worth: an array of classes × names.

    The table is small and mostly zeros: adding its entries is faster than a matrix product, starts no threads
    and rounds alike on all machines.
    """
    scores = np.zeros((len(_CLASSES), features.shape[1]), dtype=np.float32)
    seen = [False] * len(_EVIDENCE)
    seen[rows] = np.any(features[rows] != 0, axis=1).tolist()
    for row, number, worth in _ENTRIES:
        if seen[row]:
            scores[number] += worth * features[row]
    return scores


def _moved(values: Bools, by: int) -> Bools:
    """Let each name see the one before it (1) or after it (-1); those at the ends see nothing."""
    result = np.zeros_like(values)
    if by > 0:
        result[1:] = values[:-1]
    else:
        result[:-1] = values[1:]
    return result


def _neighbors(view: _View, first: Ints, last: Ints) -> tuple[Bools, Bools, Bools]:
    """Say of each name whether it goes on a list from the one before, behind its comma, or is its alias."""
    listed, alias = np.zeros(len(first), dtype=bool), np.zeros(len(first), dtype=bool)
    start, stop = first[1:], last[:-1]
    between = start - stop
    one, two = view.symbols[stop], view.symbols[np.minimum(stop + 1, len(view.words) - 1)]
    breaks = np.cumsum(view.apart)
    near = (between <= 2) & (breaks[start] == breaks[stop - 1])
    joins = _members(",a/")
    listed[1:] = near & joins[one] & ((between == 1) | ((between == 2) & (two == ord("a"))))
    # A comma alone joins no two names: the second may be where the first is. A list has three, or an "and".
    chain = np.cumsum(~listed) - 1
    joined = np.zeros(len(first), dtype=bool)
    joined[1:] = (one == ord("a")) | (two == ord("a")) & (between == 2)
    behind = listed.copy()
    strength = np.bincount(chain, weights=listed * (1 + (joined & listed)), minlength=1)
    listed &= strength[chain] >= 2
    behind &= ~listed
    alias[1:] = near & (one == ord("(")) & ((between == 1) | np.isin(two, (ord("{"), ord("<"))))
    return listed, behind, alias


def _places(view: _View, names: Ints, first: Ints, end: Ints, size: Ints, seen: Ints, lexicon: Lexicon) -> Ints:
    """Give the place cues of each whole name, with AMBIGUOUS where it stands."""
    places: Ints = np.where(size == 1, view.flags[first] & (PLACE | int(Cue.AMBIGUOUS)), 0)
    # The look-up of several words is the one loop: only where no title or given name rules it out.
    flags = view.flags[first]
    people = _has(flags, Cue.GIVEN_NAME) & ~_has(flags, PLACE | int(Cue.AMBIGUOUS | Cue.PLACE_HEAD | Cue.PARTICLE))
    people |= (view.symbols[first] == ord("T")) & ~_has(flags, Cue.PARTICLE)
    several = (size > 1) & (size <= 4) & (seen & _bits("x&") == 0) & ~people
    some = np.flatnonzero(several)
    known: dict[str, int] = {}
    openings = _openings(lexicon)
    for place, start, stop in zip(some.tolist(), first[some].tolist(), end[some].tolist(), strict=True):
        if view.words[start].lower() not in openings:
            continue
        name = " ".join(view.words[start:stop])
        bits = known.get(name)
        if bits is None:
            bits = known[name] = lexicon.place(name)
        places[place] = bits
    return places


def _shouted(view: _View, places: Ints) -> Bools:
    """Say which words are in capitals, two letters at least."""
    upper = np.array(list(map(str.isupper, _words(view, places))))
    result: Bools = upper & (view.length[places] > 1)
    some = np.flatnonzero(result)
    result[some] = [not word.endswith(".") for word in _words(view, places[some])]
    return result


def _dotted(view: _View, places: Ints) -> Bools:
    """Say which words are initials with their period."""
    result: Bools = view.length[places] == 2
    some = np.flatnonzero(result)
    result[some] = [word[1:] == "." for word in _words(view, places[some])]
    return result


def _words(view: _View, places: Ints) -> tuple[str, ...]:
    """Give the words at some places; one call for all, as each place has to be read by itself."""
    words: tuple[str, ...] = itemgetter(0, 0, *places.tolist())(view.words)
    return words[2:]


@lru_cache(maxsize=8)
def _openings(lexicon: Lexicon) -> frozenset[str]:
    """Give the first words of all places of several words, which spares most look-ups."""
    listed = {word.decode("utf-8") for word in re.findall(rb"\n([^\n\t ]+) ", lexicon.names.lines)}
    return frozenset(listed | {name.partition(" ")[0] for name in lexicon.capitalized if " " in name})


def _has(flags: Ints, cue: int) -> Bools:
    result: Bools = (flags & int(cue)) != 0
    return result


def _inside(
    view: _View,
    features: NDArray[np.float32],
    first: Ints,
    head: Ints,
    tail: Ints,
    size: Ints,
    seen: Ints,
    cues: Ints,
    places: Ints,
) -> None:
    """Note what the words of each name say (changes `features`)."""
    first_flags, head_flags, tail_flags = view.flags[first], view.flags[head], view.flags[tail]
    several = size > 1
    symbol = view.symbols[first]
    initial = (symbol == ord("P")) & several
    initial &= _dotted(view, first)
    acronym = _shouted(view, tail)
    quoted = features[_ROW["quoted"]] > 0
    given = (symbol == ord("g")) | _has(first_flags, Cue.GIVEN_NAME)
    ambiguous = _has(first_flags, Cue.AMBIGUOUS)
    abroad = several & _has(first_flags, PLACE) & ~given & ~_has(places, PLACE) & ~_has(first_flags, Cue.DIRECTION)
    one = {
        "always": np.ones(len(first), dtype=bool),
        "title first": symbol == ord("T"),
        "title first, organization's head": (symbol == ord("T")) & (size > 2) & _has(head_flags, Cue.ORG_HEAD),
        "given first": given,
        "given first, ambiguous": given & ambiguous & ~several,
        "surname last": _has(tail_flags, Cue.SURNAME),
        "initial": initial,
        "suffix of names": several & (view.symbols[tail] == ord("x")),
        "particle": several & _has(seen, _bits("v")),
        "given twice": several & given & (view.symbols[np.minimum(first + 1, tail)] == ord("g")),
        "two to four names": (size > 1) & (size < 5) & ~_has(seen, _bits("Q0Df")),
        "five or more words": size > 4,
        "organization's head": _has(head_flags, Cue.ORG_HEAD),
        "organization's first": several & (head != first) & _has(first_flags, Cue.ORG_HEAD),
        "organization's word": _has(cues, Cue.ORG_HEAD),
        "company's suffix": several & (_has(tail_flags, Cue.ORG_SUFFIX) | _has(seen, _bits("&"))),
        "known organization": _has(np.where(several, head_flags, first_flags), Cue.ORG_NAME),
        "house of an organization": (head != tail) & _has(head_flags, Cue.PLACE_HEAD) & _has(tail_flags, Cue.ORG_HEAD),
        "acronym": acronym & ~several,
        "acronym first or last": several & (acronym != _shouted(view, first)) & ~given,
        "acronym, quoted": acronym & ~several & quoted,
        "place's head": several & _has(head_flags, Cue.PLACE_HEAD),
        "place's head, one word": ~several & _has(head_flags, Cue.PLACE_HEAD),
        "place's first": several & (head != first) & _has(first_flags, Cue.PLACE_HEAD),
        "country": _has(places, Cue.COUNTRY | Cue.CONTINENT),
        "region": _has(places, Cue.REGION),
        "major city": _has(places, Cue.MAJOR),
        "city": _has(places, Cue.CITY),
        "place, ambiguous": _has(places, Cue.AMBIGUOUS),
        "place of several words": several & _has(places, PLACE),
        "place last": several & _has(tail_flags, PLACE),
        "place first": abroad,
        "place first, after an article": abroad & ~_has(seen, _bits("f")) & (view.symbols[first - 1] == ord("d")),
        "direction first": several & _has(first_flags, Cue.DIRECTION) & _has(tail_flags, PLACE),
        "work's head": _has(head_flags, Cue.WORK_HEAD),
        "award's head": _has(head_flags, Cue.AWARD_HEAD),
        "event's head": _has(head_flags, Cue.EVENT_HEAD),
        "law's head": _has(head_flags, Cue.LAW_HEAD),
        "year first": several & (symbol == ord("4")),
        "function word": _has(seen, _bits("Q")),
        "number": several & _has(seen, _bits("0349")),
        "role": _has(seen, _bits("B")) | _has(head_flags, Cue.ROLE),
        "role, then a name": (symbol == ord("B"))
        & several
        & (_has(tail_flags, PERSON) | (view.symbols[tail] == ord("g"))),
        "illness": _has(head_flags, Cue.HEALTH),
        "holiday": _has(head_flags, Cue.HOLIDAY),
        "kin": ~several & _has(head_flags, Cue.KIN),
        "group": _has(head_flags, Cue.NATIONALITY | Cue.DEM | Cue.LANGUAGE),
        "group, one word": ~several & _has(head_flags, Cue.NATIONALITY | Cue.DEM | Cue.LANGUAGE) & ~given,
    }
    for name, values in one.items():
        features[_ROW[name]] = values


def _beside(view: _View, features: NDArray[np.float32], names: Ints, first: Ints, last: Ints) -> None:
    """Note what the words before and after each name say (changes `features`)."""
    table = _TABLES.get(view.language, {})
    count = len(view.words) - 1
    apart, ends = view.apart[first], view.apart[last]
    before = np.where(apart, count, first - 1)  # the last item stands for nothing
    colon = (view.symbols[before] == ord(":")) & ~view.apart[np.minimum(before, count)]
    article = view.symbols[before] == ord("d")
    inner = article & ~view.apart[before]  # in der Lindenstraße
    label = np.where(colon | inner, before - 1, before)
    said = np.array(list(map(table.get, _words(view, label), repeat(0))))
    for number, name in enumerate(_BEFORE_NAMES, 1):
        place = "label of names" if name == "label" else name
        features[_ROW[place]] = (said == number) & (~colon | (name == "label"))
    number = (view.symbols[before] == ord("0")) & (view.length[before] == 5)
    features[_ROW["postcode before"]] = number
    features[_ROW["article"]] = article
    after = np.where(ends, count, last)
    comma = (view.symbols[after] == ord(",")) & ~view.apart[np.minimum(after + 1, count)]
    next_word = np.where(comma, np.minimum(after + 1, count), after)
    who = _WHO_TABLES.get(view.language, frozenset())
    features[_ROW["who after"]] = list(map(who.__contains__, _words(view, next_word)))
    features[_ROW["verb after"]] = view.symbols[after] == ord("V")
    features[_ROW["possessive after"]] = view.symbols[after] == ord("'")


def _between(view: _View, features: NDArray[np.float32], names: Ints, first: Ints, last: Ints, places: Ints) -> None:
    """Note what the phrases before and after each name say (changes `features`)."""
    count = len(view.words) - 1
    # The phrase before: touching, before a colon, or before "of" and "of the".
    previous = np.maximum(names - 1, 0)
    stop = np.where(names > 0, view.last[previous], -1)
    here = ~view.apart[first]
    touches = here & (stop == first)
    one = here & (stop == first - 1) & ~view.apart[first - 1]
    symbol = view.symbols[first - 1]
    labeled = one & (symbol == ord(":"))
    two = here & (stop == first - 2) & (symbol == ord("d")) & ~view.apart[first - 1]
    belongs = (one & (symbol == ord("f"))) | (two & (view.symbols[first - 2] == ord("f")))
    # The word before counts as well where it is no phrase: a label of one word.
    direct = touches | labeled
    flags = np.where(direct | belongs, view.head[previous], 0)
    name_before = np.isin(view.pattern[previous], (NAME_PATTERN, TITLE_PATTERN))
    flags[touches & name_before] = 0
    person = _has(flags, Cue.ROLE | Cue.KIN | Cue.TITLE)
    pattern = view.pattern[previous] == PATTERNS.index("role")
    features[_ROW["role before"]] = direct & (person | pattern)
    features[_ROW["work before"]] = direct & _has(flags, Cue.WORK_HEAD)
    features[_ROW["event before"]] = direct & _has(flags, Cue.EVENT_HEAD)
    features[_ROW["organization before"]] = direct & _has(flags, Cue.ORG_HEAD)
    features[_ROW["place before"]] = direct & _has(flags, Cue.PLACE_HEAD)
    features[_ROW["kin of"]] = belongs & _has(flags, Cue.KIN)
    features[_ROW["place of"]] = belongs & _has(flags, Cue.PLACE_HEAD)
    features[_ROW["role of"]] = belongs & _has(flags, Cue.ROLE)
    # The phrase after: touching, or in apposition after a comma and perhaps an article.
    following = np.minimum(names + 1, len(view.first) - 1)
    start = np.where(names + 1 < len(view.first), view.first[following], -1)
    flags = view.head[following]
    touches = (start == last) & ~view.apart[last]
    features[_ROW["organization after"]] = touches & _has(flags, Cue.ORG_HEAD)
    features[_ROW["event after"]] = touches & _has(flags, Cue.EVENT_HEAD | Cue.WORK_HEAD | Cue.AWARD_HEAD)
    comma = (view.symbols[last] == ord(",")) & ~view.apart[last] & ~view.apart[np.minimum(last + 1, count)]
    article = (start == last + 2) & (view.symbols[np.minimum(last + 1, count)] == ord("d"))
    common = view.pattern[following] == PATTERNS.index("common")
    features[_ROW["role in apposition"]] = (
        comma & (article | (start == last + 1)) & common & _has(flags, Cue.ROLE | Cue.KIN)
    )
    wider = np.zeros(len(view.first), dtype=bool)
    wider[names] = _has(places, Cue.COUNTRY | Cue.REGION)
    features[_ROW["wider place after"]] = comma & (start == last + 1) & wider[following]


def _parts(view: _View, features: NDArray[np.float32], chosen: Ints, first: Ints, end: Ints, single: Bools) -> None:
    """Note which single words begin or end a longer name of their paragraph (changes `features`)."""
    if not single.any() or single.all():
        return
    width = int(view.ids.max()) + 1
    here = view.paragraph[first]
    key = here[single] * width + view.ids[first[single]]
    for name in ("person", "org", "loc"):
        which = ~single & (chosen == _CLASS[name])
        long = here[which] * width
        keys = np.concatenate([long + view.ids[first[which]], long + view.ids[end[which] - 1]])
        features[_ROW[f"part of {name}"], single] = np.isin(key, keys)


def _finer(
    view: _View,
    chosen: Ints,
    first: Ints,
    head: Ints,
    tail: Ints,
    size: Ints,
    seen: Ints,
    cues: Ints,
    places: Ints,
) -> Codes:
    """Give the kind of each name within its class."""
    kind = _KIND_OF_CLASS[chosen]
    person, org, loc = (chosen == _CLASS[name] for name in ("person", "org", "loc"))
    titled = np.isin(view.symbols[first], (ord("T"), ord("B")))
    short = size - titled == 1
    given = _has(view.flags[tail], Cue.GIVEN_NAME) | (view.symbols[tail] == ord("g"))
    kind[person & short] = _KIND["surname"]
    kind[person & short & given & ~titled] = _KIND["first-name"]
    kind[org & _has(cues, Cue.ORG_SUFFIX)] = _KIND["company"]
    kind[loc & (tail != head) & _has(view.flags[tail], Cue.COUNTRY)] = _KIND["country"]  # Kingdom of Spain
    for cue, name in _PLACE_KINDS:
        kind[loc & _has(places, cue)] = _KIND[name]
    return kind
