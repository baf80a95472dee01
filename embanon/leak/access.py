"""Logs of who opened what: `time,user,document[,action]` as CSV or JSON Lines, line by line.

A line that cannot be read is told by its number, and the others are kept. A CSV file may begin with the names of its
columns, in any order and among others; without them they stand as above. A time is ISO 8601, or seconds or milliseconds
since 1970; one without a zone is in the zone that is given, and so are days.
"""

from __future__ import annotations

import csv
import json
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, BinaryIO, Final
from zoneinfo import ZoneInfo

from embanon.errors import ConfigError, InputError
from embanon.language import key
from embanon.leak.group_files import read_pairs, split_csv
from embanon.leak.ledger.access import BATCH_SIZE, Access, WriteCounts, settle_waiting, write_accesses
from embanon.leak.ledger.adoption import adopt_people
from embanon.leak.ledger.knowledge import KnowledgeCache
from embanon.leak.ledger.records import DAY_MILLISECONDS, storable
from embanon.leak.ledger.store import Ledger
from embanon.leak.people import EPOCH_ORDINAL, day_number
from embanon.leak.policy import Policy

COLUMNS: Final = ("time", "user", "document", "action")
REQUIRED_COLUMNS: Final = COLUMNS[:3]
MAX_LINE_BYTES: Final = 1 << 20
"""Bytes of the longest line."""
MAX_LISTED: Final = 100
"""Lines that are reported by number."""
MILLISECONDS_FROM: Final = 1e11
"""What counts milliseconds and no seconds: the year 5138 in these, 1973 in those."""
DATE_DIGITS: Final = 8
"""Of a day that is written 20260504; so few count seconds of 1973 and before."""
EARLIEST: Final = -62_135_596_800_000
LATEST: Final = 253_402_300_799_999
"""The years 1 and 9999."""
CLOCK_TOLERANCE: Final = 3_600_000
"""By how much a log may go back without that being a jump of its clock: servers write late."""
FUTURE_TOLERANCE: Final = DAY_MILLISECONDS
"""By how much a line may be later than now: clocks of other zones."""


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A line that cannot be read, and why."""

    line: int
    reason: str


@dataclass(slots=True)
class LineTally:
    """Reported lines: their count, and the numbers of the first of them."""

    count: int = 0
    lines: list[int] = field(default_factory=list)

    def note(self, line: int) -> None:
        """Count a line."""
        self.count += 1
        if len(self.lines) < MAX_LISTED:
            self.lines.append(line)


@dataclass(slots=True)
class ImportResult:
    """What became of a log."""

    lines: int = 0
    written: WriteCounts = field(default_factory=WriteCounts)
    settled: int = 0
    """Accesses of before, to documents that a scan has seen since."""
    bad: LineTally = field(default_factory=LineTally)
    reasons: list[UnreadableLine] = field(default_factory=list)
    """Why the first of the bad lines cannot be read."""
    back: LineTally = field(default_factory=LineTally)
    """Where the clock went back by more than an hour; such lines are kept: what day it is they say themselves."""
    ahead: LineTally = field(default_factory=LineTally)
    """Lines of the future, which are kept as well."""


def parse_time_zone(name: str) -> tzinfo:
    """Return a time zone by its name."""
    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as exc:
        raise ConfigError(f"time zone {name!r} is not known; write it as Europe/Berlin, or UTC") from exc


def read_log(stream: BinaryIO, name: str, zone: tzinfo = UTC) -> Iterator[tuple[int, Access | UnreadableLine]]:
    """Return the lines of a log by number, as they come."""
    parse: Callable[[str], Access] | None = None
    for number, line in _lines(stream, name):
        if isinstance(line, UnreadableLine):
            yield number, line
            continue
        if parse is None:
            parse, begins = _detect_format(line, zone, name)
            if begins:
                continue
        try:
            yield number, parse(line)
        except (ValueError, OverflowError, RecursionError, csv.Error) as exc:
            yield number, UnreadableLine(number, exc.args[0] if isinstance(exc, _UnreadableError) else "cannot be read")


def import_log(
    ledger: Ledger, stream: BinaryIO, name: str, policy: Policy, zone: tzinfo = UTC, now: float | None = None
) -> ImportResult:
    """Write a log into a ledger, in steps that are written whole; to read it again, or parts of it, changes nothing.

    Where a group of the policy is named as user, each of its members has opened the document.
    """
    adopt_people(ledger, policy)
    people = policy.people()
    result, latest, cache = ImportResult(settled=settle_waiting(ledger)), -(1 << 62), KnowledgeCache()
    until = int((time.time() if now is None else now) * 1000) + FUTURE_TOLERANCE
    accesses = list[Access]()

    def write() -> None:
        if accesses:
            result.written += write_accesses(ledger, accesses, policy.ledger, cache)
            accesses.clear()

    try:
        for number, line in read_log(stream, name, zone):
            result.lines += 1
            if isinstance(line, UnreadableLine):
                result.bad.note(number)
                result.reasons += [line] if len(result.reasons) < MAX_LISTED else []
                continue
            if line.time > until:
                result.ahead.note(number)
            elif line.time < latest - CLOCK_TOLERANCE:
                result.back.note(number)
                latest = line.time
            else:
                latest = max(latest, line.time)
            if people.groups and key(line.user) in people.groups:
                accesses += (replace(line, user=user) for user in people.users_behind(line.user))
            else:
                accesses.append(line)
            if len(accesses) >= BATCH_SIZE:
                write()
    except InputError:  # what was read before is kept
        write()
        raise
    write()
    if result.lines and result.bad.count == result.lines:
        why = result.reasons[0]
        raise InputError(f"{name}: no line can be read; line {why.line}: {why.reason}")
    return result


def read_groups(stream: BinaryIO, name: str) -> dict[str, str]:
    """Read who belongs to which group of peers: `user,group`, a line each."""
    lines = ((number, "" if isinstance(line, UnreadableLine) else line) for number, line in _lines(stream, name))
    return dict(read_pairs(lines, name))


class _UnreadableError(ValueError):
    """A line cannot be read, for a reason that quotes nothing of it."""


def _lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, str | UnreadableLine]]:
    """Return numbered lines that are not empty; no quote holds more than one, or a lost one would swallow the rest."""
    number, rest = 0, False
    while True:
        try:
            data = stream.readline(MAX_LINE_BYTES + 1)
        except (OSError, EOFError, zlib.error) as exc:
            raise InputError(f"{name}: cannot be read behind line {number}; what was read is kept") from exc
        if not data:
            return
        ended = data.endswith(b"\n")
        if rest:
            rest = not ended
            continue
        number += 1
        if len(data) > MAX_LINE_BYTES:
            rest = not ended
            yield number, UnreadableLine(number, f"has more than {MAX_LINE_BYTES >> 20} MB")
            continue
        try:
            line = data.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as exc:
            yield number, UnreadableLine(number, f"byte {exc.start} is not UTF-8")
            continue
        if line.strip():
            yield number, line.rstrip("\r\n")


def _detect_format(line: str, zone: tzinfo, name: str) -> tuple[Callable[[str], Access], bool]:
    """Return what reads lines such as the first one, and whether that one names columns."""
    times = _TimeParser(zone)
    if line.lstrip().startswith("{"):
        return lambda text: _from_json(text, times), False
    try:
        cells = [cell.strip().lower() for cell in split_csv(line)]
    except csv.Error:
        cells = []
    if not {"user", "document"} & set(cells):
        return _csv_parser(dict(zip(COLUMNS, range(4), strict=True)), 4, times), False
    missing = [column for column in REQUIRED_COLUMNS if column not in cells]
    if missing:
        raise InputError(f"{name}: has no column {missing[0]!r}; name them {','.join(COLUMNS)} in the first line")
    return _csv_parser({column: cells.index(column) for column in COLUMNS if column in cells}, len(cells), times), True


def _csv_parser(places: Mapping[str, int], columns: int, times: _TimeParser) -> Callable[[str], Access]:
    needed, action = max(places[column] for column in REQUIRED_COLUMNS), places.get("action")
    at, user, document = (places[column] for column in REQUIRED_COLUMNS)

    def read(line: str) -> Access:
        cells = split_csv(line)
        if len(cells) <= needed:
            raise _UnreadableError(f"has {len(cells)} columns; a line looks like time,user,document,action")
        if len(cells) > columns and any(cells[columns:]):  # half a name would be written down
            raise _UnreadableError(f"has {len(cells)} columns, not {columns}; put what has a comma in quotes")
        done = cells[action].strip() if action is not None and action < len(cells) else ""
        return _access(cells[at], cells[user], cells[document], done, times)

    return read


def _from_json(line: str, times: _TimeParser) -> Access:
    try:
        row = json.loads(line)
    except ValueError as exc:
        raise _UnreadableError("is not JSON") from exc
    if not isinstance(row, dict):
        raise _UnreadableError("is no object of JSON")
    for column in REQUIRED_COLUMNS:
        if column not in row:
            raise _UnreadableError(f"has no key {column!r}")
    action = row.get("action")
    values = row["user"], row["document"], "" if action is None else action
    if not all(isinstance(value, str) for value in values):
        raise _UnreadableError("user, document and action must be strings")
    return _access(row["time"], *values, times)


def _access(at: Any, user: str, document: str, action: str, times: _TimeParser) -> Access:
    user, document = user.strip(), document.strip()
    if not user:
        raise _UnreadableError("names no user")
    if not document:
        raise _UnreadableError("names no document")
    moment, day = times(at)
    return Access(storable(user), document, moment, day, action)


@dataclass(slots=True)
class _TimeParser:
    """Reads times; days are those of a zone."""

    zone: tzinfo

    def __call__(self, at: Any) -> tuple[int, int]:
        """Return milliseconds since 1970, and the day."""
        if isinstance(at, str):
            text = at.strip()
            counts = text.replace(".", "", 1).lstrip("-").isdecimal() and len(text) != DATE_DIGITS
            try:
                at = float(text) if counts else text
            except ValueError:
                at = text
        if isinstance(at, str):
            return self._parse_text(at)
        if isinstance(at, bool) or not isinstance(at, int | float) or at != at:
            raise _UnreadableError("its time is no time; write it as 2026-05-04T09:30:00Z")
        moment = int(at if abs(at) >= MILLISECONDS_FROM else at * 1000)
        if not EARLIEST + DAY_MILLISECONDS <= moment <= LATEST - DAY_MILLISECONDS:
            raise _UnreadableError("its time is out of all years")
        if self.zone is UTC:
            return moment, moment // DAY_MILLISECONDS
        return moment, datetime.fromtimestamp(moment / 1000, self.zone).toordinal() - EPOCH_ORDINAL

    def _parse_text(self, at: str) -> tuple[int, int]:
        try:
            read = datetime.fromisoformat(at)
        except ValueError:
            raise _UnreadableError("its time is no time; write it as 2026-05-04T09:30:00Z") from None
        if read.tzinfo is None:
            read = read.replace(tzinfo=self.zone)
        elif read.tzinfo is not self.zone:
            try:
                read = read.astimezone(self.zone)
            except OverflowError:
                raise _UnreadableError("its time is out of all years") from None
        moment = (read - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
        return moment, read.toordinal() - EPOCH_ORDINAL


def parse_day(text: str) -> int:
    """Return the number of a day such as 2026-05-04."""
    try:
        return day_number(date.fromisoformat(text))
    except ValueError as exc:
        raise ConfigError("a day is written as 2026-05-04") from exc


def format_day(day: int) -> str:
    """Write a day."""
    return date.fromordinal(day + EPOCH_ORDINAL).isoformat()
