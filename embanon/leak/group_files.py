"""Who belongs to which group, from files: `user,group` as CSV, or entries of a directory as LDIF (RFC 2849).

Of a directory, groups name their members (`member`, `uniqueMember`, `memberUid`), or people their groups (`memberOf`).
A person goes by `uid` and `sAMAccountName`, else by what their DN begins with; a group by its `cn`.
"""

from __future__ import annotations

import base64
import binascii
import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from embanon.errors import InputError

MAX_FILE_BYTES: Final = 256 << 20
MAX_MEMBERSHIPS: Final = 5_000_000
LDIF_SUFFIXES: Final = (".ldif", ".ldf")
LDIF_START: Final = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:version|dn):", re.IGNORECASE)
USER_ATTRIBUTES: Final = ("uid", "samaccountname")
DN_ATTRIBUTES: Final = ("member", "uniquemember")
GROUP_CLASSES: Final = frozenset({"group", "groupofnames", "groupofuniquenames", "posixgroup", "groupofmembers"})
KEPT_ATTRIBUTES: Final = frozenset({*USER_ATTRIBUTES, *DN_ATTRIBUTES, "memberuid", "memberof", "objectclass", "cn"})
DN_PART: Final = re.compile(r"(?:[^,;\\]|\\.)+", re.DOTALL)
DN_ESCAPE: Final = re.compile(r"(?:\\[0-9a-fA-F]{2})+|\\.", re.DOTALL)
UNIQUE_SUFFIX: Final = re.compile(r"#'[01]*'B$")
"""What tells apart two people of one name in time; nobody's name."""

Memberships = dict[str, list[str]]
"""Group -> its members: users, or other groups by name."""


def read_group_file(file: Path) -> Memberships:
    """Read the groups of a file."""
    text = _read_text(file)
    is_ldif = file.suffix.lower() in LDIF_SUFFIXES or LDIF_START.match(text)
    groups = _groups_of_ldif(text, str(file)) if is_ldif else _groups_of_csv(text, str(file))
    if not groups:
        raise InputError(f"{file}: names no group; it needs lines of user,group or entries of LDIF with members")
    if sum(map(len, groups.values())) > MAX_MEMBERSHIPS:
        raise InputError(f"{file}: has more than {MAX_MEMBERSHIPS:,} members of groups; export those that are needed")
    return groups


def _read_text(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{file}: has more than {MAX_FILE_BYTES >> 20} MB; export groups and their members alone")
        return file.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as exc:
        if isinstance(exc, UnicodeDecodeError):
            raise InputError(f"{file}: byte {exc.start} is not UTF-8; save the groups as UTF-8") from exc
        reason = exc.strerror if isinstance(exc, OSError) else "no possible name"
        raise InputError(f"{file}: cannot be read ({reason}); check `file` of [[groups]]") from exc


def split_csv(line: str) -> list[str]:
    """Return the cells of a line, which holds no quote that goes on in the next."""
    return line.split(",") if '"' not in line else next(csv.reader([line], strict=True, skipinitialspace=True))


def read_pairs(lines: Iterator[tuple[int, str]], name: str) -> Iterator[tuple[str, str]]:
    """Yield user and group of numbered lines; the first line may name the columns."""
    for number, line in lines:
        try:
            cells = [cell.strip() for cell in split_csv(line)[:2]]
        except csv.Error:
            cells = []
        if len(cells) < 2 or not cells[0]:
            raise InputError(f"{name}, line {number}: is no user and group; a line looks like ada,research")
        if number > 1 or [cell.lower() for cell in cells] != ["user", "group"]:
            yield cells[0], cells[1]


def _groups_of_csv(text: str, name: str) -> Memberships:
    groups = defaultdict[str, list[str]](list)
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    for user, group in read_pairs(lines, name):
        if group:
            groups[group].append(user)
    return dict(groups)


# Directories


@dataclass(slots=True)
class _Entry:
    """An entry of a directory, attributes in small letters."""

    dn: str = field(repr=False)
    values: dict[str, list[str]] = field(repr=False)

    def names(self) -> list[str]:
        """Return what a person goes by."""
        names = [name for attribute in USER_ATTRIBUTES for name in self.values.get(attribute, ()) if name]
        return names or [_first_value(self.dn)]

    def group_name(self) -> str:
        """Return what a group goes by."""
        return next(iter(self.values.get("cn", ())), "") or _first_value(self.dn)

    def is_group(self) -> bool:
        """Return whether it may have members."""
        classes = {name.lower() for name in self.values.get("objectclass", ())}
        return bool(classes & GROUP_CLASSES) or any(name in self.values for name in (*DN_ATTRIBUTES, "memberuid"))


def _groups_of_ldif(text: str, name: str) -> Memberships:
    entries = {_comparable(entry.dn): entry for entry in _entries(text, name)}
    groups = {entry.group_name(): list[str]() for entry in entries.values() if entry.is_group()}
    for entry in entries.values():
        if entry.is_group():
            members = groups[entry.group_name()]
            members += entry.values.get("memberuid", ())
            for attribute in DN_ATTRIBUTES:
                for dn in entry.values.get(attribute, ()):
                    members += _names_of(UNIQUE_SUFFIX.sub("", dn), entries)
        for dn in entry.values.get("memberof", ()):
            parent = entries.get(_comparable(dn))
            group = parent.group_name() if parent else _first_value(dn)
            groups.setdefault(group, []).extend([entry.group_name()] if entry.is_group() else entry.names())
    return {group: [member for member in dict.fromkeys(members) if member] for group, members in groups.items()}


def _names_of(dn: str, entries: Mapping[str, _Entry]) -> list[str]:
    """Return what a member goes by: by their own entry, or by their DN where there is none."""
    entry = entries.get(_comparable(dn))
    if entry is None:
        return [_first_value(dn)]
    return [entry.group_name()] if entry.is_group() else entry.names()


def _entries(text: str, name: str) -> Iterator[_Entry]:
    """Yield the entries of LDIF; of their attributes those that say who belongs where."""
    entry: _Entry | None = None
    for number, line in _unfolded(text):
        if not line:
            if entry:
                yield entry
            entry = None
            continue
        attribute, value = _attribute(line, f"{name}, line {number}")
        if attribute == "dn":
            if entry or not value:
                raise InputError(f"{name}, line {number}: begins an entry that is not one; part entries by empty lines")
            entry = _Entry(value, {})
        elif attribute == "changetype":
            raise InputError(f"{name}, line {number}: is a change and no entry; export entries: ldapsearch -LLL")
        elif entry is None:
            if attribute != "version":
                raise InputError(f"{name}, line {number}: belongs to no entry, which begins with dn:")
        elif attribute in KEPT_ATTRIBUTES:
            entry.values.setdefault(attribute, []).append(value)
    if entry:
        yield entry


def _unfolded(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines by number without comments, each with what goes on in the lines behind it."""
    parts, first = list[str](), 0
    for number, line in enumerate((*text.replace("\r\n", "\n").split("\n"), ""), 1):
        if line.startswith(" ") and parts:
            parts.append(line[1:])
            continue
        if parts and not parts[0].startswith("#"):
            yield first, "".join(parts)
        parts, first = [line], number
    yield first, ""


def _attribute(line: str, where: str) -> tuple[str, str]:
    """Return an attribute without its options, and its value."""
    described, colon, value = line.partition(":")
    if not colon or not described.strip():
        raise InputError(f"{where}: is no line of LDIF; one looks like member: uid=ada,ou=people,dc=example,dc=org")
    attribute = described.partition(";")[0].strip().lower()
    if attribute not in KEPT_ATTRIBUTES and attribute not in ("dn", "version", "changetype"):
        return attribute, ""
    if value.startswith(":"):
        try:
            return attribute, base64.b64decode(value[1:].strip(), validate=True).decode("utf-8").strip()
        except (binascii.Error, ValueError) as exc:
            raise InputError(f"{where}: its value is no UTF-8 in base64; export it again") from exc
    if value.startswith("<"):
        raise InputError(f"{where}: names a file for its value, which is not read; export values themselves")
    return attribute, value.strip()


def _parts(dn: str) -> Sequence[str]:
    return [part.strip() for part in DN_PART.findall(dn)]


def _unescaped(value: str) -> str:
    """Return a value of a DN as it is meant."""

    def meant(match: re.Match[str]) -> str:
        written = match.group()
        if len(written) == 2:
            return written[1]
        return bytes.fromhex(written.replace("\\", "")).decode("utf-8", "replace")

    return DN_ESCAPE.sub(meant, value)


def _comparable(dn: str) -> str:
    """Return a DN as it is compared: in any case, with any spaces."""
    pairs = (part.partition("=") for part in _parts(dn))
    return "\0".join(f"{name.strip().casefold()}={_unescaped(value.strip()).casefold()}" for name, _, value in pairs)


def _first_value(dn: str) -> str:
    """Return the value that a DN begins with; what is no DN is a name."""
    parts = _parts(dn)
    first = parts[0].partition("+")[0] if parts else dn
    _, equals, value = first.partition("=")
    return _unescaped(value.strip() if equals else first).strip()
