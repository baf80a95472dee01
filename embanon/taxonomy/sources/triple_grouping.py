"""Group triples into concepts, as far as those of a subject are close together in the file.

So many subjects are held at once; the oldest are given first when there are more. What is said of one of them later
is given as a further concept of the same id, whose labels and links add up.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from urllib.parse import unquote

from embanon.document import TYPES
from embanon.taxonomy import vocabulary as words
from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label, clean_label
from embanon.taxonomy.sources.ntriples import Triple

MAX_SUBJECTS: Final = 100_000
"""Subjects, and restrictions of OWL, that are held at once."""
DIRECT, GENERAL, TRANSITIVE = range(3)
"""How a link is said: by a word for its kind; by one of which another may say the kind; to all that is above."""
LINK_STRENGTHS: Final = {
    **{words.expand(f"skos:{name}"): GENERAL for name in ("broader", "narrower", "broadMatch", "narrowMatch")},
    **{words.expand(f"skos:{name}Transitive"): TRANSITIVE for name in ("broader", "narrower")},
}
NON_CONCEPT_PREFIXES: Final = ("_:", *words.META)
"""How nodes begin that are no concepts."""
MARKUP: Final = (f"{words.RDF}HTML", f"{words.RDF}XMLLiteral")
UNKNOWN_LANGUAGES: Final = frozenset(("und", "mul", "zxx", "mis", "i", "x"))


@dataclass(slots=True)
class _Subject:
    """What is known of a subject so far."""

    labels: dict[tuple[str, str], tuple[int, bool]] = field(default_factory=dict)
    counts: dict[tuple[str, str], float] = field(default_factory=dict)
    links: dict[tuple[str, str], int] = field(default_factory=dict)
    type: str = ""
    weight: float = 0.0
    hidden: bool = False


@dataclass(slots=True)
class _Restriction:
    """A class without a name: all that has a link to something."""

    link: str | None = None
    target: str | None = None
    subjects: list[str] = field(default_factory=list)


class Gatherer:
    """Concepts out of triples, in bounded memory.

    Labels whose language is not said are of `language`. Of the others only those of `languages` are kept, if given.
    """

    def __init__(
        self, language: str = ANY_LANGUAGE, languages: Collection[str] | None = None, held: int = MAX_SUBJECTS
    ) -> None:
        self._language, self._languages, self._max_subjects = language, languages, held
        self._entries: dict[str, _Subject] = {}
        self._restrictions: dict[str, _Restriction] = {}
        self._excluded: set[str] = set()
        self._links, self._inverted, self._labels = dict(words.LINKS), dict(words.INVERTED), dict(words.LABELS)
        self.labeled_count = 0
        """Concepts with labels that were given."""

    def concepts(self, triples: Iterable[Triple]) -> Iterator[Concept]:
        """Return the concepts of triples."""
        for triple in triples:
            self._add_triple(triple)
            if len(self._entries) > self._max_subjects:
                yield from self._pop_concepts(self._max_subjects // 2 + 1)
        yield from self._pop_concepts(len(self._entries))

    def _add_triple(self, triple: Triple) -> None:
        subject, predicate, value, language, _ = triple
        if language is not None:
            if predicate in self._labels:
                self._label(triple)
            elif predicate.startswith(words.OURS):
                self._add_annotation(triple)
            elif predicate == words.DEPRECATED and value in ("true", "1"):
                self._excluded.add(subject)
        elif predicate == words.TYPE and value in words.NO_CONCEPTS:
            self._excluded.add(subject)
        elif predicate in self._links:
            if value.startswith("_:") and predicate == words.SUBCLASS:
                self._restriction(value).subjects.append(subject)
                self._resolve(value)
            else:
                self._link(subject, value, self._links[predicate], LINK_STRENGTHS.get(predicate, DIRECT))
        elif predicate in self._inverted:
            self._link(value, subject, self._inverted[predicate], LINK_STRENGTHS.get(predicate, DIRECT))
        elif predicate == words.SUBPROPERTY:
            self._add_subproperty(subject, value)
        elif predicate == words.ON_PROPERTY:
            self._restriction(subject).link = self._links.get(value, "")
            self._resolve(subject)
        elif predicate == words.SOME:
            self._restriction(subject).target = value
            self._resolve(subject)

    def _entry(self, id: str) -> _Subject:
        entry = self._entries.get(id)
        if entry is None:
            entry = self._entries[id] = _Subject()
        return entry

    def _label(self, triple: Triple) -> None:
        if triple.subject.startswith(NON_CONCEPT_PREFIXES) or triple.datatype in MARKUP:
            return
        language, region = self._language_of(triple.language or "")
        if self._languages is not None and language not in self._languages and language != ANY_LANGUAGE:
            return
        if text := clean_label(triple.value):
            labels = self._entry(triple.subject).labels
            rank = (self._labels[triple.predicate], region)
            labels[language, text] = min(rank, labels.get((language, text), rank))

    def _language_of(self, tag: str) -> tuple[str, bool]:
        """Return the code of a language tag, and whether it names a region: `en-US` is `en`."""
        if not tag:
            return self._language, False
        code, _, rest = tag.lower().partition("-")
        return (ANY_LANGUAGE if code in UNKNOWN_LANGUAGES else words.TABLE["languages"].get(code, code)), bool(rest)

    def _add_annotation(self, triple: Triple) -> None:
        entry = self._entry(triple.subject)
        if triple.predicate == words.OUR_TYPE and triple.value in TYPES:
            entry.type = triple.value
        elif triple.predicate == words.OUR_HIDDEN:
            entry.hidden = triple.value == "true"
        elif triple.predicate == words.OUR_WEIGHT:
            entry.weight = _number(triple.value)
        elif triple.predicate == words.OUR_COUNT:
            number, _, text = triple.value.partition(" ")
            if label := clean_label(text):
                entry.counts[self._language_of(triple.language or "")[0], label] = _number(number)

    def _link(self, narrow: str, broad: str, link: str, how: int) -> None:
        # Nodes without a name are no concepts, and nothing is broader than itself.
        if narrow == broad or narrow.startswith(NON_CONCEPT_PREFIXES) or broad.startswith(NON_CONCEPT_PREFIXES):
            return
        links = self._entry(narrow).links
        links[broad, link] = min(how, links.get((broad, link), how))

    def _add_subproperty(self, narrow: str, broad: str) -> None:
        """Take a property for what the one is that it is declared to be a kind of."""
        for known in (self._links, self._inverted, self._labels):
            if broad in known and not narrow.startswith(words.META):
                known.setdefault(narrow, known[broad])  # type: ignore[arg-type]

    def _restriction(self, node: str) -> _Restriction:
        restriction = self._restrictions.get(node)
        if restriction is None:
            # Many at once: to find the oldest of a dictionary is slow where many before it are gone.
            if len(self._restrictions) > self._max_subjects:
                for old in list(islice(self._restrictions, self._max_subjects // 2 + 1)):
                    del self._restrictions[old]
            restriction = self._restrictions[node] = _Restriction()
        return restriction

    def _resolve(self, node: str) -> None:
        restriction = self._restrictions[node]
        if restriction.link == "":  # a property that is none of ours
            restriction.subjects.clear()
        elif restriction.link and restriction.target:
            for subject in restriction.subjects:
                self._link(subject, restriction.target, restriction.link, DIRECT)
            restriction.subjects.clear()

    def _pop_concepts(self, count: int) -> Iterator[Concept]:
        for id in list(islice(self._entries, count)):
            entry = self._entries.pop(id)
            if id not in self._excluded and (entry.labels or entry.links):
                self.labeled_count += bool(entry.labels)
                yield _concept(id, entry)


def _concept(id: str, entry: _Subject) -> Concept:
    languages: dict[str, int] = {}
    for language, _ in entry.labels:
        languages.setdefault(language, len(languages))
    names = sorted(entry.labels, key=lambda label: (languages[label[0]], entry.labels[label]))
    labels = tuple(Label(language, text, entry.counts.get((language, text), 0.0)) for language, text in names)
    links = tuple(Broader(concept_id(broad), link) for broad, link in _strongest(entry.links))
    return Concept(concept_id(id), labels, links, entry.type, entry.weight, entry.hidden)


def _strongest(links: dict[tuple[str, str], int]) -> list[tuple[str, str]]:
    """Leave out what another link says better: `broader` beside `part of`, and all that is above the nearest."""
    if TRANSITIVE in links.values():
        near = {link: how for link, how in links.items() if how < TRANSITIVE}
        links = near or links
    known = {broad for (broad, _), how in links.items() if how == DIRECT}
    return [(broad, link) for (broad, link), how in links.items() if how != GENERAL or broad not in known]


def concept_id(iri: str) -> str:
    """Return the id that an IRI stands for: itself, but for what we wrote."""
    return unquote(iri[len(words.IDS) :], errors="surrogatepass") if iri.startswith(words.IDS) else iri


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0
