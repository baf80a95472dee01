"""`embanon report`: what is risky in texts, what would stand instead, and how risks are before and after."""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path
from typing import Final

from embanon.anonymizer import Anonymized, Anonymizer
from embanon.commands import documents, inputs, say
from embanon.commands.files import each_file
from embanon.commands.outputs import check_outputs, write_all
from embanon.commands.protecting import anonymizer, protecting, raising, replacing, told
from embanon.protected import given
from embanon.read import STDIN
from embanon.report import rows, summary, to_html
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
    raising(parser)
    replacing(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write (standard output)")
    add("--as", dest="kind", choices=FORMATS, help="a page, lines of JSON with the numbers, or a table of edits (html)")
    add("--show-original", action="store_true", help="show what stood there")


def run(options: argparse.Namespace) -> int:
    """Report on each document."""
    check_outputs(options.files, options.output, others=(options.entities, options.background))
    asked = given(options.entities, options.protect, options.protect_field)
    doing = anonymizer(options)
    done = list[Anonymized]()

    def judge(path: str) -> int:
        here = list(doing.anonymize_all(documents(path, options), asked, rank=options.anonymity))
        done.extend(here)
        return max((told(one.judged, path, options.anonymity) for one in here), default=0)

    code = each_file(options.files, judge)
    if not done:
        return code
    write_all(options.output, list(_written(done, _settings(doing, options), options)))
    above = [one.id for one in done if summary(one)["risk_after"] >= one.limit]
    if above:
        say(f"note: {len(above)} of {len(done)} documents keep a risk at or above the limit")
    return max(code, 1 if above else 0)


def _settings(doing: Anonymizer, options: argparse.Namespace) -> dict[str, str]:
    config, made_with = doing.config, doing.made_with
    model = f"{options.model} ({made_with['model']})" if options.model else "none: rarity of the language at large"
    return {
        "embanon": made_with["version"], "settings": made_with["config"],
        "model": model,
        "taxonomies": f"{', '.join(Path(name).name for name in doing.stores)} ({made_with['taxonomies']})",
        "preset": config.score.preset, "limit": f"{config.score.lowest:g}",
        "attribution limit": f"{config.score.attribution_limit:g}", "method": doing.method,
        "background": options.background or "none",
    }  # fmt: skip


def _written(done: list[Anonymized], settings: dict[str, str], options: argparse.Namespace) -> list[str]:
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
