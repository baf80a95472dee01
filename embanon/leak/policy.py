"""What a company protects, in one file of TOML: entities, what each is worth, and who may mention it."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from posixpath import normpath
from typing import Final

import numpy as np

from embanon.config import PRESETS, build_dataclass, read_toml, suggest_name, validate_table
from embanon.data import find_resource
from embanon.entities import COMMON_WORD_SHARE, Entity
from embanon.errors import ConfigError, InputError
from embanon.language import Frequencies, key, words_of
from embanon.leak.people import Group, People, Permission, people_problems, read_members

FILE_NAME: Final = "policy.toml"
KINDS: Final = {
    "person": "PERSON", "customer": "ORG", "supplier": "ORG", "organization": "ORG", "place": "LOC",
    "project": "TOPIC", "product": "TOPIC", "formula": "TOPIC", "illness": "TOPIC", "topic": "TOPIC",
}  # fmt: skip
"""What a protected entity can be -> the type by which its texts are scored."""
GRADES: Final = (1.0, 5.0)
SAMPLE_BYTES: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class PolicyEntity:
    """An entity to protect, and what that it gets out would cost: a grade from 1 to 5, or money."""

    name: str = field(repr=False)
    kind: str = "topic"
    aliases: tuple[str, ...] = field(default=(), repr=False)
    description: str = field(default="", repr=False)
    samples: tuple[str, ...] = field(default=(), repr=False)
    sample_files: tuple[str, ...] = ()
    sensitivity: float = -1.0
    cost: float = -1.0
    owner: str = ""
    threshold: float = -1.0
    folders: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    may: tuple[Permission, ...] = field(default=(), repr=False)
    """Who may know it."""

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if not any(map(str.isalnum, self.name)):
            return ".name must have a letter or digit"
        for name in ("aliases", "samples", "sample_files", "folders", "labels"):
            if not all(map(str.strip, getattr(self, name))):
                return f".{name} has an empty entry; remove it"
        if not all(any(map(str.isalnum, alias)) for alias in self.aliases):
            return ".aliases: each must have a letter or digit"
        if self.kind not in KINDS:
            near = suggest_name(self.kind, KINDS)
            return f".kind must be one of {', '.join(KINDS)}" if "known here" in near else f".kind is not known{near}"
        if (self.sensitivity == -1) == (self.cost == -1):
            return " needs `sensitivity` (1 to 5) or `cost` (money), and not both"
        if self.cost == -1 and not GRADES[0] <= self.sensitivity <= GRADES[1]:  # false for what is no number, too
            return ".sensitivity must be from 1 to 5; for money, write `cost`"
        if self.sensitivity == -1 and not 0 < self.cost < np.inf:
            return ".cost must be above 0"
        if self.threshold != -1 and not 0 < self.threshold <= 1:
            return ".threshold must be above 0, and at most 1"
        return ""

    @property
    def value(self) -> float:
        """Return what it is worth, in grades or money."""
        return self.sensitivity if self.cost == -1 else self.cost

    def entity(self, folder: Path) -> Entity:
        """Return it as what texts are scored by; its samples are files of a folder, beside those in the policy."""
        read = tuple(_read_sample(folder / file) for file in self.sample_files)
        return Entity(self.name.strip(), self.aliases, KINDS[self.kind], self.description, self.samples + read)

    def allows(self, path: str, labels: Iterable[str] = ()) -> bool:
        """Return whether a document may mention it: by where it lies, or by what it is marked with."""
        is_marked = any(fnmatchcase(label, one) for label in labels for one in self.labels)
        return is_marked or _is_below_any(path, self.folders)


def _is_below_any(path: str, folders: Iterable[str]) -> bool:
    """Return whether a document lies in one of some folders; what has no path lies nowhere."""
    where = normpath(PurePath(path).as_posix())  # research/../sales is not below research
    if where == ".":
        return False
    known = map(normpath, folders)
    return any(
        not where.startswith(("/", "../"))
        if folder == "."
        else fnmatchcase(where, folder) or fnmatchcase(where, f"{folder}/*")
        for folder in known
    )


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """When somebody knows too much, or learns too fast."""

    false_alarms: float = 1.0  # among 200 users in 30 days
    worth: float = -1.0  # of what one knows, above which there is always an alert; -1: none
    least: float = 0.05  # of the most valuable entity: whoever learns less is never alerted
    days: int = 90  # that count as the past
    active: int = 60  # days of one's past that count as much as what is usual for all

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if not (self.worth == -1 or 0 < self.worth < np.inf):
            return ".worth must be above 0"
        for name, (low, high) in ALERT_BOUNDS.items():
            if not low <= getattr(self, name) <= high:
                return f".{name} must be from {low} to {high}"
        return ""


REPLACED_SETTINGS: Final = ("own", "group")
ALERT_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "false_alarms": (0.001, 200), "least": (0.0, 1.0), "days": (1, 3660), "active": (1, 10_000),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """What the ledger writes down."""

    documents: str = "path"  # or keyed: their paths are not to be read there
    users: str = "keyed"  # or name
    text: bool = False  # also phrases as they are written
    depth: int = 2  # folders of a path that the heat map tells apart
    days: int = 0  # that accesses are kept; 0: for ever

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if self.documents not in ("path", "keyed"):
            return ".documents must be path or keyed"
        if self.users not in ("keyed", "name"):
            return ".users must be keyed or name"
        if not 0 <= self.depth <= 100:
            return ".depth must be from 0 to 100"
        return "" if 0 <= self.days <= 36_525 else ".days must be from 0 to 36525"


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What the gate lets pass."""

    limit: float = -1.0  # the lowest risk that it refuses; -1: the threshold of each entity
    unknown: str = "exit"  # a document of which nothing can be said but names: exit (with code 5), warn or refuse

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if not (self.limit == -1 or 0 < self.limit <= 1):
            return ".limit must be above 0, and at most 1"
        return "" if self.unknown in ("exit", "warn", "refuse") else ".unknown must be exit, warn or refuse"


@dataclass(frozen=True, slots=True)
class Policy:
    """All that is protected, and how."""

    threshold: float = PRESETS["standard"][0]  # the risk that discloses an entity without one of its own
    least: float = PRESETS["strict"][0]  # the risk below which a phrase is no evidence, and not kept
    currency: str = ""  # of costs
    alerts: AlertSettings = AlertSettings()
    ledger: LedgerSettings = LedgerSettings()
    gate: GateSettings = GateSettings()
    entities: tuple[PolicyEntity, ...] = ()
    groups: tuple[Group, ...] = ()

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if not 0 < self.threshold <= 1:
            return "threshold must be above 0, and at most 1"
        return "" if 0 < self.least <= 1 else "least must be above 0, and at most 1"

    def threshold_of(self, item: PolicyEntity) -> float:
        """Return the risk from which a document discloses an entity."""
        return self.threshold if item.threshold == -1 else item.threshold

    def scored_entities(self, folder: Path) -> tuple[Entity, ...]:
        """Return the entities as texts are scored by them; their samples are files of a folder."""
        return tuple(item.entity(folder) for item in self.entities)

    def people(self) -> People:
        """Return who may know what of the entities, by their places."""
        return People.build(self.groups, tuple(item.may for item in self.entities))

    @property
    def worth_limit(self) -> float:
        """Return the worth of knowledge that is too much: that of alerts, where it is set."""
        return np.inf if self.alerts.worth == -1 else self.alerts.worth

    @property
    def highest_value(self) -> float:
        """Return what the most valuable entity is worth."""
        return max((item.value for item in self.entities), default=0.0)


def read_policy(path: str | Path) -> Policy:
    """Read a policy."""
    file = Path(path)
    if not file.exists():
        raise ConfigError(f"{file}: no such file; run: embanon leak init {file}")
    table = read_toml(file)
    _refuse_replaced(table.get("alerts"), file)
    policy: Policy = build_dataclass(Policy, validate_table(Policy, table, "", str(file)))
    for name, problem in _problems(policy):
        if problem:
            raise ConfigError(f"{file}: {name}{problem}")
    if not policy.entities:
        raise ConfigError(f"{file}: protects nothing; add an [[entities]] table")
    _refuse_mixed_scales(policy, file)
    _refuse_duplicates(policy, file)
    return replace(policy, groups=read_members(policy.groups, file.parent, str(file))) if policy.groups else policy


def _problems(policy: Policy) -> Iterator[tuple[str, str]]:
    yield "", policy.problem()
    yield "alerts", policy.alerts.problem()
    yield "ledger", policy.ledger.problem()
    yield "gate", policy.gate.problem()


def _refuse_replaced(alerts: object, file: Path) -> None:
    """Refuse settings of alerts that are no longer there, and name the one in their place."""
    for name in REPLACED_SETTINGS:
        if isinstance(alerts, dict) and name in alerts:
            raise ConfigError(
                f"{file}: alerts.{name} counted standard deviations and is no longer there; write "
                f"`false_alarms = {AlertSettings().false_alarms:g}`, which is how many of 200 users in 30 days may be "
                "named by chance"
            )


def _refuse_mixed_scales(policy: Policy, file: Path) -> None:
    """Refuse grades mixed with money: the more valuable of two would be unknown."""
    paid = [item.cost != -1 for item in policy.entities]
    if any(paid) and not all(paid):
        raise ConfigError(
            f"{file}: entities[{paid.index(True)}] has a cost, entities[{paid.index(False)}] a sensitivity; "
            "give all of them the same"
        )


def _refuse_duplicates(policy: Policy, file: Path) -> None:
    seen = dict[str, int]()
    for number, item in enumerate(policy.entities):
        first = seen.setdefault(key(item.name), number)
        if first != number:
            raise ConfigError(f"{file}: entities[{first}] and entities[{number}] have the same name; make them one")


def _read_sample(file: Path) -> str:
    try:
        if file.stat().st_size > SAMPLE_BYTES:
            raise InputError(f"{file}: a sample has more than {SAMPLE_BYTES >> 20} MB; give its telling pages")
        return file.read_bytes().decode("utf-8-sig")
    except OSError as exc:
        raise InputError(f"{file}: cannot be read ({exc.strerror}); check `sample_files`") from exc
    except UnicodeDecodeError as exc:
        raise InputError(f"{file}: byte {exc.start} is not UTF-8; save the sample as UTF-8 text") from exc


# Beginning one


def write_template(path: str | Path = FILE_NAME) -> Path:
    """Write a policy with comments to begin with, for its owner alone; what is there stays."""
    file = Path(path)
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(find_resource("examples", FILE_NAME).read_text("utf-8"))
    except FileExistsError as exc:
        raise ConfigError(f"{file}: is there already; name another file") from exc
    except OSError as exc:
        raise ConfigError(f"{file}: cannot be written ({exc.strerror})") from exc
    return file


# What is amiss with one that can be used all the same

UNSEEN_SHARE: Final = 1e-9
"""The share of a word that no table of frequencies has."""
COMMON_SHARE: Final = 0.2
"""The share of given documents from which an alias in them is one that hits everything."""
MIN_DOCUMENTS: Final = 10
"""Documents from which such a share says something."""


@dataclass(frozen=True, slots=True)
class PolicyProblem:
    """Warnings about a usable policy; names are secret, so each is identified by its place."""

    where: str
    what: str


def check_policy(policy: Policy, texts: Iterable[str] = (), language: str = "en") -> list[PolicyProblem]:
    """Find names that hit everything, names of two entities, and entities with nothing to go by.

    What hits everything is told by how frequent its words are, and by the documents that are given.
    """
    names = [
        (f"entities[{number}]{place}", key(name))
        for number, item in enumerate(policy.entities)
        for place, name in [(".name", item.name), *((f".aliases[{n}]", one) for n, one in enumerate(item.aliases))]
    ]
    problems = [*_duplicate_names(names), *_frequent_names(names, language), *_widespread_names(names, texts)]
    for number, item in enumerate(policy.entities):
        if not (item.aliases or item.description or item.samples or item.sample_files):
            problems.append(
                PolicyProblem(f"entities[{number}]", "has a name alone; add aliases, a description or samples")
            )
    may = [item.may for item in policy.entities]
    return problems + [PolicyProblem(*problem) for problem in people_problems(policy.groups, may)]


def _duplicate_names(names: Sequence[tuple[str, str]]) -> Iterator[PolicyProblem]:
    first = dict[str, str]()
    for where, name in names:
        before = first.setdefault(name, where)
        if before != where:
            same = before.partition(".")[0] == where.partition(".")[0]
            advice = "remove one" if same else "what it stands for cannot be told: remove it from one"
            yield PolicyProblem(where, f"is also {before}; {advice}")


def _frequent_names(names: Sequence[tuple[str, str]], language: str) -> Iterator[PolicyProblem]:
    """Find names that stand on many pages: by the product of the shares of their words."""
    words = [words_of(name) for _, name in names]
    frequencies = Frequencies.load(language)
    shares = np.full(sum(map(len, words)), UNSEEN_SHARE)
    if frequencies:
        known = frequencies.shares([word for some in words for word in some])
        shares = np.where(np.isnan(known), UNSEEN_SHARE, known)
    place = 0
    for (where, name), parts in zip(names, words, strict=True):
        share = float(np.prod(shares[place : place + len(parts)])) if parts else 1.0
        place += len(parts)
        if len(name.replace(" ", "")) < 2:
            yield PolicyProblem(where, "is a single character, which is everywhere; write the name out")
        elif share >= COMMON_WORD_SHARE:
            yield PolicyProblem(where, "is made of words that are everywhere; remove it, or give a longer name")


def _widespread_names(names: Sequence[tuple[str, str]], texts: Iterable[str]) -> Iterator[PolicyProblem]:
    """Find names that stand in many of the documents that are given."""
    places = defaultdict[tuple[str, ...], list[str]](list)
    for where, name in names:
        places[tuple(words_of(name))].append(where)
    lengths = sorted({len(words) for words in places if words})
    counts, documents = Counter[tuple[str, ...]](), 0
    for text in texts:
        spoken, documents = words_of(key(text)), documents + 1
        runs = (zip(*(spoken[offset:] for offset in range(length)), strict=False) for length in lengths)
        counts.update({run for some in runs for run in some if run in places})
    for run, count in counts.items():
        if documents >= MIN_DOCUMENTS and count >= COMMON_SHARE * documents:
            for where in places[run]:
                yield PolicyProblem(
                    where, f"stands in {count} of {documents} documents; remove it, or give a longer name"
                )
