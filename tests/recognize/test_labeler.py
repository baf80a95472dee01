"""The learned labeler: mentions of all kinds of text, chances, laws; weights are arrays and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.document import TYPES
from embanon.errors import DataError
from embanon.language import TAGGED_LANGUAGES
from embanon.recognize import LABELS, Labels
from embanon.recognize.labeler import (
    LONGEST_CHAIN,
    NAME_LABELS,
    Chains,
    LabelerWeights,
    allowed_transitions,
    decode,
)
from embanon.recognize.network import Network, load_network
from embanon.text import load_analyzer

MAX_BYTES = 4_000_000
LETTER = """Patient: Maria Lopez        DOB: 12.03.1980

Dear Ms Weber,

I saw Mrs Lopez, a beekeeper from Bad Tölz, on 3 May 2021. Her sister Ana came too.
Please write to maria.lopez@example.org or to Kern Consulting GmbH."""


def labels_of(text: str, language: str = "en") -> tuple[list[str], Labels | None]:
    analyzer = load_analyzer(language)
    analyzed = analyzer.tag(text)
    labels = analyzer.label(analyzed)
    return analyzed.tokens.words, labels


def mentions(text: str, language: str = "en") -> set[tuple[str, str]]:
    words, labels = labels_of(text, language)
    assert labels is not None
    found: list[tuple[list[str], str]] = []
    for word, code in zip(words, labels.label.tolist(), strict=True):
        if LABELS[code][0] == "B":
            found.append(([word], LABELS[code][2:]))
        elif LABELS[code][0] == "I":
            found[-1][0].append(word)
    return {(" ".join(words), type) for words, type in found}


@pytest.mark.parametrize(
    "mention",
    [("Maria Lopez", "PERSON"), ("12.03.1980", "DATETIME"), ("Weber", "PERSON"), ("Kern Consulting GmbH", "ORG"),
     ("3 May 2021", "DATETIME"), ("Ana", "PERSON")],
)  # fmt: skip
def test_mentions_of_a_letter(mention: tuple[str, str]) -> None:
    assert mention in mentions(LETTER)


@pytest.mark.parametrize("word", ["Patient", "DOB", "Dear", "Please", "too"])
def test_what_is_no_mention(word: str) -> None:
    assert all(word not in written.split() for written, _ in mentions(LETTER))


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("de", "Sehr geehrte Frau Huber,\n\nJonas Brandl wohnt in Passau.", "Jonas Brandl"),
        ("es", "Estimada señora:\n\nMi hijo Jorge Salinas vive en Murcia.", "Jorge Salinas"),
        ("pt", "Prezada senhora,\n\nmeu filho Tiago Menezes mora em Recife.", "Tiago Menezes"),
    ],
)
def test_names_in_other_languages(language: str, text: str, name: str) -> None:
    assert (name, "PERSON") in mentions(text, language)


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_weights_are_small_and_round_trip(language: str) -> None:
    weights = load_analyzer(language).labeler.weights
    data = weights.to_bytes()
    assert len(data) <= MAX_BYTES
    again = LabelerWeights.from_bytes(data)
    for name in weights.__slots__:
        np.testing.assert_array_equal(getattr(weights, name), getattr(again, name))


def test_the_shared_layers_are_small_and_round_trip() -> None:
    network = load_network()
    data = network.to_bytes()
    assert len(data) <= MAX_BYTES
    again = Network.from_bytes(data)
    for name in network.__slots__:
        np.testing.assert_array_equal(getattr(network, name), getattr(again, name))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\x80\x04K*."])
def test_bad_weights_are_refused(data: bytes) -> None:
    for kind in (LabelerWeights, Network):
        with pytest.raises(DataError):
            kind.from_bytes(data)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_paragraphs_are_labeled_each_alone(first: str, second: str) -> None:
    words, both = labels_of(f"{first}\n\n{second}")
    if both is None:
        return
    parts = [labels_of(first), labels_of(second)]
    if words == parts[0][0] + parts[1][0]:
        alone = [labels for _, labels in parts if labels is not None]
        assert both.label.tolist() == [code for labels in alone for code in labels.label.tolist()]
        assert both.name.tolist() == [code for labels in alone for code in labels.name.tolist()]
        np.testing.assert_allclose(both.inside, np.concatenate([labels.inside for labels in alone]), atol=1e-3)
    assert ((both.inside >= 0) & (both.inside <= 1 + 1e-5)).all()


def test_nothing_is_not_labeled() -> None:
    assert labels_of("") == ([], None)
    assert labels_of(" \n\n ")[1] is None


def test_names_are_seen_where_they_do_not_identify() -> None:
    words, labels = labels_of("Prime Minister Tony Blair flew to Washington to meet officials of the World Bank.")
    assert labels is not None
    named = {word: NAME_LABELS[code] for word, code in zip(words, labels.name.tolist(), strict=True)}
    assert (named["Blair"], named["Washington"], named["Bank"], named["flew"]) == ("I-PERSON", "B-LOC", "I-ORG", "O")


def test_no_mention_goes_on_without_beginning() -> None:
    scores = np.random.default_rng(1).normal(size=(400, len(LABELS))).astype(np.float32)
    chains = Chains.cut(np.array([0, 150, 400]), np.zeros(400, bool))
    labels, _ = decode(scores, np.zeros((len(LABELS), len(LABELS)), np.float32), chains)
    starts = {0, LONGEST_CHAIN, 150, 150 + LONGEST_CHAIN, 150 + 2 * LONGEST_CHAIN}
    for place, code in enumerate(labels.tolist()):
        if LABELS[code][0] == "I":
            assert place not in starts
            assert LABELS[labels[place - 1]][2:] == LABELS[code][2:]


def test_chances_are_those_of_all_paths() -> None:
    between, first = allowed_transitions()
    scores = np.random.default_rng(2).normal(size=(3, len(LABELS))).astype(np.float32)
    paths = {}
    for path in np.ndindex(*[len(LABELS)] * 3):
        total = first[path[0]] + sum(scores[place, label] for place, label in enumerate(path))
        paths[path] = np.exp(total + between[path[0], path[1]] + between[path[1], path[2]])
    whole = sum(paths.values())
    person = TYPES.index("PERSON")
    expected = sum(value for path, value in paths.items() if path[1] in (1 + 2 * person, 2 + 2 * person)) / whole
    label, inside = decode(scores, np.zeros_like(between), Chains.cut(np.array([0, 3]), np.zeros(3, bool)))
    assert inside[1, person] == pytest.approx(expected, rel=1e-3)
    assert tuple(label.tolist()) == max(paths, key=paths.__getitem__)


def test_long_lines_are_cut() -> None:
    words, labels = labels_of("word " * 5_000)
    assert labels is not None
    assert len(labels.label) == len(words) == 5_000
