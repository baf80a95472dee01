"""`embanon evaluate`: measure what any system masked against what people marked."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from embanon.cli.options import (
    CONFIG_HELP,
    add_store_argument,
    named_model,
    refuse_repeated_stdin,
)
from embanon.cli.output import format_bounds, format_number
from embanon.config import COSINE, RISK, load
from embanon.errors import ConfigError, MissingExtraError
from embanon.io import as_json, count_noun, format_table, say, to_csv, warn_no_tagger, write
from embanon.measure import (
    EQUAL_COUNT_RULES,
    GOLD_FORMATS,
    OUTPUT_FORMATS,
    RULES,
    SEED,
    CorpusInformation,
    DocumentEvaluation,
    Evaluation,
    Figure,
    FrequencyInformation,
    GoldDocument,
    Information,
    Instruments,
    MaskedLanguageModel,
    MatchedOutput,
    PhraseInformation,
    ShippedTagger,
    SpacyTagger,
    SystemOutput,
    TextTagger,
    UniformInformation,
    VectorSimilarity,
    base_language,
    evaluate,
    list_ids,
    match_output,
    read_gold,
    read_output,
    with_language,
)
from embanon.model import Model
from embanon.taxonomy import SHIPPED, Climber, climber
from embanon.text import TAGGED_LANGUAGES

EXAMPLE: Final = """\
OUTPUT is what one or several systems masked: TAB's masks, lines with spans, a folder of brat, Presidio's results, or
what embanon anonymize, score --json and phrases --json write. GOLD is what people marked: TAB's JSON, lines with text
and spans, or a folder of brat. Beside each measure stands what plain rules reach on the same texts. No text is shown.

examples:
  embanon evaluate masks.json echr_test.json
  embanon evaluate out.jsonl gold.jsonl --by-document
  embanon evaluate peers.jsonl gold.jsonl --system Presidio --json > measures.json
"""
ERROR, EMPTY = "error", "empty"
TAGGERS: Final = ("embanon", "spacy")
CORPUS, MASKED_LM, UNIFORM = "corpus", "masked-lm", "uniform"
HEADLINES: Final = {
    "P": ("words", "P"), "R": ("words", "R"), "F1": ("words", "F1"), "mentions": ("mentions", "exact F1"),
    "ER_di": ("TAB", "ER_di"), "ER_qi": ("TAB", "ER_qi"), "ER": ("TAB", "ER"), "WP": ("TAB", "WP"),
    "specificity": ("documents (MAPA)", "specificity"), "TPI": ("kept", "TPI"),
}  # fmt: skip
"""What stands in the table of several systems."""
RULE_HEADINGS: Final = ("nothing", "phrases", "capitals", "random", "rarest")
"""What rules are called above a column, in their order."""
COLUMNS: Final = ("system", "rule", "group", "measure", "value", "low", "high", "reason")
BY_DOCUMENT: Final = (
    "system", "id", "words", "masked", "precision", "recall", "f1", "quasi_left", "left", "where",
)  # fmt: skip
TYPE_MEASURES: Final = ("entities R", "mentions R", "P", "R")
"""What is measured by type, of words if nothing else is said; none ends like one before it."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("outputs", nargs="+", metavar="OUTPUT", help="What systems masked; - for standard input.")
    add("gold", metavar="GOLD", help="What people marked, with its text.")
    add("--format", choices=OUTPUT_FORMATS, help="Format of each OUTPUT. [default: by its content]")
    add("--gold-format", choices=GOLD_FORMATS, help="Format of GOLD. [default: by its content]")
    add("--system", action="append", default=[], metavar="NAME",
        help="System to read, where OUTPUT has several. Repeatable.")  # fmt: skip
    add("--missing", choices=(ERROR, EMPTY), default=ERROR,
        help="Documents that OUTPUT lacks: an error, or nothing masked; what GOLD lacks is then left out.")  # fmt: skip
    add("--limit", type=float, metavar="RISK",
        help="Lowest risk or score that is masked. [default: of risks that which they were scored with]")  # fmt: skip
    add("--scorer", choices=(RISK, COSINE),
        help="What risks are by where OUTPUT does not say so: its limit is then the default. [default: as set]"
        )  # fmt: skip
    add("--tags", metavar="NAME", default=TAGGERS[0],
        help="Parts of speech: embanon, spacy or spacy:PIPELINE. [default: embanon]")  # fmt: skip
    add("--information", choices=("frequencies", "uniform", "corpus", "masked-lm"), default="frequencies",
        help="Weights of precision; corpus is that of --model. [default: frequencies]")  # fmt: skip
    add("--model", metavar="MODEL",
        help="Model of `embanon train`: what is kept is counted in its corpus, and compared by it.")  # fmt: skip
    add("--language-model", metavar="FOLDER", help="Folder of transformers, for --information masked-lm.")
    add_store_argument(parser)
    add("--no-floors", action="store_true", help="Leave out what plain rules reach.")
    add("--seed", type=int, default=SEED, metavar="N", help=f"Seed of samples and random masks. [default: {SEED}]")
    add("--by-document", action="store_true", help="List each document, the worst first, with offsets of what is left.")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="Write a JSON object for each system.")
    how.add_argument("--csv", action="store_true",
        help="Write a table row for each measure, or with --by-document each document.")  # fmt: skip
    add("--config", metavar="FILE", help=CONFIG_HELP)
    add("--language", metavar="CODE",
        help="Language of the texts: en, es, pt, de … [default: as GOLD says, or detected]")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Evaluate each system, and write the result in the requested form."""
    config = load(options.config, {"language": options.language, "score.scorer": options.scorer}).config
    refuse_repeated_stdin([*options.outputs, options.gold])
    if options.seed < 0:
        raise ConfigError("--seed must be a number from 0")
    if options.limit is not None and not 0 < options.limit <= 1:
        raise ConfigError("--limit must be above 0, and at most 1")
    golds = [with_language(gold, config) for gold in read_gold(options.gold, options.gold_format)]
    heard = set(TAGGED_LANGUAGES)
    for gold in golds:
        warn_no_tagger(base_language(gold), heard)
    using = open_instruments(options, golds[0]).with_caches()
    done = list[Evaluation]()
    for system in _read_systems(options, config.score.effective_limit):
        match = match_output(golds, system, lenient=options.missing == EMPTY)
        _warn_unmatched(match, golds)
        # Rules that do not look at the system reach the same for all of them.
        floors = () if options.no_floors else EQUAL_COUNT_RULES if done else RULES
        done.append(evaluate(match.pairs, using, system=match.system, floors=floors, config=config, seed=options.seed))
    for part in _render(done, options, len(golds)):
        write(part)
    return 0


def _read_systems(options: argparse.Namespace, risk: float) -> list[SystemOutput]:
    """Read all outputs, keeping only the requested systems."""
    systems = [one for path in options.outputs for one in read_output(path, options.format, options.limit, risk=risk)]
    names = [system.name for system in systems]
    if options.limit is not None and not any(system.has_scores for system in systems):
        raise ConfigError(f"{list_ids(names)}: without risks or scores that are read, so leave --limit out")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"two outputs have the name {twice!r}; rename a file")
    for name in options.system:
        if name not in names:
            raise ConfigError(f"--system {name!r}: no such system; there are {', '.join(names)}")
    return [system for system in systems if not options.system or system.name in options.system]


def _warn_unmatched(match: MatchedOutput, golds: Sequence[GoldDocument]) -> None:
    if match.missing_ids:
        missing = f"lacks {len(match.missing_ids)} of {len(golds)} documents: {list_ids(match.missing_ids)}"
        say(f"warning: {match.system}: {missing}; nothing counts as masked there")
    if match.unchanged_count:
        unchanged = count_noun(match.unchanged_count, "replacement")
        say(f"warning: {match.system}: left out, as they are what stood there: {unchanged}")
    if match.extra_ids:
        extra = count_noun(len(match.extra_ids), "document")
        say(f"warning: {match.system}: left out, as the gold lacks them: {extra}")


def _render(evaluations: Sequence[Evaluation], options: argparse.Namespace, documents: int) -> Iterator[str]:
    if options.json:
        yield from (as_json(result.to_dict(by_document=options.by_document)) + "\n" for result in evaluations)
    elif options.csv:
        rows = _document_rows(evaluations) if options.by_document else _figure_rows(evaluations)
        yield to_csv(BY_DOCUMENT if options.by_document else COLUMNS, rows)
    else:
        made_with = (f"{key}: {name}" for key, name in evaluations[0].made_with.items())
        yield "; ".join((count_noun(documents, "document"), *made_with)) + "\n\n"
        yield from _render_system(evaluations[0]) if len(evaluations) == 1 else _render_systems(evaluations)
        for result in evaluations if options.by_document else ():
            left = "left: direct identifiers, or of which it is not known"
            yield f"\n{result.system}: documents, the worst first; {left}\n"
            yield _documents(result.documents)


def _render_system(result: Evaluation) -> Iterator[str]:
    """Yield all measures of a system, beside those of the rules."""
    short, rules = dict(zip(RULES, RULE_HEADINGS, strict=True)), result.baselines
    header = ("group", "measure", result.system, "95 %", *(short[floor.system] for floor in rules))
    rows = [("words", "masked", format_number(result.masked), "", *(format_number(floor.masked) for floor in rules))]
    group = rows[0][0]
    for figure in result.figures:
        if figure.value is None or figure.group == "types":
            continue
        floors = (format_number(floor.value(figure.group, figure.name)) for floor in rules)
        named = "" if figure.group == group else figure.group
        rows.append((named, figure.name, format_number(figure.value), _bounds(figure), *floors))
        group = figure.group
    yield format_table(header, rows)
    yield from _by_type(result.figures)
    yield from _render_unmeasured(result.figures)


def _by_type(figures: Sequence[Figure]) -> Iterator[str]:
    """Yield the table of measures by type."""
    types: dict[str, dict[str, Figure]] = {}
    for figure in figures:
        if figure.group == "types" and figure.value is not None:
            what = next(what for what in TYPE_MEASURES if figure.name.endswith(f" {what}"))
            types.setdefault(figure.name.removesuffix(f" {what}"), {})[what] = figure
    if types:
        header = ["words of type"]
        for what in reversed(TYPE_MEASURES):
            header += [what, "95 %"]
        yield "\n" + format_table(header, [(type, *_type_cells(one)) for type, one in types.items()])


def _type_cells(by_measure: Mapping[str, Figure]) -> Iterator[str]:
    for what in reversed(TYPE_MEASURES):
        figure = by_measure.get(what)
        yield from (format_number(figure.value if figure else None), _bounds(figure))


def _render_unmeasured(figures: Sequence[Figure]) -> Iterator[str]:
    """Yield the measures that are missing, with the reasons."""
    reasons: dict[str, list[str]] = {}
    for figure in figures:
        if figure.value is None and figure.group != "types":
            reasons.setdefault(figure.reason, []).append(f"{figure.group} {figure.name}")
    for reason, names in reasons.items():
        yield f"not measured: {', '.join(names)}: {reason}\n"


def _render_systems(results: Sequence[Evaluation]) -> Iterator[str]:
    """Yield the main measures of the systems and of the rules."""
    every = [*results, *(floor for result in results for floor in result.baselines)]
    known = {label: of for label, of in HEADLINES.items() if any(result.value(*of) is not None for result in every)}
    named = []
    for result in results:
        named.append((result.system, result))
        named += [(f"- {rule.system}", rule) for rule in result.baselines if rule.system in EQUAL_COUNT_RULES]
    named += [(rule.system, rule) for rule in results[0].baselines if rule.system not in EQUAL_COUNT_RULES]
    rows = (
        (name, *map(format_number, (one.masked, *(one.value(*of) for of in known.values())))) for name, one in named
    )
    yield format_table(("system", "masked", *known), rows)
    yield "P, R and F1 are of words; one system in full, with its intervals: --system NAME\n"


def _documents(evaluated: Sequence[DocumentEvaluation]) -> str:
    header = ("id", "words", "masked", "P", "R", "F1", "quasi left", "left", "where")
    rows = (
        (text.id, str(text.words), str(text.masked), *map(format_number, (text.precision, text.recall, text.f1)),
         str(len(text.leaks) - len(text.direct_leaks)), str(len(text.direct_leaks)), _offsets(text))
        for text in evaluated
    )  # fmt: skip
    return format_table(header, rows)


def _offsets(document: DocumentEvaluation) -> str:
    return " ".join(f"{leak.start}-{leak.end}" for leak in document.direct_leaks)


def _figure_rows(results: Sequence[Evaluation]) -> Iterator[dict[str, Any]]:
    for system in results:
        for measured in (system, *system.baselines):
            rule = "" if measured is system else measured.system
            for figure in measured.figures:
                low, high = (figure.bounds.low, figure.bounds.high) if figure.bounds else ("", "")
                value = "" if figure.value is None else figure.value
                row = (system.system, rule, figure.group, figure.name, value, low, high, figure.reason)
                yield dict(zip(COLUMNS, row, strict=True))


def _document_rows(results: Sequence[Evaluation]) -> Iterator[dict[str, Any]]:
    for system in results:
        for document in system.documents:
            numbers = document.to_dict() | {"system": system.system, "left": len(document.direct_leaks)}
            quasi = len(document.leaks) - len(document.direct_leaks)
            yield {**numbers, "quasi_left": quasi, "where": _offsets(document)}


def _bounds(figure: Figure | None) -> str:
    return format_bounds(figure.bounds if figure else None)


def open_instruments(options: argparse.Namespace, first: GoldDocument) -> Instruments:
    """Open the instruments that the options name; a single language is that of the first document."""
    if options.information == CORPUS and not options.model:
        raise ConfigError("--information corpus needs a corpus; name a model of it: --model MODEL")
    if (options.information == MASKED_LM) != bool(options.language_model):
        raise ConfigError("--information masked-lm and --language-model FOLDER go together; give both or neither")
    model = named_model(options)
    bits: PhraseInformation = CorpusInformation.from_model(model) if model else FrequencyInformation()
    stores = tuple(options.store) or SHIPPED

    def climb(language: str) -> Climber:
        return climber(stores, language.partition("-")[0])

    return Instruments(
        _tags(options.tags, options.language or first.language or "en"), _information(options, model), bits,
        VectorSimilarity(model, uses_phrases=False) if model else None, climb,
    )  # fmt: skip


def _information(options: argparse.Namespace, model: Model | None) -> Information:
    if options.information == MASKED_LM:
        return MaskedLanguageModel.open(Path(options.language_model))
    if options.information == CORPUS and model:
        return CorpusInformation.from_model(model)
    return UniformInformation() if options.information == UNIFORM else FrequencyInformation()


def _tags(name: str, language: str) -> TextTagger:
    kind, _, pipeline = name.partition(":")
    if kind not in TAGGERS or (pipeline and kind == TAGGERS[0]):
        raise ConfigError(f"--tags {name!r}: must be embanon, spacy or spacy:PIPELINE")
    return SpacyTagger(_pipeline(pipeline, language)) if kind == TAGGERS[1] else ShippedTagger()


def _pipeline(name: str, language: str) -> Any:
    """Load the named pipeline, or the first installed one for the language."""
    try:
        import spacy
    except ImportError as exc:
        raise MissingExtraError("spacy", "spacy") from exc
    installed = sorted(spacy.util.get_installed_models())
    pipeline = name or next((one for one in installed if one.startswith(f"{language}_")), "")
    if not pipeline:
        raise ConfigError(
            f"no pipeline of spaCy for {language!r} is installed; install one, or name it: --tags spacy:…"
        )
    try:
        return spacy.load(pipeline, exclude=["ner", "parser", "lemmatizer"])
    except (OSError, ValueError) as exc:
        raise ConfigError(
            f"--tags spacy:{pipeline}: no such pipeline; installed: {', '.join(installed) or 'none'}"
        ) from exc
