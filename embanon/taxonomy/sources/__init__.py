"""The sources of taxonomies: a table of their kinds, recognized by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embanon.config import SparqlSettings
from embanon.errors import ConfigError, InputError
from embanon.taxonomy.concept import ANY_LANGUAGE, Concept
from embanon.taxonomy.sources.rdf import FORMATS

if TYPE_CHECKING:
    from embanon.taxonomy.sources.wikidata import Dump
    from embanon.taxonomy.spool import Progress

KINDS_BY_ENDING: Final = {
    "csv": "table", "tsv": "table", "csv.gz": "table", "tsv.gz": "table",
    "json.gz": "wikidata", "json.bz2": "wikidata", "nt.bz2": "wikidata", "tsv.bz2": "wikidata",
}  # fmt: skip
"""How a name ends -> the kind of source; RDF knows its own endings."""


def _rdf(paths: Sequence[str], languages: Sequence[str], format: str | None = None) -> Iterator[Concept]:
    from embanon.taxonomy.sources import rdf

    kept = {*languages, ANY_LANGUAGE} if languages else None
    return chain.from_iterable(rdf.concepts(path, format, languages=kept) for path in paths)


def _table(paths: Sequence[str], languages: Sequence[str]) -> Iterator[Concept]:
    from embanon.taxonomy.sources import hierarchy

    return hierarchy.concepts(paths, languages)


def _wikidata(paths: Sequence[str], languages: Sequence[str]) -> Iterator[Concept]:
    return chain.from_iterable(open_dump(path, languages) for path in paths)


def _taxonomy(paths: Sequence[str], languages: Sequence[str]) -> Iterator[Concept]:
    from embanon.taxonomy.store import Store

    kept = {*languages, ANY_LANGUAGE}
    for path in paths:
        store = Store.open(path)
        if languages and not kept.intersection(store.languages):
            raise InputError(f"{path}: has no label in {', '.join(languages)}; it has {', '.join(store.languages)}")
        for concept in store.concepts():
            labels = tuple(label for label in concept.labels if not languages or label.language in kept)
            yield replace(concept, labels=labels)


def _rf2(paths: Sequence[str], languages: Sequence[str]) -> Iterator[Concept]:
    from embanon.taxonomy.sources import rf2

    return rf2.concepts(paths, languages)


def _icd10(paths: Sequence[str], languages: Sequence[str]) -> Iterator[Concept]:
    from embanon.taxonomy.sources import icd10

    return icd10.concepts(paths, languages)


def _nltk(paths: Sequence[str], languages: Sequence[str]) -> Iterator[Concept]:
    from embanon.taxonomy.sources import nltk_wordnet

    return chain.from_iterable(nltk_wordnet.concepts(path, languages) for path in paths)


READERS: Final[dict[str, Callable[[Sequence[str], Sequence[str]], Iterator[Concept]]]] = {
    "rdf": _rdf, "table": _table, "wikidata": _wikidata, "taxonomy": _taxonomy, "nltk": _nltk,
    "rf2": _rf2, "icd10": _icd10,
    **{format: partial(_rdf, format=format) for format in FORMATS},
}  # fmt: skip
"""Kind of source -> what reads it; of RDF also by its format, where no name says it. Of `sparql` see below."""
KINDS: Final = (*READERS, "sparql")


def read_concepts(paths: Sequence[str], kind: str | None = None, languages: Sequence[str] = ()) -> Iterator[Concept]:
    """Return the concepts of files, whose kind is what their names say unless named."""
    for each, together in groupby(paths, lambda path: kind or source_kind(path)):
        yield from READERS[each](list(together), languages)


def kinds_of(paths: Sequence[str], kind: str | None = None) -> tuple[str, ...]:
    """Return the kinds of sources; of taxonomies those that they were made of."""
    from embanon.taxonomy.store import Store

    kinds = list[str]()
    for path in paths:
        each = kind or source_kind(path)
        known = Store.open(path).card.get("kinds") if each == "taxonomy" else [each]
        kinds += map(str, known if isinstance(known, list) else ())
    return tuple(dict.fromkeys(kinds))


def needed_concepts(
    paths: Sequence[str], labels: Iterable[str], languages: Sequence[str], folder: Path, report: Progress
) -> Iterator[Concept]:
    """Return what dumps of Wikidata have of labels, and all above; `folder` is where links are kept meanwhile."""
    from embanon.taxonomy.sources import wikidata_part

    return wikidata_part.needed_concepts(paths, labels, languages, folder, report)


def open_dump(path: str, languages: Sequence[str], start: int = 0) -> Dump:
    """Open a dump of Wikidata that tells how far it is read."""
    from embanon.taxonomy.sources import wikidata
    from embanon.taxonomy.sources.wikidata_items import DEFAULT_FILTER, ItemFilter

    return wikidata.Dump(path, ItemFilter(languages=tuple(languages)) if languages else DEFAULT_FILTER, start=start)


def endpoint_concepts(
    settings: SparqlSettings, labels: Iterable[str] | None = None, report: Progress | None = None
) -> Iterator[Concept]:  # fmt: skip
    """Return the concepts of the endpoint that the settings name: those of some labels and all above them, or all.

    They are asked for in batches, and what is above is asked for once, however many labels are below. With
    `sparql.cache`, what was answered is not asked again: a work that broke off goes on with the same labels.
    """
    from embanon.taxonomy.sources import sparql
    from embanon.taxonomy.sources.endpoint import Client

    client = Client(settings, report=report or (lambda *_: None))
    return sparql.all_concepts(client) if labels is None else sparql.concepts(client, labels)


def forget_answers(folder: Path) -> None:
    """Remove the answers that `sparql.cache` keeps in a folder, and the folder where nothing else is in it."""
    from embanon.taxonomy.sources import answer_cache

    answer_cache.clear(folder)


def source_kind(path: str) -> str:
    """Return the kind of source that a name says."""
    from embanon.taxonomy.sources import rdf

    name = path.lower()
    if (Path(path) / "taxonomy.toml").is_file():
        return "taxonomy"
    if kind_by_name := next((kind for ending, kind in KINDS_BY_ENDING.items() if name.endswith(f".{ending}")), None):
        return kind_by_name
    if rdf.format_of(path):
        return "rdf"
    raise ConfigError(f"{path}: its name does not say what it is; name it: --kind {', '.join(READERS)}")
