"""Concepts from an endpoint of SPARQL, a batch in a query: found by their labels, and climbed a step at a time.

Each answer must hold the row that sorts last. An endpoint that gives fewer rows than it was asked for, as many
do without a word, is so found out, and asked for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final
from unicodedata import normalize

from embanon.config import SparqlSettings
from embanon.data import read_toml
from embanon.document import language_code
from embanon.errors import InputError
from embanon.io import SURROGATES
from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label
from embanon.taxonomy.sources.endpoint import Binding, Client
from embanon.taxonomy.sources.endpoint_wrapper import QueryTooLargeError

END: Final = 99
"""The number that sorts behind all of what a row can be: a label or a link, by its place in the dialect."""
MOST_ROWS: Final = 1_000_000
"""Rows of a batch."""
MAX_LABEL_LENGTH: Final = 500

INVALID_LABEL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]|\\\\[uU]")
"""What no label has. Some parsers take \\u0022 for a sign before they look for strings, so it never gets there."""
ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def concepts(client: Client, labels: Iterable[str] = (), ids: Iterable[str] = ()) -> Iterator[Concept]:
    """Return the concepts that are called so or have these ids, then what is broader, step by step, each once.

    Labels are found as they are written, in small letters and with a capital, in the languages of the settings.
    Of what is as broad as `depth` allows, the links are given and not followed.
    """
    dialect = DIALECTS[client.settings.dialect]
    level = dict.fromkeys((*_validated_ids(dialect, ids), *_ids_by_label(client, dialect, labels)))
    fetched: set[str] = set()
    for _ in range(client.settings.depth + 1):
        fetched.update(level)
        following: dict[str, None] = {}
        for concept in _fetch_concepts(client, dialect, level, len(fetched) - len(level), len(fetched)):
            yield concept
            following.update((link.id, None) for link in concept.broader if link.id not in fetched)
        level = following


def all_concepts(client: Client) -> Iterator[Concept]:
    """Return all concepts of an endpoint, which must be one of some 100,000 and not of a world."""
    dialect = DIALECTS[client.settings.dialect]
    return _fetch_concepts(client, dialect, filter(None, map(dialect.id_of, _names(client, dialect))), 0, 0)


def _validated_ids(dialect: Dialect, ids: Iterable[str]) -> Iterator[str]:
    for number, id in enumerate(ids, 1):
        iri = dialect.iri(id)
        if not iri or not (short := dialect.id_of(iri)):
            example = "Q5" if dialect.iri_prefix else "https://example.org/concept/5"
            raise InputError(f"id {number} of those asked for is none of this sparql.dialect; one is {example}")
        yield short


# From labels to ids


def _ids_by_label(client: Client, dialect: Dialect, labels: Iterable[str]) -> Iterator[str]:
    """Return the ids of what is called so."""

    def ask(batch: Sequence[str]) -> list[Binding]:
        written = " ".join(dict.fromkeys(chain(*(_literals(label, client.settings, dialect) for label in batch))))
        ways = " UNION ".join(f"{{ ?concept {path} ?value }}" for path in dialect.labels)
        where = f"{{ VALUES ?value {{ {written} }} {ways} BIND(0 AS ?what) }}"
        return _fetch_all_rows(client, "DISTINCT ?what ?concept", where, "?what ?concept", f"{len(batch)} labels")

    named = [*dict.fromkeys(filter(None, map(_normalize_label, labels)))]
    for done, batch in _batches(named, client.settings.batch):
        for row in _ask_in_halves(ask, batch):
            if "concept" in row and (id := dialect.id_of(row["concept"]["value"])):
                yield id
        client.report("labels", done, len(named))


def _normalize_label(label: str) -> str:
    """Return a label with single spaces, "" where nothing is called so."""
    label = " ".join(normalize("NFC", label).split())
    return "" if len(label) > MAX_LABEL_LENGTH or INVALID_LABEL.search(label) else label


def _literals(label: str, settings: SparqlSettings, dialect: Dialect) -> Iterator[str]:
    """Write the label in its spellings, each in each language."""
    small = label.lower()
    tags = dict.fromkeys((*(language.strip().lower() for language in settings.languages), dialect.language_tag))
    for spelling in dict.fromkeys((label, small, label[:1].upper() + label[1:], small[:1].upper() + small[1:])):
        for tag in tags:
            yield literal(spelling) + (f"@{tag.replace('_', '-')}" if tag else "")


def literal(text: str) -> str:
    """Write a text as a string of SPARQL that ends where it should."""
    return f'"{text.translate(ESCAPES)}"'


# From ids to concepts


def _fetch_concepts(
    client: Client, dialect: Dialect, ids: Iterable[str], before: int, total: int
) -> Iterator[Concept]:  # fmt: skip
    """Fetch concepts in batches, after so many before, of so many that are known of."""
    for done, batch in _batches(ids, client.settings.batch):
        yield from _fetch_batch(client, dialect, batch)
        client.report("concepts", before + done, total)


def _fetch_batch(client: Client, dialect: Dialect, batch: Sequence[str]) -> Iterator[Concept]:
    """Return those of the concepts that the endpoint knows, with their labels and one step of links."""
    kinds = (*dialect.labels, *(path for _, path in dialect.links))
    first_link = len(dialect.labels)
    spoken = " || ".join(_language_filters(client.settings))
    ways = " UNION ".join(
        f"{{ ?concept {path} ?value BIND({what} AS ?what) FILTER({spoken if what < first_link else 'isIRI(?value)'}) }}"
        for what, path in enumerate(kinds)
    )

    def ask(part: Sequence[str]) -> list[Binding]:
        named = " ".join(f"<{dialect.iri(id)}>" for id in part)
        order = '?what ?concept ?value (COALESCE(LANG(?value), ""))'
        where = f"{{ VALUES ?concept {{ {named} }} {ways} }}"
        return _fetch_all_rows(client, "DISTINCT ?what ?concept ?value", where, order, f"{len(part)} ids")

    labels: dict[str, dict[Label, None]] = {id: {} for id in batch}
    broader: dict[str, dict[Broader, None]] = {id: {} for id in batch}
    for row in _ask_in_halves(ask, batch):
        if "concept" not in row or "value" not in row or (id := dialect.id_of(row["concept"]["value"])) not in labels:
            continue
        what, value, language = int(row["what"]["value"]), row["value"]["value"], row["value"].get("xml:lang", "")
        if what < first_link:
            if text := " ".join(SURROGATES.sub("\ufffd", value).split()):
                labels[id][Label(language_code(language.lower()) or ANY_LANGUAGE, text)] = None
        elif what < len(kinds) and (other := dialect.id_of(value)) and other != id:
            broader[id][Broader(other, dialect.links[what - first_link][0])] = None
    for id in batch:
        if labels[id] or broader[id]:
            yield Concept(id, tuple(labels[id]), tuple(broader[id]))


def _language_filters(settings: SparqlSettings) -> Iterator[str]:
    """Write what the language of a label may be; one without a country is that of each."""
    for language in settings.languages:
        yield f"langMatches(LANG(?value), {literal(language.strip().replace('_', '-'))})"
    yield 'LANG(?value) = ""'
    yield f"LANG(?value) = {literal(ANY_LANGUAGE)}"


def _names(client: Client, dialect: Dialect) -> Iterator[str]:
    """Return the full names of all concepts in order, and see that they are as many as the endpoint counts."""
    count = f"{PREFIXES}SELECT (COUNT(DISTINCT ?concept) AS ?value) WHERE {{ {dialect.members} }}"
    what = "the number of its concepts"
    try:
        total = int(client.rows(count, what)[0]["value"]["value"])
    except (IndexError, KeyError, ValueError):
        raise _partial_answer(client, what, [count]) from None
    last, met, given, queries = "", set(), 0, [count]
    while True:
        after = f" FILTER(STR(?concept) > {literal(last)})" if last else ""
        query = (
            f"{PREFIXES}SELECT DISTINCT ?concept WHERE {{ {{ {dialect.members} }}{after} }} "
            f"ORDER BY STR(?concept) LIMIT {client.settings.page}"
        )
        queries.append(query)
        what = f"the names of its {total} concepts from number {given + 1}"
        page = [row["concept"]["value"] for row in client.rows(query, what) if "concept" in row]
        if not page:
            break
        last, given = page[-1], given + len(page)
        if last in met:  # it does not look at where to go on
            raise _partial_answer(client, what, queries)
        met.add(last)
        yield from page
    if given < total:
        raise _partial_answer(client, what, queries)


# Complete answers


def _fetch_all_rows(client: Client, select: str, where: str, order: str, what: str) -> list[Binding]:
    """Return all rows, page by page, up to the one that sorts last; an endpoint may give less than a page at once."""
    fetched: list[Binding] = []
    previous: list[Binding] = []
    queries: list[str] = []
    while len(fetched) <= MOST_ROWS:
        query = (
            f"{PREFIXES}SELECT {select} WHERE {{ {where} UNION {{ BIND({END} AS ?what) }} }} "
            f"ORDER BY {order} LIMIT {client.settings.page} OFFSET {len(fetched)}"
        )
        queries.append(query)
        rows = client.rows(query, what)
        if not rows or rows == previous or not all(_numbered(row) for row in rows):
            raise _partial_answer(client, what, queries)
        fetched += rows
        if fetched[-1]["what"]["value"] == str(END):
            return fetched[:-1]
        previous = rows
    raise InputError(f"{client.name}: asked for {what}, it has more than {MOST_ROWS} rows; lower sparql.batch")


def _numbered(row: Binding) -> bool:
    number = row["what"]["value"] if "what" in row else ""
    return number.isascii() and number.isdecimal() and len(number) < 9 and int(number) <= END


def _partial_answer(client: Client, what: str, queries: Iterable[str]) -> InputError:
    """Return the error, and forget the answers on disk, so that they are asked for again."""
    for query in queries:
        client.forget(query)
    return InputError(
        f"{client.name}: asked for {what}, it gives a partial answer; lower sparql.batch and sparql.page, or try later"
    )


def _ask_in_halves(ask: Callable[[Sequence[str]], list[Binding]], batch: Sequence[str]) -> list[Binding]:
    """Ask for a batch; where that is too much for the endpoint, for each half of it, and of that."""
    try:
        return ask(batch)
    except QueryTooLargeError:
        if len(batch) < 2:
            raise
    middle = len(batch) // 2
    return [*_ask_in_halves(ask, batch[:middle]), *_ask_in_halves(ask, batch[middle:])]


def _batches(items: Iterable[str], size: int) -> Iterator[tuple[int, Sequence[str]]]:
    """Return batches, each with how many items there are up to its end."""
    rest, done = iter(items), 0
    while batch := tuple(islice(rest, size)):
        yield (done := done + len(batch)), batch


TABLE: Final = read_toml("ontologies", "sources", "sparql.toml")
PREFIXES: Final = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in TABLE["prefixes"].items())
META_VOCABULARIES: Final = tuple(TABLE["meta"])
"""What begins so describes how concepts are written, and is none."""

IRI: Final = re.compile('[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f-\x9f<>"{}|^`\\\\\ud800-\udfff]+')


@dataclass(frozen=True, slots=True)
class Dialect:
    """How concepts are written: `labels` the first of which is shown, `links` each with its path, `members` all."""

    labels: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    members: str
    language_tag: str
    """The language of labels that are the same in all."""
    iri_prefix: str = ""
    id_pattern: re.Pattern[str] = re.compile("(?!)")
    """What the id of a concept looks like that is written behind the prefix."""

    def iri(self, id: str) -> str:
        """Return the full name of a concept, "" where the id is none."""
        if self.id_pattern.fullmatch(id):
            return self.iri_prefix + id
        return id if IRI.fullmatch(id) else ""

    def id_of(self, iri: str) -> str:
        """Return the id of a concept by its full name, "" where that names none."""
        if self.iri_prefix:
            id = iri.removeprefix(self.iri_prefix)
            return id if id != iri and self.id_pattern.fullmatch(id) else ""
        return iri if IRI.fullmatch(iri) and not iri.startswith(META_VOCABULARIES) else ""


def _dialect(labels: Sequence[str], links: Mapping[str, str], id_pattern: str = "(?!)", **row: str) -> Dialect:
    return Dialect(tuple(labels), tuple(links.items()), id_pattern=re.compile(id_pattern), **row)


DIALECTS: Final = {name: _dialect(**row) for name, row in TABLE["dialects"].items()}
"""Name -> how its concepts are written."""
