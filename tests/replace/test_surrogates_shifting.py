"""Shifted dates: intervals are kept, dates are written as they were, and what cannot be shifted is not."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from embanon.replace.methods import KeyedChoice
from embanon.replace.surrogates.dates import DateShift, agree_with_weekday, choose_days
from embanon.taxonomy import is_day_first
from tests.anonymized import anonymized, masker

DATES = {
    "en": {
        "4 July 2003": "19 November 2002",
        "July 4, 2003": "November 19, 2002",
        "4th July 2003": "19th November 2002",
        "16 June 2003": "1 November 2002",
        "16th June 2003": "1st November 2002",
        "2003-07-04": "2002-11-19",
        "04/07/2003": "19/11/2002",
        "4/7/2003": "19/11/2002",
        "20/8/2003": "5/1/2003",
        "20/08/2003": "05/01/2003",
        "July 2003": "November 2002",
        "JULY 2003": "NOVEMBER 2002",
        "Dec. 25, 1999": "May 12, 1999",
        "Sept. 2001": "Jan. 2001",
        "4 July": "19 November",
        "July": "November",
        "2003": "2002",
        "circa 1920": "circa 1919",
        "spring 1961": "spring 1960",
        "Christmas 2003": "Christmas 2002",
        "1998–2004": "1997–2003",
        "1947-48": "1946-47",
        "Friday": "Tuesday",
        "Fridays": "Tuesdays",
        "Friday, 4 July 2003": "Tuesday, 19 November 2002",
        "4 and 7 July 2003": "19 and 22 November 2002",
        "28 June to 3 July 1999": "13 November to 18 November 1998",
        "30 December 2003 and 5 January 2004": "17 May 2003 and 23 May 2003",
        "morning of 4 July 2003": "morning of 19 November 2002",
        "the 1980s": None,
        "19th century": None,
        "the first of May 2003": None,
        "three years": None,
        "14:30": None,
        "2003-07-04T14:30": None,
        "44 BC": None,
        "summer": None,
        "yesterday": None,
        "31 June 2003": None,
        "28 October and 4 November 1003": "15 March and 22 March 1003",
        "1 March 1000": None,
        "04/07/03": None,
        "": None,
        "4": None,
        "٤ July ٢٠٠٣": "19 November 2002",
    },
    "de": {
        "4. Juli 2003": "19. November 2002",
        "Freitag, 4. Juli 2003": "Dienstag, 19. November 2002",
        "04.07.2003": "19.11.2002",
        "4. Jan. 1999": "22. Mai 1998",
        "März 1961": "Juli 1960",
    },
    "es": {
        "4 de julio de 2003": "19 de noviembre de 2002",
        "viernes 4 de julio de 2003": "martes 19 de noviembre de 2002",
        "1º de mayo de 2003": "16 de septiembre de 2002",
        "sept. de 2001": "ene. de 2001",
    },
    "pt": {
        "sexta-feira, 4 de julho de 2003": "terça-feira, 19 de novembro de 2002",
        "março de 1961": "julho de 1960",
        "1.º de maio de 2003": "16 de setembro de 2002",
    },
    "fr": {"4 juillet 2003": None},
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "written", "wanted"), [(one, *row) for one, rows in DATES.items() for row in rows.items()]
)
def test_dates(language: str, written: str, wanted: str | None) -> None:
    assert DateShift(-227, language, day_first=True).apply(written) == wanted


@pytest.mark.parametrize(
    ("days", "written", "wanted"),
    [
        (3000, "the 1980s", "the 1990s"),
        (-3000, "1980er Jahre", "1970er Jahre"),
        (36500, "1950s", "2050s"),
        (36500, "2000s", None),
        (400, "2003", "2004"),
        (800, "2003", "2005"),
        (1, "July 2003", "August 2003"),
        (-1, "July 2003", "June 2003"),
        (-3, "2 and 4 July 2003", None),
        (7, "Friday", None),
        (1, "28 February 2003", "1 March 2003"),
        (1, "29 February", "1 March"),
    ],
)
def test_far_and_near(days: int, written: str, wanted: str | None) -> None:
    assert DateShift(days, "de" if "Jahre" in written else "en").apply(written) == wanted


@pytest.mark.parametrize("kind", ["duration", "time", "century"])
def test_what_is_no_point_in_time(kind: str) -> None:
    assert DateShift(9, "en").apply("2003", kind) is None


DAYS = st.dates(date(1100, 1, 1), date(2050, 1, 1))
FORMS = ("{} %B %Y", "%B {}, %Y", "%Y-%m-%d", "%d/%m/%Y", "%A, {} %B %Y")


def written(day: date, form: str) -> str:
    return day.strftime(form.replace("{}", str(day.day)))


@given(DAYS, DAYS, st.integers(-365, 365).filter(bool), st.sampled_from(FORMS))
def test_intervals_are_kept(one: date, other: date, days: int, form: str) -> None:
    shift = DateShift(days, "en", day_first=True)
    for day in (one, other):
        assert shift.apply(written(day, form)) == written(day + timedelta(days), form)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("03/04/2003", "de", True),
        ("03/04/2003", "en", False),
        ("03/04/2003 and 13/04/2003", "en", True),
        ("03/04/2003 and 04/13/2003", "de", False),
        ("03/04/2003, that is 3 April 2003", "en", True),
        ("03/04/2003, that is April 3, 2003", "en", False),
        ("03/04/2003", "fr", False),
        ("no date", "en", False),
    ],
)
def test_which_comes_first(text: str, language: str, expected: bool) -> None:
    assert is_day_first(text, language) is expected


@given(st.binary(min_size=1), st.text(), st.integers(1, 36525))
def test_the_number_of_days(secret: bytes, whose: str, most: int) -> None:
    days = choose_days(KeyedChoice(secret), whose, most)
    assert days
    assert -most <= days <= most
    assert days == choose_days(KeyedChoice(secret), whose, most)


def test_all_numbers_of_days_are_chosen() -> None:
    assert {choose_days(KeyedChoice(b"x"), str(one), 2) for one in range(99)} == {-2, -1, 1, 2}


@pytest.mark.parametrize(
    ("before", "written", "made", "wanted"),
    [
        ("internada na ", "terça-feira, 5 de abril", "sábado, 9 de abril", ("na ", "no ")),
        ("Na ", "quinta-feira", "domingo", ("Na ", "No ")),
        ("em 2018, um ", "sábado", "quarta-feira", ("um ", "uma ")),
        ("ao ", "domingo", "sábado", ("", "")),
        ("antes de ", "terça-feira", "sábado", ("", "")),
        ("na ", "terça-feira", "sexta-feira", ("", "")),
        ("a ", "5 de abril", "9 de abril", ("", "")),
    ],
)
def test_weekdays_have_genders(before: str, written: str, made: str, wanted: tuple[str, str]) -> None:
    assert agree_with_weekday(before, written, made, "pt") == wanted


def test_a_text() -> None:
    text = "Ada Berger was born on 4 July 1961. She left on 14 July 1961, and died in the 1990s."
    shown, _ = anonymized(text, masker(0.645, "shift"))
    found = re.fullmatch(r"Person 1 was born on (.+)\. She left on (.+), and died in the 20th century\.", shown)
    assert found
    born, left = (datetime.strptime(one, "%d %B %Y") for one in found.groups())
    assert (left - born).days == 10
    assert 0 < abs((born - datetime(1961, 7, 4)).days) <= 365


def test_persons_are_shifted_apart() -> None:
    text = "Ada Berger was born on 4 July 1961 in Oslo. Ben Marsk was born on 4 July 1961 in Bergen."
    shown, _ = anonymized(text, masker(0.645, "shift"), ("Ada Berger", "Ben Marsk"))
    one, other = (part.split(" in ")[0] for part in shown.split("born on ")[1:])
    assert one != other
