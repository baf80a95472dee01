"""May somebody open this? What a document discloses, whether they may know it, and what they would learn by it.

Of an entity with `may`, the policy says who may know it, wherever a document lies. Of one without, documents where it
may be mentioned, by folder or label, are open to all, and others to none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from embanon.document import Document
from embanon.errors import InputError
from embanon.leak.answers import Answer, EntityAnswer, explain_permission
from embanon.leak.ledger.adoption import entity_numbers, ledger_windows
from embanon.leak.ledger.knowledge import counting_facts, parse_facts
from embanon.leak.ledger.permissions import Windows, is_allowed, parse_windows, windows_in_force
from embanon.leak.ledger.records import DAY_MILLISECONDS, MENTION, MOSTLY_UNKNOWN
from embanon.leak.ledger.report import find_user_ids
from embanon.leak.ledger.schema import DISCLOSURES, DOCUMENTS, HEAD, LEARNED, PERMISSIONS, USERS, VERSIONS, sql
from embanon.leak.ledger.store import Ledger
from embanon.leak.misuse import FACT, Facts, KnownPhrases
from embanon.leak.people import Grant, People
from embanon.leak.policy import Policy

if TYPE_CHECKING:  # what the ledger knows is answered without what assesses texts
    from embanon.leak.assessor import Assessment, Assessor

MAX_USERS: Final = 64
"""Users of whom everything that they know is kept from one question to the next."""
UNKNOWN_WORDS: Final = "too little is known of its words to say what it hints at"
HIGHEST_NUMBER: Final = (1 << 32) - 1
"""From which entities are numbered down that no scan has looked for."""


@dataclass(frozen=True, slots=True)
class _Disclosure:
    """An entity that a document tells of, by its place in the policy."""

    risk: float
    allowed: bool


@dataclass(frozen=True, slots=True)
class _Content:
    """What is in a document."""

    name: str
    disclosed: Mapping[int, _Disclosure] = field(repr=False)
    facts: Facts = field(repr=False)
    problems: tuple[str, ...] = ()
    from_ledger: bool = True


@dataclass(frozen=True, slots=True)
class _Reader:
    """Who asks: what they may know, and what they know by now."""

    grants: tuple[Grant, ...]
    windows: Windows = field(repr=False)
    known: KnownPhrases = field(repr=False)
    counting: KnownPhrases = field(repr=False)
    is_new: bool


@dataclass(slots=True, eq=False)
class Clearance:
    """Answers whether users may open documents, by a policy and a ledger; kept open for many questions."""

    ledger: Ledger
    policy: Policy = field(repr=False)
    open_assessor: Callable[[], Assessor] | None = field(default=None, repr=False)
    """Opens what assesses documents that the ledger does not know, once one is asked for."""
    _people: People = field(init=False, repr=False)
    _assessor: Assessor | None = field(default=None, init=False, repr=False)
    _batch: int = field(default=-1, init=False, repr=False)
    """Of the ledger, by which what follows was read."""
    _numbers: dict[int, int] = field(default_factory=dict, init=False, repr=False)
    _readers: dict[tuple[str, int], _Reader] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._people = self.policy.people()

    def ask(self, user: str, document: str, day: int | None = None) -> Answer | None:
        """Return whether a user may open a document of the ledger, today or on a day; nothing where it has none."""
        with self.ledger.reading() as connection:
            self._refresh(connection)
            content = self._scanned(connection, document)
            return None if content is None else self._answer(connection, user, content, day)

    def ask_text(
        self, user: str, document: Document, path: str = "", *, labels: Sequence[str] = (), outside: str = "",
        omitted: Sequence[str] = (), day: int | None = None,
    ) -> Answer:  # fmt: skip
        """Return whether a user may open a text of a file, with what stands outside of it or cannot be read of it."""
        assessments = self._assess(document, outside)
        with self.ledger.reading() as connection:
            self._refresh(connection)
            content = self._assessed(document.id, assessments, path, labels, omitted)
            return self._answer(connection, user, content, day)

    def _refresh(self, connection: sql.Connection) -> None:
        """Forget what was read before somebody wrote to the ledger."""
        batch = connection.execute(LAST_BATCH).scalar()
        if batch != self._batch:
            self._batch, self._readers = int(batch or 0), {}
            self._numbers = entity_numbers(self.ledger, connection, self.policy)

    # What is in a document

    def _scanned(self, connection: sql.Connection, name: str) -> _Content | None:
        keyed = self.ledger.secrets.hash_name("document", name)
        row = connection.execute(DOCUMENT, {"its": keyed}).first()
        if row is None or row.content is None:
            return None
        places = {number: place for place, number in self._numbers.items()}
        disclosed = {
            places[entity]: _Disclosure(risk, bool(allowed))
            for entity, risk, allowed in connection.execute(DISCLOSED, {"its": row.id})
            if entity in places
        }
        mentions = np.frombuffer(row.mentions, MENTION)
        facts = np.zeros(len(mentions), FACT)
        for column in ("entity", "phrase", "risk"):
            facts[column] = mentions[column]
        problems = [UNKNOWN_WORDS] if row.unknown == MOSTLY_UNKNOWN else []
        unseen = [f"e{place + 1}" for place in range(len(self.policy.entities)) if place not in self._numbers]
        problems += [f"no scan has looked for {', '.join(unseen)}; run: embanon leak scan"] if unseen else []
        return _Content(name, disclosed, facts[np.isin(facts["entity"], list(places))], tuple(problems))

    def _assess(self, document: Document, outside: str) -> list[Assessment]:
        """Return what a text discloses, and what is named outside of it."""
        if self._assessor is None:
            if self.open_assessor is None:
                raise InputError(f"{document.id}: is not in the ledger; run: embanon leak scan")
            self._assessor = self.open_assessor()
        beside = [Document(document.id, outside, document.language)] if outside.strip() else []
        return [*self._assessor.assess([document]), *self._assessor.assess(beside, names_alone=True)]

    def _assessed(
        self, name: str, assessments: Sequence[Assessment], path: str, labels: Sequence[str], omitted: Sequence[str]
    ) -> _Content:
        where, disclosed, facts = PurePath(path).as_posix() if path else "", dict[int, _Disclosure](), []
        for place, disclosure in (told for assessed in assessments for told in assessed.disclosed):
            allowed = self.policy.entities[place].allows(where, labels)
            risk = max(disclosure.risk, disclosed[place].risk if place in disclosed else 0.0)
            disclosed[place] = _Disclosure(risk, allowed)
            for phrase in disclosure.phrases:
                hashed = self.ledger.secrets.hash_phrase(str(phrase.phrase))
                facts.append((self._number(place), 0, hashed, phrase.risk, 0))
        problems = [f"cannot be read in full: {'; '.join(omitted)}"] if omitted else []
        problems += [UNKNOWN_WORDS] if assessments[0].unknown == MOSTLY_UNKNOWN else []
        return _Content(name, disclosed, np.array(facts, FACT), tuple(problems), False)

    def _number(self, place: int) -> int:
        """Return the number of an entity in the ledger; of one that it does not know, one that it never gives."""
        return self._numbers.get(place, HIGHEST_NUMBER - place)

    # Who asks

    def _reader(self, connection: sql.Connection, user: str, today: int) -> _Reader:
        """Return what somebody knows; that of the last ones who asked is kept."""
        reader = self._readers.pop((user, today), None) or self._read_user(connection, user, today)
        self._readers[user, today] = reader
        while len(self._readers) > MAX_USERS:
            self._readers.pop(next(iter(self._readers)))
        return reader

    def _read_user(self, connection: sql.Connection, user: str, today: int) -> _Reader:
        ids = find_user_ids(self.ledger, connection, user)
        keyed = self.ledger.secrets.hash_user(user)
        grants = self._people.grants_of(user)
        if ids and not grants:  # they may be named by their pseudonym
            keyed = connection.execute(sql.select(USERS.c.keyed).where(USERS.c.id == ids[0])).scalar() or keyed
            hashes = ((self.ledger.secrets.hash_user(name), name) for name in self._people.grants)
            grants = next((self._people.grants[name] for hash, name in hashes if hash == keyed), ())
        before = connection.execute(PERMITTED, {"its": keyed}).scalar() or b""
        given = ledger_windows(grants, {place: self._number(place) for place in range(len(self.policy.entities))})
        windows = parse_windows(windows_in_force(given, before, today))
        blobs = connection.execute(sql.select(LEARNED.c.facts).where(LEARNED.c.user == ids[0])) if ids else ()
        facts = parse_facts(b"".join(blob for (blob,) in blobs))
        counting = KnownPhrases.from_facts(counting_facts(facts, windows))
        return _Reader(grants, windows, KnownPhrases.from_facts(facts), counting, not ids)

    # What is said

    def _answer(self, connection: sql.Connection, user: str, content: _Content, day: int | None) -> Answer:
        today = self.ledger.clock() // DAY_MILLISECONDS
        day = today if day is None else day
        reader, facts = self._reader(connection, user, today), content.facts.copy()
        facts["day"] = day
        values = {self._number(place): item.value for place, item in enumerate(self.policy.entities)}
        known = reader.known.known(), reader.known.known(KnownPhrases.from_facts(facts))
        new = KnownPhrases.from_facts(facts[~is_allowed(facts, reader.windows)])
        counted = reader.counting.known(), reader.counting.known(new)
        worths = [{one: values.get(one, 0.0) * share for one, share in shares.items()} for shares in counted]
        answers = [
            self._entity_answer(reader, place, disclosure, day, known, worths)
            for place, disclosure in content.disclosed.items()
        ]
        costs = {one.entity: one.risk * self.policy.entities[int(one.entity[1:]) - 1].value for one in answers}
        return Answer(
            content.name, day, tuple(sorted(answers, key=lambda one: (-costs[one.entity], int(one.entity[1:])))),
            _pair(max(worth.values(), default=0.0) for worth in worths), _pair(sum(worth.values()) for worth in worths),
            self.policy.worth_limit,
            reader.is_new, content.from_ledger, content.problems,
        )  # fmt: skip

    def _entity_answer(
        self, reader: _Reader, place: int, disclosure: _Disclosure, day: int,
        known: Iterable[Mapping[int, float]], worths: Iterable[Mapping[int, float]],
    ) -> EntityAnswer:  # fmt: skip
        item, number = self.policy.entities[place], self._number(place)
        if item.may:
            may, why = explain_permission([grant for grant in reader.grants if grant.entity == place], day)
        else:
            may = disclosure.allowed
            why = "lies where it may be mentioned" if may else "lies where it may not be mentioned"
        return EntityAnswer(
            f"e{place + 1}", disclosure.risk, self.policy.threshold_of(item), may, why,
            _pair(share.get(number, 0.0) for share in known), _pair(share.get(number, 0.0) for share in worths),
            item.name,
        )  # fmt: skip


def may(
    ledger: Ledger, policy: Policy, user: str, documents: Iterable[str], day: int | None = None
) -> list[Answer]:  # fmt: skip
    """Return whether a user may open documents of a ledger, today or on a day."""
    clearance, answers = Clearance(ledger, policy), list[Answer]()
    for document in documents:
        answer = clearance.ask(user, document, day)
        if answer is None:
            raise InputError(f"{document}: is not in the ledger; run: embanon leak scan")
        answers.append(answer)
    return answers


def _pair(values: Iterable[float]) -> tuple[float, float]:
    before, after = values
    return before, after


LAST_BATCH: Final = sql.select(HEAD.c.batch)
ITS: Final[sql.BindParameter[Any]] = sql.bindparam("its")
DOCUMENT: Final = (
    sql.select(VERSIONS.c.id, VERSIONS.c.content, VERSIONS.c.unknown, VERSIONS.c.mentions)
    .join(DOCUMENTS, DOCUMENTS.c.version == VERSIONS.c.id)
    .where(DOCUMENTS.c.keyed == ITS)
)
DISCLOSED: Final = sql.select(DISCLOSURES.c.entity, DISCLOSURES.c.risk, DISCLOSURES.c.allowed).where(
    DISCLOSURES.c.version == ITS
)
PERMITTED: Final = (
    sql.select(PERMISSIONS.c.windows).where(PERMISSIONS.c.keyed == ITS).order_by(PERMISSIONS.c.id.desc()).limit(1)
)
