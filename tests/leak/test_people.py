"""Who may know what: groups, files of groups, and days."""

from __future__ import annotations

import base64
from datetime import date
from pathlib import Path

import pytest

from embanon.errors import ConfigError, InputError
from embanon.leak import group_files
from embanon.leak.group_files import read_group_file
from embanon.leak.people import Group, People, Permission, day_number
from embanon.leak.policy import Policy, check_policy, read_policy

ONE = "[[entities]]\nname = 'Bluebird'\naliases = ['BB-7']\nsensitivity = 4\n"
LDIF = f"""\
# an export
version: 1

dn: uid=ada,ou=People,dc=example,dc=org
objectClass: inetOrgPerson
uid: ada
cn: Ada Berger
memberOf: cn=legal,ou=groups,dc=example,dc=org

dn: CN=Bob\\, the Builder,OU=Staff,DC=example,DC=org
sAMAccountName: bob
jpegPhoto:< file:///photo.jpg

dn: uid=eve,ou=people,dc=example,dc=org
uid:: {base64.b64encode(b"eve").decode()}

dn: cn=research, ou=groups, dc=example, dc=org
objectClass: groupOfNames
cn: research
member;range=0-1: UID=ADA, ou=people,dc=example,
 dc=org
member: cn=bob\\2c the builder,ou=staff,dc=example,dc=org
member: uid=joe,ou=elsewhere,dc=example,dc=org

dn: cn=all,ou=groups,dc=example,dc=org
cn: all
uniqueMember: cn=research,ou=groups,dc=example,dc=org
uniqueMember: uid=eve,ou=people,dc=example,dc=org#'0101'B

dn: cn=unix,ou=groups,dc=example,dc=org
objectClass: posixGroup
cn: unix
memberUid: ada
memberUid: tim

dn: cn=nobody,ou=groups,dc=example,dc=org
objectClass: group
cn: nobody
"""


def policy(tmp_path: Path, text: str) -> Policy:
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    return read_policy(tmp_path / "policy.toml")


def day(text: str) -> int:
    return day_number(date.fromisoformat(text))


# what follows the entity: what the message says
BAD = {
    "no list": ("may = 'ada'", "entities[0].may must be a list"),
    "a number": ("may = [1]", "entities[0].may[0] must be a string or a table"),
    "nobody": ("may = [' ']", "entities[0].may[0].who must name a group or a user"),
    "a day as text": ("may = [{who = 'ada', until = '2026-12-31'}]", "may[0].until must be a day: 2026-12-31"),
    "a time": ("may = [{who = 'ada', until = 2026-12-31T09:00:00}]", "may[0].until must be a day"),
    "misspelt": ("may = [{who = 'ada', untl = 2026-12-31}]", "did you mean 'entities[0].may[0].until'?"),
    "no who": ("may = [{until = 2026-12-31}]", "entities[0].may[0] lacks 'who'"),
    "ends before it begins": (
        "may = [{who = 'ada', since = 2026-12-31, until = 2026-01-01}]", "may[0].until is before .since",
    ),
    "no name": ("[[groups]]\nmembers = ['ada']", "groups[0] needs a `name`"),
    "nameless members": ("[[groups]]\nfile = 'g.csv'\nmembers = ['ada']", "groups[0] needs a `name`"),
    "empty member": ("[[groups]]\nname = 'a'\nmembers = ['']", "groups[0].members has an empty entry"),
    "not in the file": ("[[groups]]\nname = 'legal'\nfile = 'g.csv'", "groups[0].file has no group of this name"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_named(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    (tmp_path / "g.csv").write_text("ada,research\n")
    with pytest.raises(ConfigError) as caught:
        policy(tmp_path, ONE + text)
    assert message in str(caught.value)


def test_who_may_know_it(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text('user,group\nBob,legal\n"tim","Legal"\nada,sales\n')
    text = """\
    may = ["Research", {who = "eve", since = 2026-03-01, until = 2026-06-30}]
    [[entities]]
    name = "Zenith"
    sensitivity = 2
    may = ["legal", "eve"]
    [[groups]]
    name = "research"
    members = ["ADA", "lab"]
    [[groups]]
    name = "lab"
    members = ["joe", "research"]
    [[groups]]
    name = "legal"
    members = ["sue"]
    file = "g.csv"
    """
    read = policy(tmp_path, ONE + text)
    people = read.people()
    on = day("2026-06-30")
    expected = {"ada": {0}, " Ada ": {0}, "JOE": {0}, "eve": {0, 1}, "bob": {1}, "tim": {1}, "sue": {1}, "zoe": set()}
    assert {user: set(people.may_know(user, on)) for user in expected} == expected
    assert [set(people.may_know("eve", day(one))) for one in ("2026-02-28", "2026-03-01", "2026-07-01")] == [
        {1}, {0, 1}, {1},
    ]  # fmt: skip
    assert people.may_know("research", on) == people.may_know("LAB", on) == {0}
    assert people.users_behind("Research") == people.users_behind("lab") == ("ada", "joe")
    assert people.users_behind("ada") == ("ada",)
    assert people.groups_of("Joe") == ["lab", "research"]
    assert not {"ada", "ADA", "eve", "Bob"} & set(repr(read).replace("'", " ").split())


def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "staff.ldif").write_text(LDIF)
    groups = read_group_file(tmp_path / "staff.ldif")
    assert groups == {
        "research": ["ada", "bob", "joe"], "all": ["research", "eve"], "unix": ["ada", "tim"], "legal": ["ada"],
        "nobody": [],
    }  # fmt: skip
    (tmp_path / "staff.txt").write_bytes(b"\xef\xbb\xbf" + LDIF.replace("\n", "\r\n").encode())
    assert read_group_file(tmp_path / "staff.txt") == groups
    people = policy(tmp_path, ONE + "may = ['all']\n[[groups]]\nfile = 'staff.ldif'").people()
    assert people.users_behind("all") == ("ada", "bob", "eve", "joe")
    assert people.may_know("joe", 0) == {0}


# name and content of a file, what the message says
BAD_FILES = {
    "empty": ("g.csv", b"", "names no group"),
    "header alone": ("g.csv", b"user,group\n", "names no group"),
    "one column": ("g.csv", b"user,group\nada\n", "g.csv, line 2: is no user and group"),
    "lost quote": ("g.csv", b'"ada,research\n', "g.csv, line 1: is no user and group"),
    "not UTF-8": ("g.csv", b"ada,caf\xe9\n", "byte 7 is not UTF-8"),
    "no colon": ("g.ldif", b"dn: cn=a\ncn\n", "g.ldif, line 2: is no line of LDIF"),
    "no entry": ("g.ldif", b"cn: a\n", "g.ldif, line 1: belongs to no entry"),
    "two entries in one": ("g.ldif", b"dn: cn=a\ndn: cn=b\n", "g.ldif, line 2: begins an entry"),
    "a change": ("g.ldif", b"dn: cn=a\nchangetype: delete\n", "g.ldif, line 2: is a change"),
    "not base64": ("g.ldif", b"dn: cn=a\nmember:: ?\n", "g.ldif, line 2: its value is no UTF-8 in base64"),
    "a file": ("g.ldif", b"dn: cn=a\nmember:< file:///etc/passwd\n", "g.ldif, line 2: names a file"),
    "no groups": ("g.ldif", b"dn: uid=ada\nuid: ada\n", "names no group"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_files_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    file, content, message = BAD_FILES[name]
    (tmp_path / file).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_group_file(tmp_path / file)
    assert "ada" not in str(caught.value).replace("like ada,research", "").replace("uid=ada", "")


def test_files_that_are_too_large_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in ("none.csv", "\0"):
        with pytest.raises(InputError, match=r"cannot be read .*check `file` of \[\[groups\]\]"):
            read_group_file(tmp_path / file)
    (tmp_path / "g.csv").write_text("ada,research\nbob,research\n")
    monkeypatch.setattr(group_files, "MAX_MEMBERSHIPS", 1)
    with pytest.raises(InputError, match="more than 1 members"):
        read_group_file(tmp_path / "g.csv")
    monkeypatch.setattr(group_files, "MAX_FILE_BYTES", 20)
    with pytest.raises(InputError, match="export groups and their members alone"):
        read_group_file(tmp_path / "g.csv")


def test_what_is_amiss(tmp_path: Path) -> None:
    text = "may = ['research', 'ada', 'reserch', {who = 'eve', until = 2026-01-01}]\n"
    text += "[[groups]]\nname = 'research'\nmembers = ['ada']\n[[groups]]\nname = 'empty'\n"
    assert [(one.where, one.what[:40]) for one in check_policy(policy(tmp_path, ONE + text))] == [
        ("groups", "1 of 2 have no members; add some, or rem"),
        ("entities[0].may[2]", "is no group, and no member of one: taken"),
        ("entities[0].may[3]", "is no group, and no member of one: taken"),
    ]


def test_a_hundred_thousand_people() -> None:
    groups = tuple(Group(f"group {n}", tuple(f"user {user}" for user in range(n, 100_000, 20))) for n in range(20))
    people = People.build(groups, tuple((Permission(f"group {n}"),) for n in range(20)))
    assert people.may_know("user 77", 0) == {17}
