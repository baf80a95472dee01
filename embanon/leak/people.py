"""Who may know what: groups of users, and what a policy lets each of them know of each entity, on which days.

Names are compared as the ledger compares them: in any case. A group may be a member of another. Days are those of
access logs, and the first and the last one that are named count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from embanon.errors import ConfigError
from embanon.language import key
from embanon.leak.group_files import Memberships, read_group_file

EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()


def day_number(day: date) -> int:
    """Return a day as the ledger counts them."""
    return day.toordinal() - EPOCH_ORDINAL


ALWAYS: Final = (day_number(date.min), day_number(date.max))


@dataclass(frozen=True, slots=True)
class Group:
    """Users who may know the same; or, without a name, all groups of a file."""

    name: str = ""
    members: tuple[str, ...] = field(default=(), repr=False)
    file: str = ""

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if not (self.name.strip() or (self.file and not self.members)):
            return " needs a `name`; or a `file` alone, of which all groups are taken"
        if not all(map(str.strip, self.members)):
            return ".members has an empty entry; remove it"
        return ""


@dataclass(frozen=True, slots=True)
class Permission:
    """Who may know an entity: a group or a user, and from when until when."""

    who: str = field(repr=False)
    since: date = date.min
    until: date = date.max

    WRITTEN_AS = "who"  # may = ["ada"] is short for may = [{who = "ada"}]

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if not self.who.strip():
            return ".who must name a group or a user"
        return ".until is before .since" if self.until < self.since else ""


def read_members(groups: Sequence[Group], folder: Path, where: str) -> tuple[Group, ...]:
    """Return groups with the members that stand in their files, which lie in the folder of the policy."""
    read = dict[str, Memberships]()
    resolved = list[Group]()
    for number, group in enumerate(groups):
        if not group.file:
            resolved.append(group)
            continue
        listed = read.get(group.file) or read.setdefault(group.file, read_group_file(folder / group.file))
        if not group.name:
            resolved += (Group(name, tuple(members)) for name, members in listed.items())
            continue
        same = [members for name, members in listed.items() if key(name) == key(group.name)]
        if not same:
            raise ConfigError(f"{where}: groups[{number}].file has no group of this name; name one that it has")
        resolved.append(replace(group, members=group.members + tuple(name for names in same for name in names)))
    return tuple(resolved)


class Grant(NamedTuple):
    """What somebody may know, the first day, the last day, and by which name in the policy."""

    entity: int
    since: int
    until: int
    who: str

    def covers(self, day: int) -> bool:
        """Return whether it holds on a day."""
        return self.since <= day <= self.until


@dataclass(frozen=True, slots=True)
class People:
    """All users and groups of a policy, by the keys of their names; entities by their place in it."""

    groups: Mapping[str, frozenset[str]] = field(repr=False)
    """Group -> the users in it, and in the groups in it."""
    grants: Mapping[str, tuple[Grant, ...]] = field(repr=False)
    """User, or group -> what they may know."""

    @classmethod
    @lru_cache(maxsize=4)
    def build(cls, groups: tuple[Group, ...], may: tuple[tuple[Permission, ...], ...]) -> People:
        """Find out what each may know, once for a policy; `may` is that of each entity."""
        direct = defaultdict[str, set[str]](set)
        for group in groups:
            direct[key(group.name)].update(map(key, group.members))
        reached = {name: _reachable(name, direct) for name in direct}
        given = defaultdict[str, list[Grant]](list)
        for number, permissions in enumerate(may):
            for permission in permissions:
                days = day_number(permission.since), day_number(permission.until)
                grant, who = Grant(number, *days, permission.who), key(permission.who)
                for name in reached.get(who, (who,)):
                    given[name].append(grant)
        users = {name: frozenset(inside - direct.keys()) for name, inside in reached.items()}
        return cls(users, {name: tuple(some) for name, some in given.items()})

    def grants_of(self, user: str) -> tuple[Grant, ...]:
        """Return what a user or group may know, in any spelling of their name."""
        return self.grants.get(key(user), ())

    def may_know(self, user: str, day: int) -> frozenset[int]:
        """Return the entities that a user may know on a day, by their places in the policy."""
        return frozenset(grant.entity for grant in self.grants_of(user) if grant.covers(day))

    def users_behind(self, name: str) -> tuple[str, ...]:
        """Return whom a name in an access log stands for: the users of that group, else the one of that name."""
        return tuple(sorted(self.groups.get(key(name), ()))) or (name,)

    def groups_of(self, user: str) -> list[str]:
        """Return the keys of the groups that a user is in."""
        wanted = key(user)
        return sorted(name for name, users in self.groups.items() if wanted in users)


def _reachable(name: str, direct: Mapping[str, set[str]]) -> set[str]:
    """Return a group and all that is in it, whatever groups are in each other."""
    reached, waiting = {name}, [name]
    while waiting:
        fresh = direct.get(waiting.pop(), set()) - reached
        reached |= fresh
        waiting += fresh
    return reached


def people_problems(groups: Sequence[Group], may: Sequence[Sequence[Permission]]) -> Iterator[tuple[str, str]]:
    """Find groups without members, names of groups and users alike, and names that nothing else in a policy knows."""
    names = {key(group.name) for group in groups}
    members = {key(member) for group in groups for member in group.members}
    counted = defaultdict[str, int](int)
    for group in groups:
        counted[key(group.name)] += len(group.members)
    empty = {name for name, count in counted.items() if not count}
    if empty:
        yield "groups", f"{len(empty)} of {len(counted)} have no members; add some, or remove them"
    for number, permissions in enumerate(may):
        for place, permission in enumerate(permissions):
            if key(permission.who) not in names | members:
                yield (
                    f"entities[{number}].may[{place}]",
                    "is no group, and no member of one: taken for a user; if it is a group, add it to [[groups]]",
                )
