"""Compile the genders and plurals of German nouns: `python -m ontologies.build.german_nouns NOUNS.csv --out FILE`.

The table is that of the package german-nouns, taken from Wiktionary. Kept are nouns that people use, by their
frequency, with one gender; names are not.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from embanon.language import Cue, Lexicon, word_share

NO_NOUNS: Final = frozenset(
    ("Toponym", "Vorname", "Nachname", "Eigenname", "Straßenname", "Abkürzung", "adjektivische Deklination")
)
"""What names are marked with, and nouns that change as adjectives do; a word may be a name and a noun."""
SHORT, COMMON = 4, 1e-6
"""Letters up to which a noun must be common: at the end of longer words it would mislead."""
FUNCTION_WORDS: Final = int(Cue.STOP | Cue.DETERMINER | Cue.PRONOUN | Cue.CONNECTOR)
PLACES: Final = int(Cue.COUNTRY | Cue.REGION | Cue.CONTINENT | Cue.CITY | Cue.MAJOR)
MISLEADING: Final = frozenset("Schaft Samt Serin List Loge Ader Kation Ecker Nation Ration Zion Barschaft".split())
"""At the end of other words no part of a compound, but an ending, or letters of two."""
OTHERWISE: Final = int(Cue.GIVEN_NAME | Cue.ABBREVIATION)
GENDERS: Final = tuple(f"genus{suffix}" for suffix in ("", " 1", " 2", " 3", " 4"))
PLURALS: Final = ("nominativ plural", "nominativ plural 1")
FEMININE: Final = "in"
"""What makes a noun for a man one for a woman."""


def rows(entries: Iterable[Mapping[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield the gender, the singular and the plural of each noun that counts."""
    genders, plurals, places = dict[str, set[str]](), dict[str, str](), set[str]()
    for entry in entries:
        noun, sorts = entry["lemma"], frozenset(entry["pos"].split(","))
        if "Toponym" in sorts:
            places.add(noun)
        if sorts & NO_NOUNS or not (noun.isalpha() and noun.istitle() and len(noun) > 2):
            continue
        genders.setdefault(noun, set()).update(entry[name] for name in GENDERS if entry[name])
        plurals.setdefault(noun, next((entry[name] for name in PLURALS if entry[name]), ""))
    for noun, known in sorted(genders.items()):
        is_used = word_share(noun, "de") > 0 or word_share(noun.removesuffix(FEMININE), "de") > 0
        if len(known) == 1 and is_used and noun not in places and _is_plain(noun):
            yield known.pop(), noun, plurals[noun]


def _is_plain(noun: str) -> bool:
    """Return whether a noun is no function word, and a short one common and no given name."""
    lexicon, is_short = Lexicon.load("de"), len(noun) <= SHORT
    if lexicon.flags(noun.lower()) & FUNCTION_WORDS or noun in MISLEADING or lexicon.flags(noun) & PLACES:
        return False
    return not is_short or (word_share(noun, "de") >= COMMON and not lexicon.flags(noun) & OTHERWISE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the table and write those of the nouns that count, by gender."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("nouns", type=Path, metavar="NOUNS.csv", help="The table of the package german-nouns.")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="The list to write.")
    args = parser.parse_args(arguments)
    with args.nouns.open(encoding="utf-8", newline="") as stream:
        lines = [" ".join(filter(None, row)) for row in rows(csv.DictReader(stream))]
    args.out.write_bytes(gzip.compress("\n".join(lines).encode("utf-8"), 9, mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
