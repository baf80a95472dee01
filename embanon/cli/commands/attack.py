"""`embanon attack`: how often attackers with public texts identify the person in an anonymized text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from embanon.attack import (
    ANONYMIZED,
    ATTACKERS,
    CLUES,
    TOP,
    AttackResult,
    AttackSummary,
    Gap,
    InfillAttacker,
    InfillSummary,
    IntervalEstimate,
    PublicTexts,
    Target,
    attack,
    attack_gaps,
    certainty_order,
    classify_phrases,
    read_background_phrases,
)
from embanon.cli.attack_inputs import (
    find_gaps,
    find_originals,
    find_targets,
    read_attacked_texts,
    read_public_texts,
    warn_of_copies,
)
from embanon.cli.options import (
    add_key_arguments,
    add_reading_arguments,
    add_store_argument,
    check_table_key,
    language_config,
    named_model,
    read_table_key,
    refuse_repeated_stdin,
)
from embanon.cli.output import format_bounds, format_number, format_rank
from embanon.config import Config, suggest_name
from embanon.errors import ConfigError
from embanon.io import as_json, count_noun, format_table, say, to_csv, write
from embanon.model import open_model
from embanon.taxonomy import SHIPPED, climber
from embanon.workflow import SolutionTable

EXAMPLE: Final = """\
The background is public text about each candidate, JSON Lines with name (or title) and text. Whom a document is about
is said by --truth, by entity or protect of its line or that of its original, or by an id or name of a file that is a
candidate's name. Bounds are over documents: 95 of 100 samples of them lie within. Documents of whom that is not known
count for the confidence alone. A low number says that these attackers fail, not that all do.

  tfidf, bm25   common words, the rarer the more; no training
  grams         TF-IDF of runs of four characters inside words
  embedding     the mean of the words' vectors (--model)
  classifier    trained on the sentences about each candidate: naive Bayes; with --sentences a linear layer over the
                vectors of a local folder of sentence-transformers (pip install 'embanon[contextual]')
  infill        the original of each replacement, from the phrases of --model and of the background, and the taxonomies;
                a model that was trained on these very texts knows more than an outsider

examples:
  embanon attack --anonymized out.jsonl --background public.jsonl --truth truth.csv
  embanon attack --anonymized anonymized/ --originals letters/ --background public.jsonl --attackers tfidf,bm25,grams
  embanon attack --anonymized out.jsonl --background public.jsonl --model our.model --attackers infill \\
    --solutions table.jsonl --fail-above 0.1
"""
INFILL: Final = "infill"
MAX_LISTED: Final = 50
"""Documents that are listed without --json or --csv."""
HEADER: Final = ("attacker", "text", "top-1", "bounds", "top-{top}", "bounds", "MRR", "effective", "confidence")
INFILL_HEADER: Final = ("type", "replacements", "guessable", "top-1", "bounds", "top-{top}", "bounds", "most frequent")
MEANS: Final = ("top_1", "top_{top}", "mrr", "effective", "confidence")
COLUMNS: Final = ("attacker", "version", "type", "cases", "candidates", "chance", "guessable")
BY_DOCUMENT: Final = ("attacker", "id", "rank", "probability", "confidence", "effective", "clues")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("--anonymized", nargs="+", required=True, metavar="FILE", help="Texts to attack: files, folders, JSON Lines.")
    add("--background", required=True, metavar="FILE", help="Public text about candidates.")
    add("--candidates", metavar="FILE", help="Names of candidates, one a line. [default: all of the background]")
    add("--truth", metavar="FILE", help="Whom each document is about: .csv or .jsonl with id and candidate.")
    add("--originals", nargs="+", metavar="FILE", help="The same texts before; the attack on them is a baseline.")
    add("--solutions", metavar="FILE", help="Table of `embanon anonymize`, which has the originals.")
    add_key_arguments(parser)
    add("--attackers", default="tfidf", metavar="NAMES",
        help=f"{', '.join((*ATTACKERS, INFILL))}; or all. [default: tfidf]")  # fmt: skip
    add("--model", metavar="MODEL", help="Model of `embanon train`, or default; for embedding and infill.")
    add("--sentences", metavar="FOLDER", help="Folder of sentence-transformers that the classifier reads with.")
    add_store_argument(parser)
    add("--top", type=int, default=TOP, metavar="K",
        help=f"Also look for the true candidate among the first K. [default: {TOP}]")  # fmt: skip
    add("--fail-above", type=float, metavar="SHARE", help="End with 1 where the upper bound of a top-1 is above this.")
    add("--by-document", action="store_true", help="List the documents, the most surely found first.")
    add("--show-original", action="store_true", help="With --by-document: show what gave it away, and the first guess.")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="Write a JSON object for each attack, or document.")
    how.add_argument("--csv", action="store_true", help="Write a table.")
    add_reading_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Run the attacks, and write their results."""
    wanted = _requested_attackers(options)
    config = language_config(options)
    given, known = read_attacked_texts(options.anonymized, options), read_public_texts(options, config.language)
    solved = SolutionTable.read(options.solutions, read_table_key(options, twice=False)) if options.solutions else None
    if solved:
        given = [replace(text, previous_name=solved.original_names.get(text.id, "")) for text in given]
    stood = find_originals(options, given, solved)
    aims = find_targets(options, given, known, stood)
    warn_of_copies(options.background, [one.original or one.text for one in aims], known.texts)
    done = _run_attackers(options, wanted, aims, known)
    filled = _run_infill(options, find_gaps(given, solved, stood), known) if INFILL in wanted else ()
    for part in _render(options, done, filled):
        write(part)
    return _exit_code(options.fail_above, done, filled)


def _requested_attackers(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the requested attackers, after checking that the options fit together."""
    names = tuple(dict.fromkeys(name.strip() for name in options.attackers.split(",") if name.strip()))
    known, listed = dict.fromkeys((*ATTACKERS, INFILL)), options.by_document and (options.json or options.csv)
    if "all" in names:
        names = tuple(name for name in known if _is_possible(name, options) and not (listed and name == INFILL))
    if not names:
        raise ConfigError("--attackers names nobody; name some of: " + ", ".join(known))
    if strange := [name for name in names if name not in known]:
        raise ConfigError(f"no attacker {strange[0]!r}{suggest_name(strange[0], known)}")
    if INFILL in names and listed:
        raise ConfigError("--by-document lists where attackers look for somebody, and infill does not; leave one out")
    if options.top < 1:
        raise ConfigError("--top must be a number from 1")
    if options.fail_above is not None and not 0 <= options.fail_above <= 1:
        raise ConfigError("--fail-above must be from 0 to 1")
    check_table_key(options, "open")
    if options.show_original and not options.by_document:
        raise ConfigError("--show-original shows what gave documents away; give --by-document as well")
    if options.sentences and "classifier" not in names:
        raise ConfigError("--sentences is for the classifier; name it: --attackers classifier")
    if not options.model and (lacking := [name for name in names if name in ("embedding", INFILL)]):
        raise ConfigError(f"the attacker {lacking[0]} has the phrases of a model; name it: --model MODEL")
    further = options.background, options.candidates, options.truth, options.solutions
    refuse_repeated_stdin((*options.anonymized, *(options.originals or ()), *further))
    return names


def _is_possible(name: str, options: argparse.Namespace) -> bool:
    """Return whether the options name everything an attacker needs."""
    needs = {"embedding": options.model, INFILL: options.model and (options.solutions or options.originals)}
    return bool(needs.get(name, True))


def _run_attackers(
    options: argparse.Namespace, wanted: Sequence[str], given: Sequence[Target], known: PublicTexts
) -> tuple[AttackSummary, ...]:
    """Run the attackers that look for a person."""
    names = [name for name in wanted if name != INFILL]
    if not names:
        return ()
    vectors = None
    if options.sentences:
        from embanon.model import Contextual

        vectors = Contextual.open(Path(options.sentences)).vectors
    model = named_model(options)
    clues = CLUES if options.by_document else 0
    return attack(given, known, names, top=options.top, clues=clues, model=model, vectors=vectors)


def _run_infill(
    options: argparse.Namespace, texts: Sequence[tuple[str, Sequence[Gap]]], known: PublicTexts
) -> tuple[InfillSummary, ...]:
    """Run the attacker that guesses the originals of replacements."""
    model, config = open_model(options.model), Config(language=known.language)
    climbing = climber(tuple(options.store) or SHIPPED, config.language)
    phrases = read_background_phrases(known, model, config)
    guessing = InfillAttacker.from_model(
        model, climbing, partial(classify_phrases, model=model, config=config), phrases
    )
    if not any(here for _, here in texts):
        say(f"warning: nothing is replaced in these texts, so that {INFILL} has nothing to guess")
    return attack_gaps(guessing, texts, options.top)


def _exit_code(limit: float | None, done: Sequence[AttackSummary], filled: Sequence[InfillSummary]) -> int:
    """Report the attacks that are above the limit, and return the exit code."""
    bounds = [(one.attacker, one.top_1) for one in done if one.version == ANONYMIZED]
    bounds += [(INFILL, one.top_1) for one in filled if one.type == "all"]
    above = [(name, one) for name, one in bounds if limit is not None and one is not None and one.high > limit]
    for name, estimate in above:
        say(f"{name} finds {estimate.value:.3f}, and may find {estimate.high:.3f}, which is above {limit:g}")
    return int(bool(above))


def _render(
    options: argparse.Namespace, done: Sequence[AttackSummary], filled: Sequence[InfillSummary]
) -> Iterator[str]:
    if options.by_document and options.json:
        for summary in done:
            for result in sorted(summary.results, key=certainty_order) if summary.version == ANONYMIZED else ():
                yield as_json({"attacker": summary.attacker, **result.to_dict(original=options.show_original)}) + "\n"
    elif options.by_document and options.csv:
        names = _columns(options)
        yield to_csv(names, (dict(zip(names, row, strict=True)) for row in _documents(done, options)))
    elif options.json:
        for summary in done:
            yield as_json({name: value for name, value in summary.to_dict().items() if name != "by_document"}) + "\n"
        for row in filled:
            yield as_json({"attacker": INFILL, **row.to_dict()}) + "\n"
    elif options.csv:
        means = [name.format(top=options.top) for name in MEANS]
        columns = (*COLUMNS, *(f"{name}{end}" for name in means for end in ("", "_low", "_high")))
        yield to_csv(columns, _flat(done, filled, columns))
    else:
        yield from _tables(options, done, filled)


def _tables(
    options: argparse.Namespace, done: Sequence[AttackSummary], filled: Sequence[InfillSummary]
) -> Iterator[str]:
    if done:
        first = done[0]
        unknown = first.documents - first.known
        unknown_note = f", {unknown} of which are about nobody known" if unknown else ""
        yield f"{count_noun(first.documents, 'document')}{unknown_note}; {count_noun(first.candidates, 'candidate')}\n"
        header = [name.format(top=options.top) for name in HEADER]
        harmonic = sum(1 / rank for rank in range(1, first.candidates + 1)) / first.candidates
        chance = ("chance", "", f"{first.chance:.3f}", "", f"{min(options.top * first.chance, 1):.3f}", "",
                  f"{harmonic:.3f}", f"{first.candidates:.1f}", "")  # fmt: skip
        rows = [
            (summary.attacker, summary.version, *_interval(summary.top_1), *_interval(summary.top_n),
            _mean(summary.mean_reciprocal_rank),
             _mean(summary.effective, 1), _mean(summary.confidence))
            for summary in done
        ]  # fmt: skip
        yield format_table(header, [*rows, chance])
    if options.by_document and done:
        every = list(_documents(done, options))
        yield "\n" + format_table(_columns(options), every[:MAX_LISTED])
        yield f"… and {len(every) - MAX_LISTED} more: --json or --csv has all\n" if len(every) > MAX_LISTED else ""
    if filled:
        header = [name.format(top=options.top) for name in INFILL_HEADER]
        yield ("\n" if done else "") + format_table(header, [
            (summary.type, str(summary.gaps), f"{summary.guessable:.3f}", *_interval(summary.top_1),
            *_interval(summary.top_n),
             f"{summary.most_frequent_share:.3f}")
            for summary in filled
        ])  # fmt: skip


def _columns(options: argparse.Namespace) -> tuple[str, ...]:
    return (*BY_DOCUMENT, "guess") if options.show_original else BY_DOCUMENT


def _documents(done: Sequence[AttackSummary], options: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """Yield a row for each attack on a document."""
    every = [(one.attacker, result) for one in done if one.version == ANONYMIZED for result in one.results]
    for attacker, result in sorted(every, key=lambda one: (certainty_order(one[1]), one[0])):
        sure = (format_number(one, 3, "") for one in (result.probability, result.confidence))
        row = (
            attacker,
            result.id,
            format_rank(result.rank),
            *sure,
            format_number(result.effective, 1, ""),
        )
        yield (*row, _clues(result, options.show_original), result.guess or "")[: len(_columns(options))]


def _clues(result: AttackResult, original: bool) -> str:
    """Return the clues that gave a document away: their offsets, or their text."""
    if not original:
        return " ".join(f"{one.start}-{one.end}" for one in result.clues)
    return ", ".join(f"{' '.join(one.text.split())} ({one.share:.2f})" for one in result.clues)


def _flat(
    done: Sequence[AttackSummary], filled: Sequence[InfillSummary], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the attacks as rows of one table."""
    for row in (*(one.to_dict() for one in done), *({"attacker": INFILL, **one.to_dict()} for one in filled)):
        flat = {"version": ANONYMIZED, "cases": row.get("known"), "chance": row.get("most_frequent"), **row}
        if row["attacker"] == INFILL:
            flat["cases"] = row["gaps"]
        for name, value in row.items():
            if isinstance(value, dict):
                flat |= {name: value["value"], f"{name}_low": value["low"], f"{name}_high": value["high"]}
        yield {name: flat.get(name) for name in columns}


def _interval(estimate: IntervalEstimate | None) -> tuple[str, str]:
    return _mean(estimate), format_bounds(estimate)


def _mean(estimate: IntervalEstimate | None, digits: int = 3) -> str:
    return format_number(estimate.value if estimate else None, digits, "")
