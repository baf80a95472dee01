"""Decide what each name is: evidence from its own words, from what stands beside it, and from other names.

Nothing looks beyond a paragraph, so that paragraphs one by one give what the whole text gives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Final

import numpy as np

from embanon.language.lexicon import PERSON, PLACE, Cue, Lexicon, NameTable
from embanon.text.columns import Bools, Codes, Ints, View, bits, first_in, has, is_in, joined, moved, neighbors
from embanon.text.evidence import CLASS, CLASSES, SAID, SAID_BEFORE, WHO, Evidence, likeliest
from embanon.text.grammar import NAME_PATTERN, PATTERNS, TITLE_PATTERN

KINDS: Final = (
    *(kind for _, kind in CLASSES), "first-name", "surname", "company", "city", "region", "continent", "country",
)  # fmt: skip
"""The kinds of names; those of the classes come first, in their order."""
_KIND: Final = {kind: np.uint8(number) for number, kind in enumerate(KINDS)}
_PLACE_KINDS: Final = (
    (Cue.CITY, "city"), (Cue.REGION, "region"), (Cue.MAJOR, "city"), (Cue.CONTINENT, "continent"),
    (Cue.COUNTRY, "country"),
)  # fmt: skip
"""What kind of place a cue says, the last that fits: a region is meant more often than its small namesake."""

_PASSES: Final = 2
"""How often lists spread what is known of their members."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a view: their numbers among its phrases, and the tokens and bits that evidence asks for.

    What stands in brackets at the end is no part of the name proper: it is from `first` to `end`, its last word
    is `tail`. The head is the last word before an "of" or the first word, by the language.
    """

    number: Ints
    first: Ints
    last: Ints
    end: Ints
    head: Ints
    tail: Ints
    size: Ints
    words: Ints  # as size, but Stow-on-the-Fen is one word
    seen: Ints  # bits of its symbols
    cues: Ints  # of all its words
    places: Ints  # place cues of the whole name

    @classmethod
    def of(cls, view: View, number: Ints, lexicon: Lexicon) -> Names:
        """Look at the words of some phrases."""
        first, last = view.first[number], view.last[number]
        end = first_in(np.flatnonzero(view.symbols == ord("(")), first + 1, last)
        before_of = first_in(np.flatnonzero(view.symbols == ord("f")), first + 1, end) - 1
        head = first if view.language in ("es", "pt") else before_of
        size = end - first
        hyphens = np.concatenate([[0], np.cumsum(view.symbols == ord("-"))])
        words = np.maximum(size - 2 * (hyphens[end] - hyphens[first]), 1)
        seen, cues = joined(view.bits, first, end), joined(view.flags, first, end)
        places = _places(view, (first, end), seen, lexicon)
        return cls(number, first, last, end, head, end - 1, size, words, seen, cues, places)


def kinds_of_names(view: View, number: Ints, lexicon: Lexicon) -> Codes:
    """Give the kind of each name among the phrases, as an index into KINDS of this module."""
    names = Names.of(view, number, lexicon)
    evidence = Evidence.of(len(number))
    bracket = names.end < names.last
    year = view.symbols[np.minimum(names.end + 1, names.last)] == ord("4")
    evidence["year in brackets"] = bracket & year
    evidence["quoted"] = view.pattern[number] == TITLE_PATTERN
    evidence.note(_of_people(view, names))
    evidence.note(_of_organizations(view, names, evidence["quoted"]))
    evidence.note(_of_places(view, names))
    evidence.note(_of_the_rest(view, names))
    _words_beside(view, names, evidence)
    _phrase_before(view, names, evidence)
    _phrase_after(view, names, evidence)
    evidence["in, before a place"] = evidence["in"] & has(names.places, PLACE)
    return _finer(view, names, _decide(view, names, evidence))


def _decide(view: View, names: Names, evidence: Evidence) -> Ints:
    """Give the class of each name, letting lists, brackets and longer names say what they know of it."""
    listed, behind, alias = neighbors(view, names.first, names.last)
    opening = np.maximum.accumulate(np.where(listed, 0, np.arange(len(listed))))
    for name in ("work before", "place before", "place of"):  # what introduces a list introduces its members
        evidence[name] = evidence[name][opening]
    scores = evidence.scores(late=False)
    chosen = likeliest(scores)
    _parts(view, names, chosen, evidence)
    for _ in range(_PASSES):
        for name in ("person", "org", "loc", "work"):
            same = chosen == CLASS[name]
            evidence[f"beside {name}"] = (listed & moved(same, 1)) | (moved(listed, -1) & moved(same, -1))
            evidence[f"alias of {name}"] = alias & moved(same, 1)
        evidence["behind loc"] = behind & moved(chosen == CLASS["loc"], 1)
        chosen = likeliest(scores + evidence.scores(late=True))
    return chosen


def _places(view: View, span: tuple[Ints, Ints], seen: Ints, lexicon: Lexicon) -> Ints:
    """Give the place cues of each whole name, with AMBIGUOUS where it stands."""
    first, end = span
    size, flags = end - first, view.flags[first]
    places: Ints = np.where(size == 1, flags & (PLACE | int(Cue.AMBIGUOUS)), 0)
    # The look-up of several words is the one loop: only where no title or given name rules it out.
    people = has(flags, Cue.GIVEN_NAME) & ~has(flags, PLACE | int(Cue.AMBIGUOUS | Cue.PLACE_HEAD | Cue.PARTICLE))
    people |= (view.symbols[first] == ord("T")) & ~has(flags, Cue.PARTICLE)
    some = np.flatnonzero((size > 1) & (size <= 4) & ~has(seen, bits("x&")) & ~people)
    known: dict[str, int] = {}
    openings = _openings(lexicon)
    for place, start, stop in zip(some.tolist(), first[some].tolist(), end[some].tolist(), strict=True):
        if view.words[start].lower() not in openings:
            continue
        name = " ".join(view.words[start:stop])
        cues = known.get(name)
        if cues is None:
            cues = known[name] = lexicon.place(name)
        places[place] = cues
    return places


@lru_cache(maxsize=4)
def _listed(names: NameTable) -> frozenset[str]:
    return frozenset(word.decode("utf-8") for word in re.findall(rb"\n([^\n\t ]+) ", names.lines))


@lru_cache(maxsize=8)
def _openings(lexicon: Lexicon) -> frozenset[str]:
    """Give the first words of all places of several words, which spares most look-ups."""
    return _listed(lexicon.names).union(name.partition(" ")[0] for name in lexicon.capitalized if " " in name)


def _shouted(view: View, places: Ints) -> Bools:
    """Say which words are in capitals and no initials, as acronyms are."""
    upper = np.array(list(map(str.isupper, view.words_at(places))))
    result: Bools = upper & (view.length[places] > 1)
    some = np.flatnonzero(result)
    result[some] = [not word.endswith(".") for word in view.words_at(places[some])]
    return result


def _dotted(view: View, places: Ints) -> Bools:
    """Say which words are initials with their period."""
    result: Bools = view.length[places] == 2
    some = np.flatnonzero(result)
    result[some] = [word[1:] == "." for word in view.words_at(places[some])]
    return result


def _given(view: View, places: Ints) -> Bools:
    """Say which words are given names."""
    result: Bools = (view.symbols[places] == ord("g")) | has(view.flags[places], Cue.GIVEN_NAME)
    return result


def _of_people(view: View, names: Names) -> dict[str, Bools]:
    """Say which words of each name are those of persons."""
    first, tail = names.first, names.tail
    symbol, several = view.symbols[first], names.words > 1
    given, titled = _given(view, first), symbol == ord("T")
    return {
        "always": np.ones(len(first), dtype=bool),
        "title first": titled,
        "title first, organization's head": titled & (names.words > 2) & has(view.flags[names.head], Cue.ORG_HEAD),
        "given first": given,
        "given first, ambiguous": given & has(view.flags[first], Cue.AMBIGUOUS) & ~several,
        "surname last": has(view.flags[tail], Cue.SURNAME),
        "initial": (symbol == ord("P")) & several & _dotted(view, first),
        "suffix of names": several & (view.symbols[tail] == ord("x")),
        "particle": several & has(names.seen, bits("v")),
        "given twice": several & given & (view.symbols[np.minimum(first + 1, tail)] == ord("g")),
        "two to four names": several & (names.words < 5) & ~has(names.seen, bits("Q0Df")),
        "five or more words": names.words > 4,
    }


def _of_organizations(view: View, names: Names, quoted: Bools) -> dict[str, Bools]:
    """Say which words of each name are those of organizations."""
    first, head, tail, several = names.first, names.head, names.tail, names.words > 1
    first_flags, head_flags, tail_flags = view.flags[first], view.flags[head], view.flags[tail]
    acronym = _shouted(view, tail)
    return {
        "organization's head": has(head_flags, Cue.ORG_HEAD),
        "organization's first": several & (head != first) & has(first_flags, Cue.ORG_HEAD),
        "organization's word": has(names.cues, Cue.ORG_HEAD),
        "company's suffix": several & (has(tail_flags, Cue.ORG_SUFFIX) | has(names.seen, bits("&"))),
        "known organization": has(np.where(several, head_flags, first_flags), Cue.ORG_NAME),
        "house of an organization": (head != tail) & has(head_flags, Cue.PLACE_HEAD) & has(tail_flags, Cue.ORG_HEAD),
        "acronym": acronym & ~several,
        "acronym first or last": several & (acronym != _shouted(view, first)) & ~_given(view, first),
        "acronym, quoted": acronym & ~several & quoted,
    }


def _of_places(view: View, names: Names) -> dict[str, Bools]:
    """Say which words of each name are those of places."""
    first, head, several, places = names.first, names.head, names.words > 1, names.places
    first_flags, tail_place = view.flags[first], has(view.flags[names.tail], PLACE)
    headed, known = has(view.flags[head], Cue.PLACE_HEAD), has(places, PLACE)
    abroad = several & has(first_flags, PLACE) & ~_given(view, first) & ~known & ~has(first_flags, Cue.DIRECTION)
    article = ~has(names.seen, bits("f")) & (view.symbols[first - 1] == ord("d"))
    return {
        "place's head": several & headed,
        "place's head, one word": ~several & headed,
        "place's first": several & (head != first) & has(first_flags, Cue.PLACE_HEAD),
        "country": has(places, Cue.COUNTRY | Cue.CONTINENT),
        "region": has(places, Cue.REGION),
        "major city": has(places, Cue.MAJOR),
        "city": has(places, Cue.CITY),
        "place, ambiguous": has(places, Cue.AMBIGUOUS),
        "place of several words": several & known,
        "place last": several & tail_place,
        "place first": abroad,
        "place first, after an article": abroad & article,
        "direction first": several & has(first_flags, Cue.DIRECTION) & tail_place,
    }


def _of_the_rest(view: View, names: Names) -> dict[str, Bools]:
    """Say which words of each name are those of works, events, roles, groups and so on."""
    symbol, several, seen = view.symbols[names.first], names.words > 1, names.seen
    head_flags, tail_flags = view.flags[names.head], view.flags[names.tail]
    person_last = has(tail_flags, PERSON) | (view.symbols[names.tail] == ord("g"))
    group = has(head_flags, Cue.NATIONALITY | Cue.DEM | Cue.LANGUAGE)
    return {
        "work's head": has(head_flags, Cue.WORK_HEAD),
        "award's head": has(head_flags, Cue.AWARD_HEAD),
        "event's head": has(head_flags, Cue.EVENT_HEAD),
        "law's head": has(head_flags, Cue.LAW_HEAD),
        "year first": several & (symbol == ord("4")),
        "function word": has(seen, bits("Q")),
        "number": several & has(seen, bits("0349")),
        "role": has(seen, bits("B")) | has(head_flags, Cue.ROLE),
        "role, then a name": (symbol == ord("B")) & several & person_last,
        "illness": has(head_flags, Cue.HEALTH),
        "holiday": has(head_flags, Cue.HOLIDAY),
        "kin": ~several & has(head_flags, Cue.KIN),
        "group": group,
        "group, one word": ~several & group & ~_given(view, names.first),
    }


def _words_beside(view: View, names: Names, evidence: Evidence) -> None:
    """Note what the words before and after each name say."""
    first, last, count = names.first, names.last, len(view.words) - 1
    before = np.where(view.apart[first], count, first - 1)  # the last item stands for nothing
    colon = (view.symbols[before] == ord(":")) & ~view.apart[before]
    article = view.symbols[before] == ord("d")
    inner = article & ~view.apart[before]  # in der Lindenstraße
    label = view.words_at(np.where(colon | inner, before - 1, before))
    said = np.array(list(map(SAID_BEFORE.get(view.language, {}).get, label, repeat(0))))
    for number, name in enumerate(SAID, 1):
        if name == "label":
            evidence["label of names"] = said == number
        else:
            evidence[name] = (said == number) & ~colon
    evidence["postcode before"] = (view.symbols[before] == ord("0")) & (view.length[before] == 5)
    evidence["article"] = article
    after = np.where(view.apart[last], count, last)
    comma = view.symbols[after] == ord(",")
    word = view.words_at(np.where(comma & ~view.apart[np.minimum(after + 1, count)], after + 1, after))
    evidence["who after"] = np.array([each in WHO.get(view.language, ()) for each in word])
    evidence["verb after"] = view.symbols[after] == ord("V")
    evidence["possessive after"] = view.symbols[after] == ord("'")


def _phrase_before(view: View, names: Names, evidence: Evidence) -> None:
    """Note what the phrase before each name says: touching, before a colon, or before "of" and "of the"."""
    first = names.first
    previous = np.maximum(names.number - 1, 0)
    stop = np.where(names.number > 0, view.last[previous], -1)
    here = ~view.apart[first]
    touches = here & (stop == first)
    one = here & (stop == first - 1) & ~view.apart[first - 1]
    two = here & (stop == first - 2) & ~view.apart[first - 1]
    symbol = view.symbols[first - 1]
    of_the = two & (symbol == ord("d")) & (view.symbols[first - 2] == ord("f"))
    belongs = (one & (symbol == ord("f"))) | of_the
    # The word before counts as well where it is no phrase: a label of one word.
    direct = touches | (one & (symbol == ord(":")))
    flags = np.where(direct | belongs, view.head[previous], 0)
    pattern = view.pattern[previous]
    flags[touches & ((pattern == NAME_PATTERN) | (pattern == TITLE_PATTERN))] = 0
    role = has(flags, Cue.ROLE | Cue.KIN | Cue.TITLE) | (pattern == PATTERNS.index("role"))
    evidence["role before"] = direct & role
    evidence["work before"] = direct & has(flags, Cue.WORK_HEAD)
    evidence["event before"] = direct & has(flags, Cue.EVENT_HEAD)
    evidence["organization before"] = direct & has(flags, Cue.ORG_HEAD)
    evidence["place before"] = direct & has(flags, Cue.PLACE_HEAD)
    evidence["kin of"] = belongs & has(flags, Cue.KIN)
    evidence["place of"] = belongs & has(flags, Cue.PLACE_HEAD)
    evidence["role of"] = belongs & has(flags, Cue.ROLE)


def _phrase_after(view: View, names: Names, evidence: Evidence) -> None:
    """Note what the phrase after each name says: touching, or after a comma and perhaps an article."""
    last, count = names.last, len(view.words) - 1
    following = np.minimum(names.number + 1, len(view.first) - 1)
    start = np.where(names.number + 1 < len(view.first), view.first[following], -1)
    flags = view.head[following]
    touches = (start == last) & ~view.apart[last]
    evidence["organization after"] = touches & has(flags, Cue.ORG_HEAD)
    evidence["event after"] = touches & has(flags, Cue.EVENT_HEAD | Cue.WORK_HEAD | Cue.AWARD_HEAD)
    second = np.minimum(last + 1, count)
    comma = (view.symbols[last] == ord(",")) & ~view.apart[last] & ~view.apart[second]
    article = (start == last + 2) & (view.symbols[second] == ord("d"))
    role = (view.pattern[following] == PATTERNS.index("common")) & has(flags, Cue.ROLE | Cue.KIN)
    evidence["role in apposition"] = comma & (article | (start == last + 1)) & role
    wider = np.zeros(len(view.first), dtype=bool)
    wider[names.number] = has(names.places, Cue.COUNTRY | Cue.REGION)
    evidence["wider place after"] = comma & (start == last + 1) & wider[following]


def _parts(view: View, names: Names, chosen: Ints, evidence: Evidence) -> None:
    """Note which single words begin or end a longer name of their paragraph."""
    first, tail, single = names.first, names.tail, names.size == 1
    if not single.any() or single.all():
        return
    width = int(np.max(view.ids)) + 1
    here = view.paragraph[first] * width
    key = here + view.ids[first]
    for name in ("person", "org", "loc"):
        long = ~single & (chosen == CLASS[name])
        keys = np.concatenate([key[long], here[long] + view.ids[tail[long]]])
        evidence[f"part of {name}"] = single & np.isin(key, keys)


def _finer(view: View, names: Names, chosen: Ints) -> Codes:
    """Give the kind of each name within its class."""
    kind = chosen.astype(np.uint8)
    tail_flags, places = view.flags[names.tail], names.places
    person, org, loc = (chosen == CLASS[name] for name in ("person", "org", "loc"))
    titled = is_in(view.symbols[names.first], "TB")
    short = person & (names.size - titled == 1)
    kind[short] = _KIND["surname"]
    kind[short & _given(view, names.tail) & ~titled] = _KIND["first-name"]
    kind[org & has(names.cues, Cue.ORG_SUFFIX)] = _KIND["company"]
    kind[loc & (names.tail != names.head) & has(tail_flags, Cue.COUNTRY)] = _KIND["country"]  # Kingdom of Spain
    for cue, name in _PLACE_KINDS:
        kind[loc & has(places, cue)] = _KIND[name]
    return kind
