"""What users opened that discloses something: kept up to date, whatever the order, and made for older ledgers."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sql

from embanon.leak.access import import_log
from embanon.leak.ledger.erase import erase_user
from embanon.leak.ledger.exposures import parse_exposures
from embanon.leak.ledger.schema import EXPOSURES, HEAD, VERSION
from embanon.leak.ledger.store import Ledger
from embanon.leak.ledger.verify import verify
from tests.leak.ledgers import KEY, KINDS, POLICY, filled, found, where

LOUD = found("x/loud", ("Bluebird", [("one", 0.9)]), ("Zenith", [("two", 0.6)]))
FAINT = found("x/faint", ("Bluebird", [("three", 0.3)]))
LOG = ["1777896000,ada,x/loud", "1777896060,ada,x/loud", "1777982400,ada,x/loud", "1777896000,ada,x/faint",
       "1777896000,bob,x/later"]  # fmt: skip


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(where(request.param, tmp_path), KEY, create=True) as ledger:
        yield ledger


def opened(ledger: Ledger) -> list[tuple[int, int, float]]:
    """Return user, day and risk of what is kept."""
    with ledger.reading() as connection:
        rows = connection.execute(sql.select(EXPOSURES).order_by(*EXPOSURES.primary_key)).all()
    return [(row.user, one[0], round(one[4], 6)) for row in rows for one in parse_exposures(row.opened).tolist()]


@pytest.mark.parametrize("lines", [LOG, LOG[::-1], LOG * 2])
def test_what_discloses_is_kept_once_a_day(ledger: Ledger, lines: list[str]) -> None:
    filled(ledger, LOUD, FAINT)
    for line in lines:
        import_log(ledger, io.BytesIO(f"{line}\n".encode()), "log", POLICY)
    ada = min((user for user, _, _ in opened(ledger)))
    assert opened(ledger) == [(ada, 20_577 + day, risk) for day in (0, 1) for risk in (0.9, 0.6)]
    filled(ledger, found("x/later", ("Zenith", [("four", 0.8)])))  # what was opened before it was scanned
    assert sorted(risk for _, _, risk in opened(ledger)) == [0.6, 0.6, 0.8, 0.9, 0.9]
    assert verify(ledger, computed=True).sound
    erase_user(ledger, "ada")
    assert [risk for _, _, risk in opened(ledger)] == [0.8]


def test_an_older_ledger_is_brought_up_to_date(tmp_path: Path) -> None:
    address = where("sqlite", tmp_path)
    with Ledger.open(address, KEY, create=True) as ledger:
        filled(ledger, LOUD, FAINT)
        import_log(ledger, io.BytesIO("\n".join(LOG).encode()), "log", POLICY)
        before = opened(ledger)
        with ledger.engine.connect() as connection, connection.begin():
            EXPOSURES.drop(connection)
            connection.execute(sql.update(HEAD).values(version=3))
    with Ledger.open(address, KEY) as ledger:
        assert opened(ledger) == before != []
        assert verify(ledger, computed=True).sound
        with ledger.reading() as connection:
            assert connection.execute(sql.select(HEAD.c.version)).scalar() == VERSION
