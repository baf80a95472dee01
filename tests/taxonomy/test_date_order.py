"""Whether a text writes the day before the month."""

from __future__ import annotations

import pytest

from embanon.taxonomy import is_day_first, with_month_second


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seen on 13/04/23 and 05/06/23", True), ("seen on 04/13/2023 and 05/06/2023", False),
        ("calls on 03/04/2023, firmware 13.2.10", False), ("sort code 08-32-10", False), ("lots 21-10-20", False),
        ("19.10.2023", True), ("see 13.4.10.", False), ("99/12/2023", False), ("", False), ("🙂 13/13/2013", False),
    ],
)  # fmt: skip
def test_dates_that_can_be_read_in_one_way_decide(text: str, expected: bool) -> None:
    assert is_day_first(text, "en") is expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("11/09/23 08:50", "2023-09-11 08:50"), ("05/06/2021", "2021-06-05"), ("12/25/2019", "12/25/2019"),
        ("32/01/2019", "32/01/2019"), ("May 2019", "May 2019"), ("1/2.19", "1/2.19"),
    ],
)  # fmt: skip
def test_the_month_comes_second(written: str, expected: str) -> None:
    assert with_month_second(written) == expected
