"""`embanon ontology`: compile, show and climb taxonomies."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from embanon.cli.missing import labels_for, list_missing
from embanon.cli.options import CONFIG_HELP, add_input_options
from embanon.cli.output import show_card, show_whole
from embanon.cli.parser import add_actions, run_action
from embanon.config import Config, SparqlSettings, load
from embanon.document import FORMS, TYPES, Document
from embanon.errors import ConfigError, DecodingError, OutputError
from embanon.io import STDIN, ProgressLine, as_json, format_table, say, standard_input, write
from embanon.storage import TAXONOMY, check_target, locked
from embanon.taxonomy import (
    ANY_LANGUAGE,
    COMPUTED,
    MAX_INDEXED,
    PERSON,
    SHIPPED,
    Climber,
    Concept,
    Ladder,
    Store,
    climber,
    sources,
    taxonomy_folder,
)
from embanon.text import find_phrases

EXAMPLE: Final = """\
A source is RDF (SKOS, OWL, RDFS in Turtle, RDF/XML, N-Triples, JSON-LD), a table with a column for each level
(specific, broader, broader still), a dump of Wikidata (JSON, N-Triples, KGTK), another taxonomy, or with --kind nltk a
WordNet that NLTK has on this machine, by its name (wordnet, omw-1.4:fr), folder or zip.

examples:
  embanon ontology climb 'breast cancer' --explain
  embanon ontology build mesh.nt.gz -o mesh.taxonomy
  embanon ontology add mesh.taxonomy company-terms.csv
  embanon ontology labels letters/
  embanon ontology build latest-all.json.gz --for letters/ -o wikidata.taxonomy
  bzcat latest-all.json.bz2 | embanon ontology build - --kind wikidata -o wikidata.taxonomy
  embanon ontology build --kind nltk wordnet --languages en,fr -o wordnet-fr.taxonomy
  embanon ontology list
"""
COMPILED_KEYS: Final = frozenset(
    ("concepts", "labels", "links", "dropped", "languages", "versions", "format", "files", "license", "refined")
)
"""Keys of the card that compiling writes; all others are kept when a taxonomy grows."""
STORE_HELP: Final = f"Taxonomy folder, or a shipped one: {', '.join(SHIPPED)}."

run = run_action


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions, each with its options."""
    action = add_actions(parser)

    def reading(add: Callable[..., Any]) -> None:
        add("--kind", choices=sources.KINDS, help="Kind of the sources. [default: by their names]")
        add("--languages", default="", metavar="CODES",
            help="Languages of the labels to keep, as en,de; of tables, of all labels.")  # fmt: skip
        add("--label", action="append", default=[], metavar="TEXT",
            help="With --kind sparql: keep only this label and what is above it; - for lines of standard input. "
            "Repeatable.")  # fmt: skip
        add("--for", action="append", default=[], dest="collection", metavar="TEXTS",
            help="Take only what these texts need: their phrases that have no ladder yet, and what is above them; of "
            "dumps of Wikidata, or with --kind sparql. Files or folders. Repeatable.")  # fmt: skip
        add("--license", metavar="TEXT", default="", help="License of the sources, for the card.")
        add("--config", metavar="FILE", help=CONFIG_HELP)
        add("--quiet", action="store_true", help="Show no progress.")

    add = action("build", _build, "Compile sources into a taxonomy; the sources are not changed.")
    add("sources", nargs="*", metavar="SOURCE", help="Files; - for standard input (with --kind).")
    add("-o", "--output", metavar="STORE", required=True, help="Folder to write.")
    reading(add)
    add("--resume", action="store_true", help="Continue an interrupted build, of one dump of Wikidata or an endpoint.")
    add("--estimate", action="store_true", help="Only estimate the size of the taxonomy, of one dump of Wikidata.")
    add = action("add", _add, "Compile further sources into a taxonomy, which is changed.")
    add("store", metavar="STORE", help="Taxonomy folder that grows.")
    add("sources", nargs="*", metavar="SOURCE", help="Files; - for standard input (with --kind).")
    reading(add)
    add = action("labels", list_missing, "List the phrases of texts that have no ladder yet, the most frequent first.")
    add_input_options(add)
    add("--store", action="append", default=[], metavar="STORE", help=f"{STORE_HELP} In order, repeatable.")
    add("--json", action="store_true", help="Write a JSON object a line, with the forms that a taxonomy may have.")
    action("list", _list, "List the shipped taxonomies.")
    add = action("info", _info, "Show what a taxonomy is and has.")
    add("store", metavar="STORE", help=STORE_HELP)
    add("--json", action="store_true", help="Write JSON.")
    add = action("verify", _verify, "Check that no byte of a taxonomy has changed.")
    add("store", metavar="STORE", help=STORE_HELP)
    add = action("export", _export, "Write a taxonomy as SKOS to standard output.")
    add("store", metavar="STORE", help=STORE_HELP)
    add("--format", choices=("turtle", "ntriples"), default="turtle", help="Format to write. [default: turtle]")
    add = action("climb", _climb, "List the generalizations of a phrase, the most specific first.")
    add("phrase", metavar="PHRASE",
        help="Phrase to climb, or - for lines of standard input. Command lines reach process lists.")  # fmt: skip
    add("--store", action="append", default=[], metavar="STORE", help=f"{STORE_HELP} In order, repeatable.")
    add("--language", default="en", metavar="CODE", help="Language of the phrase. [default: en]")
    add("--type", choices=TYPES, default="", help="Type of the phrase. [default: what it seems to be]")
    add("--form", choices=FORMS, help="Form of the phrase. [default: name, if it has a capital]")
    add("--explain", action="store_true",
        help="Show which entry decided, and of each the source, the reason, and the share of information that is kept."
        )  # fmt: skip
    add("--json", action="store_true", help="Write JSON.")


def _build(options: argparse.Namespace) -> int:
    if options.estimate or (options.resume and options.kind != "sparql"):
        if options.collection:
            raise ConfigError("--for takes a part of a dump, which --resume and --estimate do not; leave out either")
        _build_from_dump(options)
        return 0
    target = Path(options.output)
    check_target(target, TAXONOMY)
    answers = target.absolute().with_name(f"{target.name}.answers") if options.resume else None
    _compile(options, target, (), {"license": options.license, "kinds": _kinds(options)}, answers)
    return 0


def _build_from_dump(options: argparse.Namespace) -> None:
    """Estimate the size of a dump, or build from it in a way that can be resumed."""
    from embanon.taxonomy import SpoolState, build, unfinished_folder
    from embanon.taxonomy.sources import wikidata

    if len(options.sources) != 1 or (options.kind or sources.source_kind(options.sources[0])) != "wikidata":
        raise ConfigError(
            "--resume and --estimate go with one dump of Wikidata (name it, with --kind wikidata), "
            "and --resume with --kind sparql"
        )
    [path], target, languages = options.sources, Path(options.output), _languages(options)
    if options.estimate:
        choice = wikidata.ItemFilter(languages=languages) if languages else wikidata.DEFAULT_FILTER
        estimate = wikidata.estimate(path, choice)
        write(
            f"{path}: about {estimate.concepts:,} concepts, {estimate.labels:,} labels, {estimate.links:,} links, "
            f"{estimate.bytes / 1e6:,.0f} MB, from {estimate.share:.1%} of it\n"
        )
        return
    check_target(target, TAXONOMY)
    size = Path(path).stat().st_size if path != "-" and Path(path).is_file() else ""
    state = SpoolState.read(unfinished_folder(target), as_json([path, size, languages]))
    if state.position:
        say(f"note: goes on behind {state.done:,} concepts that an earlier build has read")
    with sources.open_dump(path, languages, state.position) as dump:
        _run_build(options, target, lambda line: build(
            dump, target, {"license": options.license, "kinds": ["wikidata"]}, line, state, lambda: dump.offset
        ))  # fmt: skip


def _languages(options: argparse.Namespace) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, options.languages.split(","))))


def _add(options: argparse.Namespace) -> int:
    with locked(Path(options.store)):  # who adds at the same time adds to what this one has written
        store = Store.open(options.store)
        card = {key: value for key, value in store.card.items() if key not in COMPILED_KEYS}
        licenses = dict.fromkeys(filter(None, (store.card.get("license", ""), options.license)))
        kinds = list(dict.fromkeys((*card.get("kinds", ()), *_kinds(options))))
        card |= {"license": "; ".join(licenses), "kinds": kinds}
        _compile(options, Path(options.store), store.concepts(), card)
    return 0


def _kinds(options: argparse.Namespace) -> list[str]:
    """Return the kinds of the sources that are read; of an endpoint, how concepts are written there."""
    if options.kind == "sparql":
        return [load(options.config).config.sparql.dialect]
    return list(sources.kinds_of(options.sources, options.kind))


def _compile(
    options: argparse.Namespace, target: Path, before: Iterator[Concept] | tuple[()], card: dict[str, Any],
    answers: Path | None = None,
) -> None:  # fmt: skip
    """Compile files, or what an endpoint answers, which is kept in a folder until the work is done."""
    from embanon.taxonomy import build

    check_target(target, TAXONOMY)
    languages = _languages(options)
    if (options.kind == "sparql" and options.sources) or (options.kind != "sparql" and options.label):
        raise ConfigError("--kind sparql reads no files, and --label goes with it alone; give one or the other")
    if options.kind != "sparql" and not options.sources:
        raise ConfigError("no source; name files, or --kind sparql with an endpoint in the settings")
    if options.collection and options.kind != "sparql":
        _check_dumps(options)

    def concepts(line: ProgressLine | None) -> Iterator[Concept]:
        wanted = labels_for(options) if options.collection else []
        if options.kind == "sparql":
            settings = load(options.config).config.sparql
            settings = replace(settings, languages=languages or settings.languages)
            if answers and not (settings.cache and settings.cache_days):
                days = settings.cache_days or SparqlSettings().cache_days
                settings = replace(settings, cache=str(answers), cache_days=days)
            labels = [*(_labels(options) or ()), *wanted] if options.label or wanted else None
            return sources.endpoint_concepts(settings, labels, line)
        if not wanted:
            return sources.read_concepts(options.sources, options.kind, languages)
        report = line or (lambda step, done, total: None)
        return sources.needed_concepts(options.sources, wanted, languages, target.absolute().parent, report)

    _run_build(options, target, lambda line: build(chain(before, concepts(line)), target, card, line))
    if answers:
        sources.forget_answers(answers)


def _check_dumps(options: argparse.Namespace) -> None:
    """Refuse what cannot be read for some texts alone."""
    kinds = {options.kind or sources.source_kind(path) for path in options.sources}
    if kinds - {"wikidata"}:
        raise ConfigError(
            "--for goes with dumps of Wikidata, or --kind sparql; name the kind: --kind wikidata, or build the whole"
        )


def _labels(options: argparse.Namespace) -> list[str] | None:
    """Return the labels to ask for, `None` where the endpoint is asked for all that it has."""
    lines = chain.from_iterable(_lines("send labels") if label == STDIN else [label] for label in options.label)
    return list(lines) if options.label else None


def _run_build(
    options: argparse.Namespace, target: Path, work: Callable[[ProgressLine | None], dict[str, Any]]
) -> None:
    """Compile with progress, and print the size of the result."""
    line = ProgressLine.for_stream(sys.stderr)
    try:
        card = work(None if options.quiet else line)
    finally:
        line.clear()
    if card["dropped"]:
        say(f"note: {card['dropped']:,} links lead to concepts that the sources do not have, or to themselves")
    if card["labels"] > MAX_INDEXED and Store.open(target).is_authored:
        say(
            f"note: of more than {MAX_INDEXED:,} labels only exact ones are found; for inflected forms and entries of "
            "several words, build smaller stores (--languages) and name each: --store A --store B"
        )
    write(f"{target}: {card['concepts']:,} concepts, {card['labels']:,} labels, {card['links']:,} links\n")


def _list(options: argparse.Namespace) -> int:
    rows = []
    for name in SHIPPED:
        card = Store.open(taxonomy_folder(name)).card
        rows.append((name, f"{card['concepts']:,}", " ".join(card["languages"]), str(card.get("source", ""))))
    write(format_table(("name", "concepts", "languages", "source"), rows))
    return 0


def _info(options: argparse.Namespace) -> int:
    card = dict(Store.open(taxonomy_folder(options.store)).card)
    return show_card(card, options.json)


def _verify(options: argparse.Namespace) -> int:
    from embanon.taxonomy import verify

    return show_whole(taxonomy_folder(options.store), verify)


def _export(options: argparse.Namespace) -> int:
    from embanon.taxonomy import to_skos

    store = Store.open(taxonomy_folder(options.store))
    try:
        to_skos(store.concepts(), sys.stdout.buffer, options.format)
    except BrokenPipeError:
        raise
    except OSError as exc:
        raise OutputError(f"standard output cannot be written ({exc.strerror}); make room, or write elsewhere") from exc
    return 0


def _climb(options: argparse.Namespace) -> int:
    if not options.phrase.strip():
        raise ConfigError("the phrase is blank; name one, or - for lines of standard input")
    language = options.language.partition("-")[0]
    climbing = climber(tuple(options.store) or SHIPPED, language)
    several, code, shown = options.phrase == "-", 0, 0
    for number, phrase in enumerate(_lines() if several else [options.phrase], 1):
        if not phrase.strip():
            continue
        type, ladder = _climb_phrase(climbing, phrase, options)
        code = max(code, 0 if ladder.rungs else 1)
        if options.json:
            write(as_json(_row(phrase, type, ladder)) + "\n")
            continue
        if shown:
            write("\n")
        shown += 1
        if not ladder.rungs:
            say(f"{f'line {number}: ' if several else ''}no generalization that is known to be true")
        elif options.explain:
            write(f"{_describe_type(type, options)}; {_describe_entry(ladder)}\n")
            rows = [
                (rung.label, rung.source, rung.kind, _share(rung.kept_information), rung.concept)
                for rung in ladder.rungs
            ]
            write(format_table(("generalization", "source", "by", "kept", "concept"), rows))
        else:
            write("".join(f"{rung.label}\n" for rung in ladder.rungs))
    return code


def _climb_phrase(climbing: Climber, phrase: str, options: argparse.Namespace) -> tuple[str, Ladder]:
    """Climb from a phrase as the type that is named, else as what is found where it stands alone, else as any type."""
    form = options.form or ("name" if phrase[:1].isupper() and climbing.language != "de" else "common")
    if not options.type:
        phrases = find_phrases(Document("phrase", phrase), config=Config(language=climbing.language)).phrases
        seen = phrases[0] if len(phrases) == 1 else None
        if seen is not None and phrase[seen.start : seen.end] == phrase.strip():
            ladder = climbing.climb(phrase.strip(), seen.type, seen.kind, options.form or seen.form)
            if not all(rung.is_bare or rung.kind == PERSON for rung in ladder.rungs):
                return seen.type, ladder
    return options.type, climbing.climb(phrase, options.type, "", form)


def _describe_type(type: str, options: argparse.Namespace) -> str:
    if not type:
        return "of any type"
    return f"type {type}" if options.type else f"type {type}, as it seems"


def _describe_entry(ladder: Ladder) -> str:
    """Say which entry of which store decided."""
    if ladder.rungs and ladder.rungs[0].source == COMPUTED:
        return "computed, no store decided"
    if ladder.entries:
        entry = ladder.entries[0]
        language = "any language" if entry.language == ANY_LANGUAGE else entry.language
        return f"decided by {entry.store}: {entry.label!r} ({language}, {entry.match}), {ladder.senses[0][1]}"
    if ladder.senses:
        source, id, probability = ladder.senses[0]
        return f"decided by {source}: {ladder.form!r}, {id} ({probability:.2f} of what it may mean)"
    return "no store decided"


def _lines(advice: str = "name a phrase") -> list[str]:
    try:
        return standard_input(advice).read().decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise DecodingError("standard input is not UTF-8; convert it first (iconv -t UTF-8)") from None


def _share(kept: float | None) -> str:
    return "" if kept is None else f"{kept:.2f}"


def _row(phrase: str, type: str, ladder: Ladder) -> dict[str, Any]:
    senses = [{"source": source, "concept": id, "probability": round(p, 4)} for source, id, p in ladder.senses]
    fields = {"label": "label", "source": "source", "by": "kind", "concept": "concept", "kept": "kept_information"}
    rungs = [{name: getattr(rung, of) for name, of in fields.items()} for rung in ladder.rungs]
    names = ("store", "label", "language", "match")
    entries = [{name: getattr(entry, name) for name in names} for entry in ladder.entries]
    return {"phrase": phrase, "type": type, "form": ladder.form, "entries": entries, "senses": senses, "ladder": rungs}
