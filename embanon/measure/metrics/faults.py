"""Check the grammar of anonymized text by rule: faults that the original sentence did not have.

The nouns are the labels that stand there most often, by their gender as a dictionary has it: the check must not ask the
lists that it checks.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from embanon.data import find_resource
from embanon.measure.annotations import DocumentPair
from embanon.measure.metrics.share import Share
from embanon.measure.metrics.spans import base_language
from embanon.replace import SUPPRESSION_MARK, splice

WORDS: Final = re.compile(r"\{([a-z_]+)\}")
"""Where a rule names a list of words."""


@cache
def fault_rules() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    """Return the rules of each language, by name."""
    tables = tomllib.loads(find_resource("ontologies", "grammar", "faults.toml").read_text("utf-8"))
    always = {"no capital": re.compile(tables.pop("capital"))}
    return {language: {**_compile_rules(table), **always} for language, table in tables.items()}


def _compile_rules(table: Mapping[str, Any]) -> dict[str, re.Pattern[str]]:
    alternatives = {name: f"(?:{'|'.join(words.split())})" for name, words in table["words"].items()}
    flags = 0 if table.get("case_sensitive") else re.IGNORECASE
    return {
        name: re.compile(WORDS.sub(lambda match: alternatives[match[1]], rule), flags)
        for name, rule in table["rules"].items()
    }


def new_faults(before: str, after: str, language: str = "en") -> dict[str, int]:
    """Count what is wrong in an anonymized text and was not in the original, by rule."""
    rules = fault_rules()[language]
    counts = {name: len(rule.findall(after)) - len(rule.findall(before)) for name, rule in rules.items()}
    return {name: count for name, count in counts.items() if count > 0}


def grammar_faults(pairs: Sequence[DocumentPair]) -> Share:
    """Return the new faults for each mention that is masked; a language without rules has nothing to count."""
    rows = []
    for pair in pairs:
        language, row = base_language(pair.gold), (0, 0)
        if language in fault_rules():
            faults = new_faults(pair.gold.text, masked_text(pair), language)
            row = sum(faults.values()), len(pair.output.mentions)
        rows.append(row)
    return Share.from_rows(rows)


def masked_text(pair: DocumentPair) -> str:
    """Return the text as it reads when it is masked; of mentions that overlap the first stays."""
    replacements, last = list[tuple[int, int, str]](), 0
    for mention in sorted(pair.output.mentions, key=lambda mention: (mention.start, -mention.end)):
        if mention.start >= last:
            new = SUPPRESSION_MARK if mention.replacement is None else mention.replacement
            replacements.append((mention.start, mention.end, new))
            last = mention.end
    return splice(pair.gold.text, replacements)
