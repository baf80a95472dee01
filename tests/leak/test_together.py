"""Several processes at one ledger, and processes that are killed: nothing is lost, and nothing is there twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path

import pytest

from embanon.leak.access import import_log
from embanon.leak.ledger.store import Ledger
from embanon.leak.ledger.verify import verify
from tests.leak.ledgers import KEY, KINDS, POLICY, log, report, where

WORKER = Path(__file__).with_name("ledgers.py")
POSIX = pytest.mark.skipif(os.name != "posix", reason="SIGKILL is of POSIX")


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return where(request.param, tmp_path)


def start(what: str, address: str, count: int) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(WORKER.parents[2]), str(WORKER.parent)])
    environment = os.environ | {"PYTHONPATH": path}
    arguments = [sys.executable, str(WORKER), what, address, str(count)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def finish(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.splitlines()[1:]


def checked(ledger: Ledger, documents: int, accesses: int) -> None:
    made = report(ledger)
    assert (made.summary.documents, made.summary.accesses) == (documents, accesses)
    assert sum(one.documents for one in made.heat) == 2 * documents
    with ledger.reading() as connection:
        for table, rows in (("versions", documents), ("disclosures", 2 * documents), ("accesses", accesses)):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == rows
    told = verify(ledger, computed=True)
    assert told.sound, list(map(str, told.faults))


def test_two_scans_a_log_and_a_report_at_once(address: str) -> None:
    tasks = ("scan", 60), ("scan", 60), ("log", 60), ("report", 15)
    work = [start(what, address, count) for what, count in tasks]
    first, second, read, reports = map(finish, work)
    written = [[int(line.split()[1]) for line in one] for one in (first, second)]
    assert [one + other for one, other in zip(*written, strict=True)] == [1] * 60  # each document by one of them
    assert read == ["60"]
    for line in reports:  # each of one moment
        documents, disclosing = line.split()
        assert documents == disclosing
    with Ledger.open(address, KEY) as ledger:
        checked(ledger, 60, 60)


@POSIX
@pytest.mark.parametrize("after", [1, 17])
def test_a_scan_that_is_killed_loses_at_most_the_document_in_hand(after: int, address: str) -> None:
    process = start("scan", address, 400)
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(after + 1)]
    process.send_signal(signal.SIGKILL)
    said += process.stdout.read().splitlines()  # what is read ahead is lost to `communicate`
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    whole = len([line for line in said if line.strip().endswith(" 1")])
    with Ledger.open(address, KEY) as ledger:
        there = report(ledger).summary.documents
        assert whole <= there <= whole + 1
        assert there < 400
        told = verify(ledger, computed=True)
        assert told.sound, list(map(str, told.faults))
    again = finish(start("scan", address, there + 5))
    assert [line.split()[1] for line in again] == ["0"] * there + ["1"] * 5
    with Ledger.open(address, KEY) as ledger:
        checked(ledger, there + 5, 0)


@POSIX
@pytest.mark.parametrize("seconds", [0.0, 0.15])
def test_a_log_that_is_killed_can_be_read_again(seconds: float, address: str) -> None:
    process = start("log", address, 20_000)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(seconds)
    process.kill()
    process.communicate(timeout=60)
    with Ledger.open(address, KEY) as ledger:
        assert verify(ledger).sound
        there = report(ledger).summary.accesses
        done = import_log(ledger, BytesIO(log(2_000).encode()), "log", POLICY)
        assert done.written.new == (0 if there else 2_000)
        assert report(ledger).summary.accesses == max(there, 2_000)
