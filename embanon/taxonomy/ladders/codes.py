"""Compute the ladders of codes: what kind of code it is, and never any part of it."""

from __future__ import annotations

from functools import cache

from embanon.taxonomy.ladders.rung import Step
from embanon.taxonomy.ladders.tables import Tables, parse_pairs, split_steps


@cache
def _adjectives(tables: Tables) -> dict[str, str]:
    return dict(parse_pairs(tables.text("national", "adjectives")))


def code_steps(kind: str, tables: Tables) -> list[Step]:
    """Return the steps of a code by its kind: of which country, what it is, that it is a code."""
    family, _, country = kind.partition(".")
    found = split_steps(tables.text("codes", family), "code")
    if country and found and (adjective := _adjectives(tables).get(country)):
        article, _, label = found[0][0].partition(" ")
        form = tables.text("national", "form")
        found.insert(0, (form.format(article=article, label=label, adjective=adjective), "code"))
    return [*found, tables.type("code")]
