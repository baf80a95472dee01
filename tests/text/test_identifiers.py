"""The identifiers: a table of cases with exact offsets, and the laws that hold for any text."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from embanon.document import TYPES, Identifier
from embanon.text.identifiers import identify, resolve_identifiers

TABLE = Path(__file__).parents[1] / "cases" / "identifiers.toml"
CASES: list[dict[str, Any]] = tomllib.loads(TABLE.read_text("utf-8"))["case"]
PLACES = ("address", "postcode", "coordinates")


def expected(case: dict[str, Any]) -> set[tuple[int, int, str]]:
    """Return the spans of a case as offsets and kinds."""
    spans = set()
    for value, kind, *occurrence in case["expect"]:
        start = -1
        for _ in range(occurrence[0] + 1 if occurrence else 1):
            start = case["text"].index(value, start + 1)
        spans.add((start, start + len(value), kind))
    return spans


def found(case: dict[str, Any]) -> set[tuple[int, int, str]]:
    """Return what is identified in a case."""
    return {(hit.start, hit.end, hit.kind) for hit in identify(case["text"], case.get("language"))}


def test_table_is_large_and_half_negative() -> None:
    """Keep the table honest: many cases, unique ids, at least half without any identifier."""
    negatives = [case for case in CASES if not case["expect"]]
    assert len(CASES) >= 420
    assert len(negatives) * 2 >= len(CASES)
    assert len({case["id"] for case in CASES}) == len(CASES)


def test_precision_and_recall_of_the_table() -> None:
    """Hold precision and recall over the table at 0.99, and list each case that fails."""
    right = missed = wrong = 0
    failures = []
    for case in CASES:
        want, got = expected(case), found(case)
        right += len(want & got)
        missed += len(want - got)
        wrong += len(got - want)
        if want != got:
            failures.append(f"{case['id']}: missed {sorted(want - got)}, wrong {sorted(got - want)}")
    report = "\n".join(failures)
    assert right / (right + missed) >= 0.99, report
    assert right / (right + wrong) >= 0.99, report


@pytest.mark.parametrize("case", [case for case in CASES if case["expect"]], ids=lambda case: case["id"])
def test_types_follow_kinds(case: dict[str, Any]) -> None:
    """Return places the type LOC and all else CODE."""
    for hit in identify(case["text"], case.get("language")):
        assert hit.type == ("LOC" if hit.kind in PLACES else "CODE")


def test_checked_numbers_are_marked() -> None:
    """Mark what a checksum has verified, and not what only a label says."""
    assert [hit.checked for hit in identify("DNI 54362315-K, CPF: 123.456.789-00")] == [True, False]


def test_resolve_prefers_length_then_check_then_order() -> None:
    """Resolve overlaps by length, then by check, then by the order of the table."""
    short = Identifier(2, 5, "CODE", "short", True)
    long = Identifier(0, 5, "CODE", "long")
    checked = Identifier(0, 5, "CODE", "checked", True)
    late = Identifier(0, 5, "CODE", "late", True)
    apart = Identifier(5, 7, "CODE", "apart")
    assert resolve_identifiers([apart, short, long]) == [long, apart]
    assert resolve_identifiers([long, checked, late]) == [checked]
    chain = [Identifier(start, end, "CODE", "link") for start, end in ((0, 3), (2, 6), (5, 10))]
    assert resolve_identifiers(chain) == [chain[0], chain[2]]


SNIPPETS = st.sampled_from(
    [case["text"] for case in CASES]
    + [
        "\n",
        "\r\n",
        "\u2028",
        "\u2029",
        "\x85",
        "\x00",
        "\ud800",
        "١٢٣٤٥٦",
        "12345",
        "+1",
        "@",
        "://",
        "www.",
        "s/n",
        "/",
        ".",
        ", ",
        "C/ ",
        "no. ",
    ]
)
TEXTS = st.lists(
    st.one_of(SNIPPETS, st.text(max_size=12), st.text("0123456789 .-/+()@:aAeN°\n", max_size=24)), max_size=6
).map("".join)
LANGUAGES = st.sampled_from([None, "en", "es", "pt", "de", "xx"])
LAWS = settings(max_examples=250, deadline=None)


@LAWS
@given(TEXTS, LANGUAGES)
def test_hits_slice_back_sorted_without_overlap(text: str, language: str | None) -> None:
    """Return sorted, disjoint, non-empty spans inside one line, with neither space nor sentence mark around."""
    end = 0
    for hit in identify(text, language):
        value = text[hit.start : hit.end]
        assert end <= hit.start < hit.end <= len(text)
        assert hit.type in TYPES
        assert value == value.strip()
        assert value[-1] not in ",;:"
        assert not set(value) & set("\n\r\u2028\u2029\x85")
        end = hit.end


@LAWS
@given(TEXTS, TEXTS, LANGUAGES)
def test_paragraphs_are_independent(first: str, second: str, language: str | None) -> None:
    """Find in two paragraphs what is found in each, shifted."""
    offset = len(first) + 2
    shifted = [
        Identifier(hit.start + offset, hit.end + offset, hit.type, hit.kind, hit.checked)
        for hit in identify(second, language)
    ]
    assert identify(f"{first}\n\n{second}", language) == identify(first, language) + shifted


REPEATS = (
    "1",
    "1 ",
    "1,",
    "a@",
    "a.a.a.",
    "((((",
    "+1-1-1-",
    "0:0:0:",
    "http://http://",
    "/",
    "a/",
    "C/ 1 ",
    "12345678 ",
    "no. 1/2 ",
    "A1",
    "NIF 1",
    "www.",
    "s/n",
    "eyJa.",
    "a-",
    "1.2.3.4.",
    "é1 ",
    "@a",
    "°1",
    "4111 ",
    "ABCD",
    "+",
    "Calle A ",
    "f1",
)


@pytest.mark.parametrize("piece", REPEATS)
def test_time_is_linear_on_hostile_text(piece: str) -> None:
    """Take about twice the time for twice the text, whatever is repeated, up to a megabyte."""

    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        begin = time.process_time()
        identify(text)
        return time.process_time() - begin

    length, once = 10_000, seconds(10_000)
    while once < 0.05 and length < 500_000:
        length *= 2
        once = seconds(length)
    assert min(seconds(2 * length), seconds(2 * length)) <= 3 * max(once, 0.02)
