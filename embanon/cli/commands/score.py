"""`embanon score`: how much each phrase of a text gives away about protected entities."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.cli.options import (
    add_color_argument,
    add_input_arguments,
    add_scoring_arguments,
    input_documents,
    load_settings,
    named_attackers,
    named_model,
    refuse_repeated_stdin,
)
from embanon.cli.output import format_risk, process_each_file, say_warnings
from embanon.config import Config
from embanon.document import Document, entity_label
from embanon.entities import NOBODY_MESSAGE, ProtectionRules, rules_from_options
from embanon.errors import ConfigError
from embanon.io import (
    FORMATS,
    TEXT,
    as_json,
    format_of,
    format_table,
    heading,
    heat_legend,
    highlight_risks,
    say,
    wants_color,
    write,
)
from embanon.language import key
from embanon.linkage import Exposure
from embanon.risk import describe_reason, explain_phrase, open_scorer
from embanon.scoring import ScoredDocument, score_all
from embanon.workflow import document_warnings

EXAMPLE: Final = """\
Risk is between 0 and 1: how identifying a phrase is, and of whom it speaks. What is at or above the limit is to be
masked; a phrase of which nothing is known is above any limit. Exit code 1 says that a protected entity is not named, or
with --fail-above that a risk is at or above it.

examples:
  embanon score letter.txt --entities protect.jsonl
  embanon score letters.jsonl --model our.model --json > risks.jsonl
  embanon score letter.txt --entities protect.jsonl --explain 'the clinic'
"""
HEADER: Final = ("risk", "type", "entity", "phrase", "why")
HISTOGRAM_BINS: Final = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    add_scoring_arguments(parser)
    add = parser.add_argument
    add("--fail-above", type=float, metavar="RISK", help="End with 1 where a risk is at or above this.")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="Write a JSON object for each document.")
    how.add_argument("--view", action="store_true", help="Show the text, colored by risk.")
    how.add_argument("--explain", metavar="PHRASE", help="Explain the risk of this phrase.")
    add("--show-original", action="store_true", help="With --json: write names of entities and words of phrases.")
    add_color_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Score each document, and write the result in the requested form."""
    config = _settings(options)
    asked = rules_from_options(options.entities, options.protect, options.protect_field)
    model, attackers = named_model(options), named_attackers(options, config)
    open_scorer(config.score, model)  # says at once what it lacks
    color = wants_color(options.color, sys.stdout)
    heard = set[str]()
    if options.view:
        write(heat_legend(color))

    def score(path: str) -> int:
        code = 0
        documents = score_all(
            _documents(path, options, asked), asked, config=config, model=model, attackers=attackers,
            rank=options.anonymity,
        )  # fmt: skip
        for scored_document in documents:
            warned = say_warnings(document_warnings(scored_document, path, options.anonymity), heard)
            code = max(code, warned, _exit_code(scored_document, options.fail_above))
            if attackers and not scored_document.exposure and not options.anonymity:
                id = scored_document.analysis.document.id
                say(f"warning: {id}: the background has no text about its entity: how it is ranked is not known")
            for part in _render(scored_document, options, config, color):
                write(part)
        return code

    return process_each_file(options.files, score)


def _settings(options: argparse.Namespace) -> Config:
    """Return the settings in force, after checking that the options fit together."""
    config = load_settings(options, {})
    if options.fail_above is not None and not 0 <= options.fail_above <= 1:
        raise ConfigError("--fail-above must be from 0 to 1")
    refuse_repeated_stdin([*options.files, options.entities])
    return config


def _documents(path: str, options: argparse.Namespace, asked: ProtectionRules) -> Iterable[Document]:
    """Return the documents of an input, after checking whom each asks to protect.

    A file of lines is read twice for this; a single text, or input that can be read only once, is kept in memory.
    """
    again = Path(path).is_file() and FORMATS[options.format or format_of(path) or TEXT].has_rows
    held = []
    for document in input_documents(path, options):
        if not asked.for_document(document.id, document.fields):
            raise ConfigError(NOBODY_MESSAGE)
        if not again:
            held.append(document)
    return input_documents(path, options) if again else held


def _exit_code(scored_document: ScoredDocument, limit: float | None) -> int:
    return int(limit is not None and bool(scored_document.scored.at_least(limit).any()))


def _render(scored_document: ScoredDocument, options: argparse.Namespace, config: Config, color: bool) -> Iterator[str]:
    if options.json:
        yield as_json(scored_document.to_dict(original=options.show_original)) + "\n"
    elif options.explain is not None:
        yield from _render_explanation(scored_document, options.explain)
    elif options.view:
        document = scored_document.analysis.document
        yield heading(document.id, scored_document.analysis.language)
        yield from highlight_risks(document.text.rstrip("\r\n"), _spans(scored_document), color)
        yield "\n"
    else:
        yield from _table(scored_document, options.model)


def _spans(scored_document: ScoredDocument) -> Iterator[tuple[int, int, float]]:
    phrases = scored_document.scored.phrases
    risks = np.nan_to_num(scored_document.scored.risk, nan=1.0).tolist()
    return zip(phrases.start.tolist(), phrases.end.tolist(), risks, strict=True)


def _table(scored_document: ScoredDocument, model: str | None) -> Iterator[str]:
    """Yield the phrases at or above the limit, riskiest first, and the distribution of risks."""
    scored, text = scored_document.scored, scored_document.analysis.document.text
    yield heading(scored_document.analysis.document.id, scored_document.analysis.language)
    risks = np.nan_to_num(scored.risk, nan=1.0)
    order = np.argsort(-risks, kind="stable")
    rows, seen = [], set[str]()
    above = scored.at_least(scored_document.limits)
    for place in order[above[order]].tolist():
        phrase = scored.phrases[place]
        written = text[phrase.start : phrase.end]
        if key(written) not in seen:
            seen.add(key(written))
            owner = entity_label(int(scored.owner[place])) or ""
            reason = describe_reason(
                explain_phrase(scored, place, scored_document.rarity.documents), owner or "somebody"
            )
            risk = format_risk(scored.risk[place])
            rows.append((risk, phrase.type, owner, written, reason))
    yield format_table(HEADER, rows) if rows else ""
    unknown = f"; {scored.unknown_count} unknown" if scored.unknown_count else ""
    count = f"{above.sum()} of {len(above)} phrases"
    yield f"{count} at or above {scored_document.limits}{unknown}; {_render_histogram(risks)}"
    if scored_document.exposure:
        yield _describe_attack(scored_document.exposure)
    if model is None:
        yield "rarity is that of the language at large; a model of your texts knows them better: --model MODEL\n"


def _render_histogram(risks: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """Return a histogram of the risks."""
    counts = np.histogram(risks, bins=HISTOGRAM_BINS, range=(0.0, 1.0))[0].tolist()
    most = max(*counts, 1)
    bars = "".join(" ▁▂▃▄▅▆▇█"[-(-8 * count // most)] for count in counts)
    return f"risks from 0 to 1: |{bars}|\n"


def _describe_attack(exposure: Exposure) -> str:
    """Describe how an attacker ranks the entity."""
    ranks = []
    for name, ranked in (("as it is", exposure.open), ("masked", exposure.masked)):
        low, high = ranked["bounds"]
        ranks.append(
            f"{name}: rank {ranked['rank']:g} of {ranked['candidates']}, as among {ranked['effective']:g}, found with "
            f"probability {low:.2f} to {high:.2f}"
        )
    return f"an attacker with the background: {'; '.join(ranks)}\n"


def _render_explanation(scored_document: ScoredDocument, asked: str) -> Iterator[str]:
    scored, text = scored_document.scored, scored_document.analysis.document.text
    yield heading(scored_document.analysis.document.id, scored_document.analysis.language)
    wanted = key(asked)
    keys = [key(text[phrase.start : phrase.end]) for phrase in scored.phrases]
    places = [place for place, one in enumerate(keys) if wanted and one and (wanted in one or one in wanted)]
    if not places:
        yield "no such phrase\n"
    for place in places:
        phrase, owner = scored.phrases[place], int(scored.owner[place])
        risk = format_risk(scored.risk[place])
        reason = explain_phrase(scored, place, scored_document.rarity.documents)
        yield f"{phrase.start}-{phrase.end}  {text[phrase.start : phrase.end]}  ({phrase.type})\n"
        yield f"  risk {risk}: {describe_reason(reason, f'e{owner + 1}' if owner >= 0 else 'somebody')}\n"
        if reason["power"] is not None:
            of_whom = "" if reason["attribution"] is None else f", attribution {reason['attribution']:.2f}"
            yield f"  power {reason['power']:.2f}{of_whom}\n"
