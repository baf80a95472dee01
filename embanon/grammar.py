"""The grammar of phrases: each token becomes one symbol, and patterns over symbols find the phrases.

Patterns are ordinary regular expressions over bytes. Every repetition is bounded, so that the time stays linear
whatever the text.

 N common noun          P proper noun, name part      g given name               A adjective        V verb
 D nationality, belief  T title (Mr)                  v particle of names (van)  x name suffix (Jr) d determiner
 f of                   a and                         p other connector          w any other word   ' possessive
 Q capitalized function word inside a sentence        B role with a capital    & ampersand
 4 year                 3 day of a month              0 other number             9 decimal          n number word
 o ordinal              m scale (million)             E decade (1990s)           H time of day      F whole date
 M month                W weekday                     S season                   h part of a day    t unit of time
 i time modifier        c century, era                y age word                 u unit             $ currency
 % percent              r reference word (Article)    # number mark (no.)        k code (A4, B12)
 - joining hyphen       ~ other dash                  , ( ) [ ] { } < > : / . !  punctuation; { } < > quotes
 | a sentence starts    \\n a line or paragraph starts
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
    r"(?:[3o],){0,3}[3o]a[3o]\.?f?M(?:,?f?4)?",
    r"(?:W,?d?)?[3o]\.?(?:f?d?)?M(?:,?f?4)?(?:[-~][3o]\.?M(?:,?4)?)?",
    r"(?:[3o]\.?[-~](?=[3o]\.?f?M))?(?:W,?)?M[3o]?(?:[-~]M?[3])?(?:,?f?4)?(?:[-~]M?4)?",
    r"(?:W,?)?F(?:,?H)?",
    r"(?:i-?)?E",
    r"(?:i-?)?(?:Sf?)?4(?:[-~/][34])?(?!-?[tunm%$]|-y)c?",
    r"(?:i-?)?[o3]-?c{1,2}",
    r"c[0x]",
    r"Hh?(?:[-~]Hh?)?",
    r"[30]h",
    r"Wh?",
    r"S",
)
QUANTITIES: Final = (
    rf"y[fp]?{_NUM}(?:-?t)?(?:-?y)?",
    rf"{_NUM}-?t-?y",
    rf"\${_NUM}\$?",
    rf"{_NUM}f?\$",
    rf"{_NUM}(?:[-~]{_NUM})?%",
    rf"{_NUM}(?:[-~]{_NUM})?-?[tu](?:\.?/?[ut])?(?:a{_NUM}t)?",
    rf"{_NUM}[AoN]{{0,3}}N",
)
NUMBER: Final = rf"{_NUM}|o"
REFERENCE: Final = r"r\.?[-#(]{0,2}(?:[0349knox]|P(?![Pg]))(?:[-0349knoxdf,()~/.:#rap]{0,13}[0349knox)])?"

# Quoted titles: up to nine tokens with a capital or a digit among them.
_YEAR: Final = r"(?:\(4\))?"  # a work with its year is one unit: Gia (1998)
TITLE: Final = r"(?:\{(?=[^{}\n]{0,8}[PgDQ0349])[^{}\n]{1,9}\}|<(?=[^<>\n]{0,8}[PgDQ0349])[^<>\n]{1,9}>)"
NAME: Final = (
    r"n?(?:(?:T\.?){1,3}(?=[PgBQv])|v{1,3}(?=[Pg])|(?:D-?){1,2}(?=P)|Q{1,2}(?=[PgB]))?"
    r"[PgB](?:-[PgBNAVnT3k0Dwp]|[PgBxDk30]|v{1,3}-?[Pg]|Q{1,3}[PgBD3]|/[PgB]|,x){0,20}(?:Q(?=\(4\)))?"
    rf"(?:\((?:[PgB]{{1,4}}|N)\))?{_YEAR}"
)
_MOD: Final = r"(?:(?:[ANVPgn3DwoEpi]-){1,4}[ANVDwtpP]|[AoN])"


def common(*, adjectives_after: bool) -> str:
    """Give the pattern of a common noun phrase; Romance adjectives follow the noun."""
    if adjectives_after:
        return r"[Ao]{0,4}(?:N-){0,3}N(?:-[NA])?A{0,3}"
    return rf"(?:(?<=[dA])V)?{_MOD}{{0,8}}(?:N|(?:[ANVPgn3DwoEp]-){{1,4}}N)"


def compile_grammar(language: str) -> re.Pattern[bytes]:
    """Compile the patterns of a language; the name of the group that matched says what was found."""
    romance = language in ("es", "pt")
    rows = (
        ("title", TITLE),
        ("reference", REFERENCE),
        ("lined", r"(?<=\n)[03][.)]"),
        ("date", "|".join(DATES)),
        ("quantity", "|".join(QUANTITIES)),
        ("name", NAME),
        ("common", common(adjectives_after=romance)),
        ("number", NUMBER),
        ("dem", r"D(?:-D)?"),
        ("role", r"T"),
        ("code", r"k"),
    )
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in rows).encode("ascii"))


PATTERNS: Final = (
    "title", "reference", "lined", "date", "quantity", "name", "common", "number", "dem", "role", "code",
)  # fmt: skip
"""Names of the patterns in the order of their codes."""
NAME_PATTERN: Final = PATTERNS.index("name")
TITLE_PATTERN: Final = PATTERNS.index("title")


@dataclass(frozen=True, slots=True)
class Cut:
    """Phrases in columns, by token: the first, the one after the last, the pattern; and all tokens' symbols."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    pattern: NDArray[np.uint8]
    symbols: NDArray[np.uint8] = field(repr=False)
