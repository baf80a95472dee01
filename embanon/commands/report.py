"""`embanon report`: what is risky in texts, what would stand instead, and how risks are before and after."""

from __future__ import annotations

import argparse
import csv
import io
from importlib.metadata import version
from pathlib import Path
from typing import Final

from embanon.commands import each, inputs, say
from embanon.commands.outputs import check_outputs, write_all
from embanon.commands.protecting import choosing, protecting
from embanon.config import METHODS, load
from embanon.generalize import Masker
from embanon.judging import Judged, score_all
from embanon.model.shipped import open_model
from embanon.protected import given, read_background
from embanon.read import STDIN, read
from embanon.read.text import check_encoding
from embanon.report import Reported, rows, summary, to_html
from embanon.rewrite import rewrite
from embanon.shifting import KNOWN_DATE
from embanon.taxonomy.shipped import SHIPPED, climber
from embanon.view import as_json

EXAMPLE: Final = """\
The page has no script and asks for nothing; it shows originals only with --show-original, and then is as secret as the
texts.

examples:
  embanon report letter.txt --entities protect.jsonl -o report.html
  embanon report letters.jsonl --model our.model --as csv -o edits.csv
"""
FORMATS: Final = ("html", "json", "csv")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    inputs(parser)
    protecting(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write (standard output)")
    add("--as", dest="kind", choices=FORMATS, help="a page, lines of JSON with the numbers, or a table of edits (html)")
    add("--method", choices=METHODS, help="what would stand instead (generalize)")
    add("--show-original", action="store_true", help="show what stood there")


def run(options: argparse.Namespace) -> int:
    """Report on each document."""
    flags = {
        "language": options.language,
        "score.preset": options.preset,
        "score.limit": options.limit,
        "anonymize.method": options.method,
    }
    config = load(options.config, flags).config
    if options.encoding:
        check_encoding(options.encoding)
    check_outputs(options.files, options.output, others=(options.entities, options.background))
    asked = given(options.entities, options.protect, options.protect_field)
    model = open_model(options.model) if options.model else None
    attackers = read_background(options.background, config.language) if options.background else None
    chosen, done = choosing(config, model), list[Reported]()

    def judge(path: str) -> int:
        here, documents = list[Reported](), read(path, options.encoding, options.format)
        for judged in score_all(documents, asked, config=config, model=model, attackers=attackers):
            climbing = climber(SHIPPED, judged.analysis.language)
            masker = Masker(climbing, judged.rarity, config.score.lowest, chosen(judged.analysis.language))
            here.append(_reported(judged, masker))
        done.extend(here)
        return 0

    code = each(options.files, judge)
    if not done:
        return code
    settings = {
        "embanon": version("embanon"), "model": options.model or "none: rarity of the language at large",
        "taxonomies": ", ".join(Path(name).name for name in SHIPPED), "preset": config.score.preset,
        "limit": f"{config.score.lowest:g}", "attribution limit": f"{config.score.attribution_limit:g}",
        "method": config.anonymize.method, "background": options.background or "none",
    }  # fmt: skip
    if any(edit.rung == "shift" for one in done for edit in one.edits):
        settings["dates"] = KNOWN_DATE
    write_all(options.output, list(_written(done, settings, options)))
    above = [one.id for one in done if summary(one)["risk_after"] >= one.limit]
    if above:
        say(f"note: {len(above)} of {len(done)} documents keep a risk at or above the limit")
    return max(code, 1 if above else 0)


def _reported(judged: Judged, masker: Masker) -> Reported:
    document, scored = judged.analysis.document, judged.scored
    edits = masker.edits(document.text, scored, judged.analysis.sentences.tolist(), judged.protected.entities)
    text, solutions = rewrite(document.id, document.text, edits)
    return Reported(
        document.id, judged.analysis.language, text, scored, tuple(edits), tuple(solutions), masker.limit,
        judged.rarity.documents, judged.exposure,
    )  # fmt: skip


def _written(done: list[Reported], settings: dict[str, str], options: argparse.Namespace) -> list[str]:
    if options.kind == "json":
        return [as_json({**summary(one), "settings": settings}) + "\n" for one in done]
    if options.kind == "csv":
        table = [row for one in done for row in rows(one, original=options.show_original)]
        out = io.StringIO()
        writer = csv.DictWriter(out, list(table[0]) if table else ["document"], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _harmless(value) for name, value in row.items()} for row in table)
        return [out.getvalue()]
    return list(to_html(done, settings, original=options.show_original))


def _harmless(value: object) -> object:
    """Keep a spreadsheet from running a cell as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value
