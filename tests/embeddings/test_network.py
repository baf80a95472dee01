"""The network as PyTorch trains it: embanon reads what was trained, paths are all counted, what is taught is learnt."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from embanon.recognize.kinds import NOTHING  # noqa: E402
from embanon.recognize.labeler import LABELS, NAME_LABELS, allowed_transitions  # noqa: E402
from embeddings.build.annotated import AnnotatedText, Mention  # noqa: E402
from embeddings.build.network import Layers, Sizes, train_judge, unlikelihood  # noqa: E402
from embeddings.build.recognizer import (  # noqa: E402
    NumberedText,
    ReadText,
    Vocabulary,
    compile_labelers,
    label_text,
    lone_sentences,
    measure,
    put_together,
    train_labelers,
)

LETTER = "Patient: Maria Lopez        DOB: 12.03.1980\n\nDear Ms Weber,\n\nI saw Mrs Lopez, a beekeeper from Bad Tölz."


def read(text: str, *mentions: tuple[str, str]) -> ReadText:
    places = [(text.index(written), written, type) for written, type in mentions]
    marked = tuple(Mention(start, start + len(one), type, "", "QUASI", one) for start, one, type in places)
    return ReadText.read(AnnotatedText("x", "en", "note", text, marked))


def test_what_is_trained_is_what_embanon_reads() -> None:
    torch.manual_seed(3)
    text = read(LETTER, ("Maria Lopez", "PERSON"), ("Weber", "PERSON"), ("Bad Tölz", "LOC"))
    vocabulary = Vocabulary.build([text] * 6)
    layers = Layers(Sizes(len(vocabulary.names))).eval()
    for parameter in layers.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    with torch.no_grad():
        layers.features.weight[0] = 0
    batch = put_together([NumberedText.of_text(text, vocabulary)] * 2, vocabulary)
    with torch.no_grad():
        _, states = layers.read(batch)
        tokens = states[batch.place]
        expected = {"label": layers.labels(tokens).numpy(), "name": layers.names(tokens).numpy()}
    arrays: dict[str, Any] = {name: value.detach().numpy() for name, value in layers.named_parameters()}
    labels = label_text(compile_labelers(arrays, vocabulary)["en"], text)
    size = len(text.tokens)
    for half in (slice(0, size), slice(size, 2 * size)):
        np.testing.assert_allclose(labels.reading.label_scores(), expected["label"][half], rtol=0.02, atol=0.1)
        np.testing.assert_allclose(labels.reading.name_scores(), expected["name"][half], rtol=0.02, atol=0.1)


def test_spans_are_judged_as_they_were_taught() -> None:
    seen = np.random.default_rng(6).normal(size=(400, 20)).astype(np.float32)
    kinds = np.where(seen[:, :1] > 0, 3, NOTHING) + np.array([[0, 1]])
    kinds[::7] = 0, NOTHING + 1  # nobody said which
    judge = train_judge(seen, kinds, passes=400)
    scores = np.maximum(seen @ judge["judge"] + judge["judge_bias"], 0) @ judge["kinds"] + judge["kinds_bias"]
    assert ((scores.argmax(axis=1) == 3) == (seen[:, 0] > 0)).mean() > 0.9


def test_sentences_are_read_alone_as_well() -> None:
    text = read(LETTER + " She came on 3 May.\nNo period", ("Bad Tölz", "LOC"), ("3 May", "DATETIME"))
    alone = list(lone_sentences(text, 9, random.Random(1)))
    assert {one.text for one in alone} == {"I saw Mrs Lopez, a beekeeper from Bad Tölz.", "She came on 3 May."}
    for one in alone:
        assert [one.text[each.start : each.end] for each in one.mentions] in (["Bad Tölz"], ["3 May"])


@pytest.mark.parametrize("size", [len(LABELS), len(NAME_LABELS)])
def test_unlikelihood_counts_all_paths(size: int) -> None:
    numbers, length = np.random.default_rng(5), 3
    scores, transitions = (numbers.normal(size=shape).astype(np.float32) for shape in ((length, size), (size, size)))
    between, first = allowed_transitions(size)
    allowed = np.zeros((length, size), bool)
    allowed[:, 0] = allowed[0, 1] = allowed[1, 2] = True
    total = right = 0.0
    for path in itertools.product(range(size), repeat=length):
        value = first[path[0]] + sum(scores[place, label] for place, label in enumerate(path))
        value = np.exp(value + sum((transitions + between)[pair] for pair in itertools.pairwise(path)))
        total += value
        right += value if all(allowed[place, label] for place, label in enumerate(path)) else 0.0
    chains, inside = torch.tensor([[0, 1, 2, 0]]), torch.tensor([[True, True, True, False]])
    tensors = map(torch.from_numpy, (scores, transitions))
    result = float(unlikelihood(*tensors, chains, inside, torch.from_numpy(allowed)))
    assert result == pytest.approx(np.log(total / right), rel=1e-3)


def test_what_is_taught_is_learnt() -> None:
    texts = [
        read(f"Dear {name},\n\n{name} lives in {town} and works hard.", (name, "PERSON"), (town, "LOC"))
        for name, town in itertools.product(("Ada", "Ben", "Cara", "Dan"), ("Graz", "Leeds", "Porto", "Vigo"))
    ] * 2
    measured = measure(train_labelers(texts, passes=150), texts[:16])
    assert measured["all"] > 0.9
    assert measured["types"] > 0.9
