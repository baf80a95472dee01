"""Whom alerts name, whom they do not, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.leak.alert_text import describe_alert
from embanon.leak.alerts import Alert, Exposed, LearnedEntity, Standing, above_worth, find_alerts
from embanon.leak.policy import AlertSettings
from embanon.leak.surprise import deviance

Opened = tuple[int, int, int, int, int, float]
"""User, day, document, folder, entity, and what it is worth to the user."""
PAST, DAYS, USERS = 90, 120, 40
HIGHEST = 5.0


def usual_life(seed: int = 1) -> list[Opened]:
    """Return what forty users of four groups open: about two new documents a day in the folder of their group."""
    chance, rows = np.random.default_rng(seed), list[Opened]()
    for user in range(1, USERS + 1):
        for day in range(DAYS):
            for _ in range(int(chance.poisson(2.0))):
                folder = 1 + user % 4 if chance.random() < 0.97 else int(chance.integers(1, 5))
                rows.append((user, day, int(chance.integers(1, 4000)), folder, folder, 2.0))
    return rows


LIFE = usual_life()
GROUPS = {user: (f"group {user % 4}",) for user in range(1, 61)}
SETTINGS = AlertSettings()


def exposed(rows: Sequence[Opened]) -> Exposed:
    users, days, documents, folders, entities, worth = zip(*sorted(rows), strict=True)
    numbers = (np.array(column, np.int64) for column in (users, days, documents, folders, entities))
    return Exposed(*numbers, np.array(worth, np.float64))


def raised(rows: Sequence[Opened], since: int = PAST, settings: AlertSettings = SETTINGS) -> list[Alert]:
    return find_alerts(exposed(rows), settings, HIGHEST, since, GROUPS)


def opening(
    user: int, days: Sequence[int], each: int, folder: int, worth: float = 2.0, first: int = 9000
) -> list[Opened]:
    """Return new documents that a user opens, so many on each day."""
    return [
        (user, day, first + place * each + number, folder, folder, worth)
        for place, day in enumerate(days) for number in range(each)
    ]  # fmt: skip


# what happens beside usual life: who is named, and over which time that stands out
NAMED = {
    "nothing": ([], set()),
    "very much in a day at one's own place": (opening(4, [100], 150, 1), {4}),
    "another group's files in three days": (opening(4, [100, 101, 102], 8, 3), {4}),
    "a little elsewhere each day, for a month": (opening(4, range(91, 119), 1, 3), {4}),
    "a secret folder that nobody else opens": (opening(4, [100], 5, 9, 5.0), {4}),
    "what one may know": (opening(4, [100], 60, 3, 0.0), set()),
    "one document elsewhere": (opening(4, [100], 1, 3), set()),
    "a whole group begins a project": (
        [row for user in range(4, USERS + 1, 4) for row in opening(user, [100, 101], 15, 7)], set(),
    ),
    "somebody new reads in at the place of their group": (opening(60, range(100, 115), 4, 1), set()),
    "the same documents every day": ([(4, day, 9001, 1, 1, 5.0) for day in range(90, 120)], set()),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_who_is_named(name: str) -> None:
    rows, expected = NAMED[name]
    assert {alert.user for alert in raised([*LIFE, *rows])} == expected


def test_somebody_who_reads_their_own_folder_is_not_named_on_the_first_day() -> None:
    assert raised([(1, 0, number, 1, 1, 5.0) for number in range(20)], 0) == []
    assert raised([(user, day, 40 * day + user, 1, 1, 5.0) for user in (1, 2, 3) for day in range(9)], 0) == []


def test_an_alert_says_what_was_learnt_where_and_against_what() -> None:
    rows = opening(4, [100], 20, 3)
    both = [(*row[:4], 8, 1.0) for row in rows]  # of another entity, too
    [alert] = raised([*LIFE, *rows, *both])
    assert (alert.rule, alert.user, alert.since, alert.day) == ("day", 4, 100, 100)
    assert alert.learnt[:2] in (
        (LearnedEntity(3, 20, 40.0), LearnedEntity(8, 20, 20.0)), (LearnedEntity(3, 20, 40.0), alert.learnt[1]),
    )  # fmt: skip
    assert (alert.folder, alert.folder_documents, alert.entity, alert.group) == (3, 20, 3, "group 0")
    assert 40 <= alert.value <= 60
    assert 2 <= alert.limit <= 6
    assert alert.outsiders < 0.25
    assert alert.peers < 20


def test_an_incident_is_told_once_unless_there_is_more() -> None:
    assert [alert.day for alert in raised([*LIFE, *opening(4, [95], 30, 3)])] == [95]
    louder = raised([*LIFE, *opening(4, [95], 12, 3), *opening(4, [105], 300, 2, first=20_000)])
    assert [alert.day for alert in louder] == [95, 105]


def test_fewer_false_alarms_name_fewer() -> None:
    rows = [*LIFE, *(row for user in range(1, 31) for row in opening(user, [95 + user % 20], user, 1 + (user + 1) % 4))]
    named = [
        {alert.user for alert in raised(rows, settings=replace(SETTINGS, false_alarms=some))}
        for some in (0.01, 1.0, 50.0)
    ]  # fmt: skip
    assert named[0] <= named[1] <= named[2]
    assert len(named[0]) < len(named[2])


def test_the_order_of_users_and_rows_does_not_count() -> None:
    rows = [*LIFE, *opening(4, [100], 20, 3)]
    again = list(rows)
    np.random.default_rng(2).shuffle(again)
    assert raised(again) == raised(rows)


def test_days_that_are_not_watched_raise_nothing() -> None:
    assert raised([*LIFE, *opening(4, [80], 60, 3)]) == []
    assert raised(LIFE, DAYS) == []
    assert find_alerts(exposed(LIFE), SETTINGS, 0.0, PAST, GROUPS) == []


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(1e-6, 1e6), st.floats(1, 100))
def test_more_is_never_less_surprising(one: float, other: float, expected: float, shape: float) -> None:
    low, high = sorted((one, other))
    less, more = (float(deviance(learnt, expected, shape)) for learnt in (low, high))
    assert 0 <= less <= more * (1 + 1e-9) + 1e-6
    assert less == 0 or low > expected


# standings by day: when a limit of 3 is crossed
CROSSED = {
    "on the first day": ([(1, 3.5), (2, 3.6)], [1]),
    "later": ([(1, 1.0), (4, 3.0)], [4]),
    "before": ([(-5, 4.0), (3, 4.0)], []),
    "never": ([(1, 2.9)], []),
}


@pytest.mark.parametrize("name", CROSSED)
def test_a_limit_of_the_policy_names_who_crosses_it(name: str) -> None:
    days, expected = CROSSED[name]
    standings = [Standing(1, day, 1, worth, worth, 7) for day, worth in days]
    assert [alert.day for alert in above_worth(standings, 3.0, 0)] == expected


LEARNT = Alert(
    "day", 1, 20_767, 41.04, 1.2, 3, 20_767, 24, folder_documents=19, outsiders=0.04, peers=3.1, group="ward 2"
)  # fmt: skip
SENTENCES = {
    "in a day": (
        LEARNT, ("e3", "e5"),
        "learned 41.0 of e3, e5 from 24 documents on 2026-11-10, 19 of them in a/b, which people from elsewhere hardly "
        "open (4%); on their usual day 1.2, and anybody else of ward 2 at most 3.1",
    ),
    "in a week, of many": (
        replace(LEARNT, rule="week", since=20_761, folder_documents=24, outsiders=0.5, group=""),
        ("e3", "e5", "e7", "e1"),
        "learned 41.0 of e3, e5 and 2 more from 24 documents from 2026-11-04 to 2026-11-10, in a/b; on their usual "
        "week 1.2, and anybody else at most 3.1",
    ),
    "above a limit": (
        Alert("worth", 1, 20_767, 3.5, 3.0, 1), ("e1",),
        "knows 3.50 of e1 since 2026-11-10; the policy sets a limit of 3.00",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences(name: str) -> None:
    alert, entities, expected = SENTENCES[name]
    assert describe_alert(alert, entities, "a/b") == expected
