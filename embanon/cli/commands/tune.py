"""`embanon tune`: choose the limit."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.cli.attack_inputs import warn_of_copies
from embanon.cli.options import (
    add_entity_arguments,
    add_input_arguments,
    add_scorer_arguments,
    input_documents,
    named_model,
    refuse_repeated_stdin,
)
from embanon.cli.output import write_bytes
from embanon.config import Config, TypeLimits, load, write_limits
from embanon.document import Document
from embanon.entities import rules_from_options
from embanon.errors import ConfigError, InputError, MissingExtraError
from embanon.io import STDIN, as_json, format_table, say, warn_no_tagger, write
from embanon.linkage import read_candidates
from embanon.measure import (
    GOLD_FORMATS,
    AgreementGoal,
    BalanceGoal,
    Goal,
    GoldDocument,
    HidingGoal,
    LinkageAttack,
    RetentionGoal,
    Sample,
    TuningResult,
    build_samples,
    curve_rows,
    read_gold,
    tune,
)
from embanon.report import Series, line_chart, line_chart_png
from embanon.risk import open_scorer
from embanon.scoring import ScoredDocument, score_all
from embanon.workflow import Input, check_outputs, find_inputs

EXAMPLE: Final = """\
Every limit from 0.05 to 1 is tried, beside masking every phrase, names only, and nothing. For each it is shown which
share of the words and of what phrases tell is left as it is (what is replaced counts as lost, though a generalization
keeps a part), how often attackers have the right person first, and at which rank (geometric mean).

Without annotations or a goal, a limit between the presets strict and standard is chosen, by weighing what is lost
against among how many people hide: to double their rank, eleven words in a hundred may go. Where masking more hides
nobody, the limit is that of standard.

Attackers are TF-IDF, BM25 and 4-grams of characters; what they find is their mean, where what is masked is taken out.
They know the background if it has texts about whom these texts are about, else the other half of each text. Exit code 1
says that no limit reaches the goal: no limit is written then.

examples:
  embanon tune letters.jsonl --model our.model --background public.jsonl -o embanon.toml
  embanon tune --gold annotated.jsonl --entities protect.jsonl --by-type --plot curve.svg
  embanon tune letters.jsonl --background public.jsonl --attack-below 0.05 --anonymity 10
"""
COLUMNS: Final = {
    "words_kept": "words kept", "information_kept": "information", "found": "found", "rank": "rank",
    "precision": "precision", "recall": "recall", "f1": "F1",
}  # fmt: skip
"""A measure of a limit -> what stands above it."""
BAR_WIDTH: Final = 25
MIN_TEXTS: Final = 20
UNREACHED_ADVICE: Final[dict[type[Goal], str]] = {
    HidingGoal: "words outside phrases give them away: "
    "anonymize with --background and --anonymity, or --preset maximal",
    RetentionGoal: "names alone tell more: ask for a lower share",
    AgreementGoal: "nothing is marked",
    BalanceGoal: "nobody is looked for",
}
"""What to do where no limit reaches a goal."""
PLOTTED_COLUMNS: Final = {"words_kept": "words kept", "found": "found at first rank", "f1": "F1 of words"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser, "*")
    add_entity_arguments(parser)
    add_scorer_arguments(parser)
    add = parser.add_argument
    add("--gold", metavar="FILE", help="Annotated texts instead of FILE: TAB, JSON Lines with spans, or a brat folder.")
    add("--gold-format", choices=GOLD_FORMATS, help="Format of the annotated texts. [default: by their content]")
    goal = parser.add_mutually_exclusive_group()
    goal.add_argument("--attack-below", type=float, metavar="SHARE",
        help="Choose the highest limit at which attackers find at most this share, on average.")  # fmt: skip
    goal.add_argument("--keep", type=float, metavar="SHARE",
        help="Choose the lowest limit that keeps this share of what phrases tell; replacements keep none.")  # fmt: skip
    goal.add_argument("--balance", action="store_true",
        help="Choose as without annotations or goal, to compare with annotations.")  # fmt: skip
    goal.add_argument("--beta", type=float, metavar="B",
        help="With --gold: how much more recall counts than precision. [default: 1]")  # fmt: skip
    add("--anonymity", type=int, metavar="K",
        help="Count as found who is among the first K. [with --attack-below 0.05 if alone]")  # fmt: skip
    add("--by-type", action="store_true",
        help="With --gold: choose a limit for each type, if that helps on texts held out.")  # fmt: skip
    add("-o", "--output", metavar="FILE",
        help="Settings file to write the limit to, such as embanon.toml; other settings stay.")  # fmt: skip
    add("--plot", metavar="FILE", help="Write the curve as .svg or .png.")
    add("--json", action="store_true", help="Write one JSON object.")


def run(options: argparse.Namespace) -> int:
    """Choose the limit, show the curve, and write the requested files."""
    goal = _goal(options)
    flags = {name: getattr(options, name) for name in ("language", "scorer", "encoder")}
    flags = {name if name == "language" else f"score.{name}": value for name, value in flags.items()}
    config = load(options.config, flags).config
    config = replace(config, score=replace(config.score, limits=TypeLimits()))
    files = _files(options)
    _check_outputs(options, files)
    golds = {one.id: one for one in read_gold(options.gold, options.gold_format)} if options.gold else {}
    asked = rules_from_options(options.entities, options.protect, options.protect_field)
    model = named_model(options)
    open_scorer(config.score, model)  # says at once what it lacks
    known = read_candidates(options.background) if options.background else {}
    read = chain.from_iterable(input_documents(one.path, options) for one in files)
    scored = score_all(_annotated(golds, config) if golds else read, asked, config=config, model=model)
    samples = build_samples(_warn_untagged(scored), golds)
    if known:
        warn_of_copies(options.background, [one.full_text for one in samples], list(known.values()))
    result = tune(samples, goal, LinkageAttack.from_samples(samples, known), by_type=options.by_type)
    write(as_json(result.to_dict()) + "\n" if options.json else "".join(_render(result)))
    _warn(samples, goal, result)
    if options.plot:
        write_bytes(options.plot, _draw_plot(result, options.plot))
    if result.limit is None:
        say(f"no limit reaches the goal ({result.goal}); {UNREACHED_ADVICE[type(goal)]}")
        return 1
    if options.output:
        had_limits = Path(options.output).is_file() and load(options.output).config.score.limits != TypeLimits()
        write_limits(Path(options.output), result.limit, result.by_type, config.score)
        if had_limits and not result.by_type:
            say(f"warning: {options.output}: its limits by type are no longer there; the limit was chosen without them")
        if _masking(load(options.output, {"language": options.language}).config) != _masking(config):
            say(f"warning: {options.output}: has other settings than those that the limit was chosen under; choose it "
                f"under these: --config {options.output}")  # fmt: skip
    return 0


def _goal(options: argparse.Namespace) -> Goal:
    """Return the goal, after checking that the options fit together."""
    for name in ("attack_below", "keep"):
        value = getattr(options, name)
        if value is not None and not 0 <= value <= 1:
            raise ConfigError(f"--{name.replace('_', '-')} must be from 0 to 1")
    other = [name for name in ("keep", "balance", "beta") if getattr(options, name)]
    if options.anonymity is not None and (options.anonymity < 1 or other):
        raise ConfigError("--anonymity must be a rank from 1, and goes with --attack-below")
    if options.beta is not None and not 0 < options.beta < float("inf"):
        raise ConfigError("--beta must be above 0")
    if bool(options.files) == bool(options.gold):
        raise ConfigError("name texts, or annotated texts with --gold FILE; one of them")
    for name in ("gold_format", "by_type", "beta"):
        if getattr(options, name) and not options.gold:
            raise ConfigError(f"--{name.replace('_', '-')} is for annotated texts; name them: --gold FILE")
    if options.gold and options.protect_field:
        raise ConfigError("--protect-field is a key of lines of FILE; say of annotated texts: --entities FILE")
    if options.keep is not None:
        return _refuse_by_type(options, RetentionGoal(options.keep))
    if options.attack_below is not None or options.anonymity is not None:
        share = 0.05 if options.attack_below is None else options.attack_below
        return _refuse_by_type(options, HidingGoal(share, options.anonymity or 1))
    agree = AgreementGoal(1.0 if options.beta is None else options.beta)
    return agree if options.gold and not options.balance else _refuse_by_type(options, BalanceGoal())


def _refuse_by_type(options: argparse.Namespace, goal: Goal) -> Goal:
    """Return the goal, refusing limits by type, which it cannot choose."""
    if options.by_type:
        raise ConfigError("--by-type is by annotations alone; leave out --attack-below, --anonymity, --keep, --balance")
    return goal


def _check_outputs(options: argparse.Namespace, files: Sequence[Input]) -> None:
    """Refuse outputs that cannot be written, before any work is done."""
    if options.plot and Path(options.plot).suffix.lower() not in (".svg", ".png"):
        raise ConfigError("--plot must be a file that ends in .svg or .png")
    if options.output == STDIN:
        raise ConfigError("-o names a file of settings, such as embanon.toml")
    inputs = [*(one.path for one in files), options.gold, options.entities, options.background, options.model]
    refuse_repeated_stdin(inputs)
    check_outputs([one for one in inputs if one], options.output, options.plot)
    if options.plot and options.plot.lower().endswith(".png") and find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plots")
    if options.output and Path(options.output).is_file():
        load(options.output)  # says what is wrong with it


def _warn_untagged(scored_document: Iterable[ScoredDocument]) -> Iterator[ScoredDocument]:
    """Yield the documents, warning once of each language that has no tagger."""
    heard = set[str]()
    for document in scored_document:
        if document.analysis.uses_fallback:
            warn_no_tagger(document.analysis.language, heard)
        yield document


def _warn(samples: Sequence[Sample], goal: Goal, result: TuningResult) -> None:
    """Warn where the chosen limit rests on too little."""
    if nobody := sum(one.names_nobody for one in samples):
        say(f"warning: {nobody} of {len(samples)} texts do not name whom they protect: scored as if all of each were "
            "about them; check the spelling, or add aliases")  # fmt: skip
    by_attack = result.attack if isinstance(goal, BalanceGoal | HidingGoal) else None
    count = by_attack.attacked_count if by_attack else len(samples)
    if count < MIN_TEXTS:
        whom = " that attackers look for" if by_attack else ""
        say(f"warning: few texts{whom} ({count}): other texts may ask for another limit")


def _masking(config: Config) -> Config:
    """Return the settings that decide what is masked, except limits."""
    encoder = config.score.encoder and str(Path(config.score.encoder).resolve())
    scorer = config.score.effective_scorer
    score = replace(config.score, limit=-1.0, limits=TypeLimits(), scorer=scorer, encoder=encoder)
    return Config(language=config.language, phrases=config.phrases, score=score, patterns=config.patterns,
                  allow=config.allow, deny=config.deny)  # fmt: skip


def _annotated(golds: dict[str, GoldDocument], config: Config) -> Iterator[Document]:
    for gold in golds.values():
        language = gold.language or (None if config.language == "auto" else config.language)
        yield Document(gold.id, gold.text, language)


def _files(options: argparse.Namespace) -> list[Input]:
    """Find all texts; one that cannot be read is an error, as the limit would rest on the others alone."""
    files, left_out = find_inputs(options.files)
    if left_out:
        raise InputError(left_out[0])
    return files


def _render(result: TuningResult) -> Iterator[str]:
    """Yield the curve with the chosen limit, and its certainty."""
    yield f"goal: {result.goal}\n"
    if attack := result.attack:
        yield (f"attackers know {attack.known_texts}: {attack.attacked_count} of {len(result.curve)} texts, "
               f"{attack.candidates:,} candidates\n")  # fmt: skip
    curve, rows = list(curve_rows(result.curve)), []
    shown = {column: name for column, name in COLUMNS.items() if any(row[column] is not None for row in curve)}
    for place, row in enumerate(curve):
        cells = ["" if row[column] is None else _cell(column, row[column]) for column in shown]
        mark, bar = "→" if place == result.limit_index else "", "█" * round(BAR_WIDTH * row["words_kept"])
        rows.append((mark, _name(row), *cells, bar))
    yield format_table(("", "limit", *shown.values(), "words kept"), rows)
    if result.limit is not None:
        yield f"limit {result.limit:g}{_describe_certainty(result)}\n"
    if result.held_out is not None:
        row = next(curve_rows(result.held_out))
        measures = ", ".join(f"{name} {_cell(column, row[column])}" for column, name in shown.items())
        yield f"texts under the limit that four fifths of the others choose: {measures}\n"
    if result.by_type_score:
        single, by_type = result.by_type_score
        yield f"F1 of texts held out: {single:.3f} with one limit, {by_type:.3f} with limits by type\n"
        limits = ", ".join(f"{type} {limit:g}" for type, limit in result.by_type.items())
        yield f"limits by type: {limits or 'none, as they gain too little'}\n"


def _cell(column: str, value: float) -> str:
    return f"{value:.1f}" if column == "rank" else f"{value:.3f}"


def _name(row: dict[str, Any]) -> str:
    return row["limit"] if isinstance(row["limit"], str) else f"{row['limit']:g}"


def _draw_plot(result: TuningResult, path: str) -> bytes:
    """Draw the curve in the format of the file name."""
    rows = list(curve_rows(result.curve))
    places = [_name(row) for row in rows]
    series = [
        Series(name, [float("nan") if row[column] is None else row[column] for row in rows])
        for column, name in PLOTTED_COLUMNS.items()
        if any(row[column] is not None for row in rows)
    ]
    chosen = (
        "none reaches the goal" if result.limit is None else f"chosen: {result.limit:g}{_describe_certainty(result)}"
    )
    label, limits = f"Limits from strict to nothing; {chosen}", result.curve.limits
    around = tuple(np.searchsorted(limits, result.interval).tolist()) if result.interval else None
    if path.lower().endswith(".png"):
        return line_chart_png(places, series, result.limit_index, label, around=around)
    return line_chart(places, series, result.limit_index, label, alone=True, around=around).encode()


def _describe_certainty(result: TuningResult) -> str:
    """Describe how certain the limit is."""
    missed = f", none in {result.share_unreached:.0%} of the drawings" if result.share_unreached else ""
    drawn = f"; from texts drawn anew: {result.interval[0]:g} to {result.interval[1]:g}" if result.interval else ""
    return drawn + missed
