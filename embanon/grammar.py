"""The grammar of phrases: each token becomes one symbol, and patterns over symbols find the phrases.

Patterns are ordinary regular expressions over bytes. Every repetition is bounded, so that the time stays linear
whatever the text.

 N common noun          G one that names modify (film)   P proper noun, name part   g given name
 A adjective            j vague adjective                V verb                     w any other word
 D nationality, belief  d determiner    f of             a and      p other connector   & ampersand
 T title (Mr)           R role before a name             B role with a capital      ' possessive
 v particle (van)       x name suffix (Jr)               Q capitalized small word inside a sentence
 4 year                 3 day of a month                 0 other number             9 decimal
 n number word          o ordinal                        m scale (million)          k code (A4, B12)
 F whole date           E decade (1990s)                 c century, era             H time of day
 M month                W weekday       S season         h part of a day            t unit of time
 i time modifier        y age word      Y a whole age    u unit      $ currency      % percent
 r reference (Article)  # number mark (no.)              - joining hyphen           ~ other dash
 , ( ) : / . ! punctuation              { } < > quotes   | a sentence starts        \\n a line starts
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

_NUM: Final = r"(?:[0349n](?:-?[nm]){0,4}|m)"

# German writes the day with a period (3. Mai), Spanish and Portuguese join by "de"; one table serves all four.
DATES: Final = (
    r"(?:[3o]\.?,){0,3}[3o]\.?[apfd~-][3o]\.?f?M(?:,?f?4)?",
    r"(?:W,?d?)?[3o]\.?(?:f?d?)?M(?:,?f?4)?",
    r"(?:[3o]\.?[-~](?=[3o]\.?f?M))?(?:W,?)?M[3o]?(?:[-~]M?[3])?(?:,?f?4)?",
    r"(?:W,?)?F(?:,?H)?",
    r"4-[30]-[30]",
    r"(?:i-?)?E",
    r"(?<=\()4(?=[-~][4)])",  # a span of life is two dates
    r"(?:i-?)?(?:Sf?)?4(?:[-~/][340](?!-))?(?!-?[tunm%$]|-y)c?",
    r"(?:i-?)?[o3]-?c{1,2}",
    r"c[0x]",
    r"tf?4",
    r"Hh?(?:[-~]Hh?)?",
    r"[309]h",
    r"Wh?",
    r"S",
)
QUANTITIES: Final = (
    "Y",
    rf"y[fp]?{_NUM}(?:-?t)?(?:-?y)?",
    rf"{_NUM}-?t-?y",
    rf"\${_NUM}\$?",
    rf"{_NUM}[fD]?\${{1,2}}(?:\(\$\))?",
    rf"{_NUM}(?:[-~]{_NUM})?%",
    rf"{_NUM}(?:[-~]{_NUM})?-?[tu](?:\.?/?[ut])?(?:a?{_NUM}[tu]?)?",
)
NUMBER: Final = rf"{_NUM}(?:[-~]{_NUM}){{0,2}}|o"
# A law's numbers, and nothing that is a date or an amount: Articles 3 and 8, section 12(3), Article 6 § 1 and Rule 39.
_NUMBERED: Final = r"[-#(.r/]{0,3}[039knox]\)?(?!\.?f?d?M|-?[tu$%m])"
REFERENCE: Final = rf"r\.?(?:#\.?)?(?:{_NUMBERED}|4(?!\.?f?d?M))(?:[,~]?[apdf]{{0,2}}{_NUMBERED}){{0,8}}"

# Quoted titles: up to nine tokens with a capital or a digit among them.
TITLE: Final = r"\{(?=[^{}\n]{0,8}[PgBDQ0349])[^{}\n]{1,9}\}|<(?=[^<>\n]{0,8}[PgBDQ0349])[^<>\n]{1,9}>"
_YEAR: Final = r"(?:\(4(?:[~-][03])?\))?"  # a work with its year is one unit: Gia (1998), Moonlight (1985–89)
# Only a title has small words inside and its year behind: Friends with Money (2006).
_WORK: Final = r"[PBQ](?:-?[PBQDxk30SNA]|[pafdv&'](?=[pafdv]{0,2}[PBQD])){0,12}\(4\)"
_BEFORE: Final = r"(?:(?:T\.?){1,3}(?:[fv]{1,2}d?)?(?=[PgBQv])|v{1,3}(?=[Pg])|(?:D-?){1,2}(?=P)|Q{1,2}(?=[PgB]))?"
_PART: Final = r"-[PgBNGAVnT3k0Dwp]|[PgBxDk30]|v{1,3}Q?-?[Pg]|Q{1,3}[PgBD3]|/[PgB]|,x|\{[PgB]{1,3}\}(?=[PgBv])"
_BEHIND: Final = rf"(?:\((?:[PgB]{{2,4}}|[NGAVwn]{{1,2}})\))?{_YEAR}(?:[ANG]{{0,3}}G(?![ANG]))?"
NAME: Final = rf"{_WORK}|{_BEFORE}[PgB](?:{_PART}){{0,20}}(?:Q(?=\(4\)))?{_BEHIND}"
_MOD: Final = r"(?:(?:[ANGVPgn3DwoEpijv]-){1,4}[ANGVwtpP]|[ANG])"


def common(*, adjectives_after: bool) -> str:
    """Give the pattern of a common noun phrase; Romance adjectives follow the noun."""
    if adjectives_after:
        return r"[Ao]{0,4}(?:[NG]-){0,3}[NG](?:-[NGA])?A{0,3}"
    return rf"(?:(?<=[dA])V)?{_MOD}{{0,8}}(?:(?:[ANGVPgn3DwoEpjv]-){{1,4}}[NG]|[NG])"


def compile_grammar(language: str) -> re.Pattern[bytes]:
    """Compile the patterns of a language; the name of the group that matched says what was found."""
    romance = language in ("es", "pt")
    # What each pattern can start with: it is looked at first, which makes the whole four times faster.
    rows = (
        ("title", "{<", TITLE),
        ("reference", "r", REFERENCE),
        ("lined", "03", r"(?<=\n)[03][.)]"),
        ("date", "WM3oF4iESHtc09", "|".join(DATES)),
        ("quantity", "Yy0349nm$", "|".join(QUANTITIES)),
        ("name", "PgBQDTvo", NAME),
        ("common", "ANGoVPgn3DwEpij", common(adjectives_after=romance)),
        ("number", "0349nmo", NUMBER),
        ("dem", "D", r"D(?:-D)?"),
        ("role", "RT", r"R{1,3}|T"),
        ("code", "k", "k"),
    )
    patterns = "|".join(f"(?P<{name}>(?=[{starts}])(?:{pattern}))" for name, starts, pattern in rows)
    every = "".join(sorted({char for _, starts, _ in rows for char in starts}))
    return re.compile(f"(?=[{every}])(?:{patterns})".encode("ascii"))


PATTERNS: Final = (
    "title", "reference", "lined", "date", "quantity", "name", "common", "number", "dem", "role", "code",
)  # fmt: skip
"""Names of the patterns in the order of their codes."""
NAME_PATTERN: Final = PATTERNS.index("name")
COMMON_PATTERN: Final = PATTERNS.index("common")
DATE_PATTERN: Final = PATTERNS.index("date")
LINED_PATTERN: Final = PATTERNS.index("lined")
TITLE_PATTERN: Final = PATTERNS.index("title")


@dataclass(frozen=True, slots=True)
class Cut:
    """Phrases in columns, by token: the first, the one after the last, the pattern; and all tokens' symbols."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    pattern: NDArray[np.uint8]
    symbols: NDArray[np.uint8] = field(repr=False)
