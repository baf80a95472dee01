"""What is measured of outputs, beside floors on the same texts; and what the command shows, refuses and never tells."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.errors import ConfigError
from embanon.measure.annotations import (
    DIRECT,
    NO_MASK,
    QUASI,
    Annotation,
    DocumentPair,
    GoldDocument,
    MaskedDocument,
    Mention,
)
from embanon.measure.baselines import (
    CAPITALS,
    EQUAL_COUNT_RULES,
    EVERY_NOUN_PHRASE,
    NOTHING,
    RANDOM,
    RAREST,
    RULES,
    mask_by_rules,
    masked_words,
)
from embanon.measure.evaluate import evaluate, leaks
from embanon.measure.instruments import Instruments
from embanon.measure.metrics import spans
from embanon.measure.metrics.chunks import noun_phrases
from embanon.measure.metrics.clinical import count_sentences
from embanon.measure.metrics.information import UniformInformation
from embanon.measure.metrics.spans import Ints, telling_characters
from embanon.measure.metrics.tags import ShippedTagger, TaggedText
from embanon.measure.table import GROUPS

Run = Callable[..., "subprocess.CompletedProcess[str]"]

TEXT = "Ada Berger, an actress of Velland, was born in 1994. Berger met the painter Ben Marsk there."
PLACES = {
    "Ada Berger": DIRECT, "actress": QUASI, "Velland": QUASI, "1994": QUASI, "Berger": DIRECT, "Ben Marsk": NO_MASK,
}  # fmt: skip
PRIVATE = re.compile("Ada|Berger|Velland|1994|Marsk|actress|painter")


def at(word: str, text: str = TEXT) -> tuple[int, int]:
    start = text.rindex(word) if word == "Berger" else text.index(word)
    return start, start + len(word)


def mention(word: str, identifier: str | None = None, replacement: str | None = None) -> Mention:
    type = {"Velland": "LOC", "1994": "DATETIME", "actress": "DEM"}.get(word, "PERSON")
    entity = "e1" if "Berger" in word else None
    return Mention(*at(word), type, entity, identifier, replacement)


GOLD = GoldDocument("1", TEXT, (Annotation("a", tuple(mention(word, of) for word, of in PLACES.items())),))
OTHER = GoldDocument("2", "The garden is old.", (Annotation("a", ()),))


def pair(*words: str, gold: GoldDocument = GOLD, **replacements: str) -> DocumentPair:
    some = [mention(word) for word in words]
    some += [mention(word.replace("_", " "), None, new) for word, new in replacements.items()]
    return DocumentPair(gold, MaskedDocument(gold.id, tuple(some)))


def pairs(*words: str) -> list[DocumentPair]:
    return [pair(*words), DocumentPair(OTHER, MaskedDocument("2", ()))]


# Measures


def test_every_group_is_there_with_values_or_reasons() -> None:
    found = evaluate(pairs("Ada Berger", "Velland"))
    assert {one.group for one in found.figures} == set(GROUPS)
    assert all((one.value is None) == bool(one.reason) for one in found.figures)
    assert all(one.bounds.low - 1e-9 <= one.value <= one.bounds.high + 1e-9 for one in found.figures
               if one.bounds and one.value is not None)  # fmt: skip


# name: what is masked, group, measure, value
VALUES: dict[str, tuple[tuple[str, ...], str, str, float | None]] = {
    "all of a word's mask is gold": (("Ada Berger",), "words", "P", 1.0),
    "words that are masked": (("Ada Berger",), "words", "R", 2 / 6),
    "words that are not gold": (("painter", "Velland"), "words", "P", 0.5),
    "F2": (("Ada Berger",), "words", "F2", 5 * (2 / 6) / (4 + 2 / 6)),
    "an entity with one mention of two": (("Ada Berger",), "TAB", "ER_di", 0.0),
    "an entity with both": (("Ada Berger", "Berger"), "TAB", "ER_di", 1.0),
    "quasi identifiers": (("Velland", "1994"), "TAB", "ER_qi", 2 / 3),
    "exact mentions": (("Ada Berger", "painter"), "mentions", "exact R", 1 / 5),
    "the rest stays": ((), "documents (MAPA)", "specificity", 1.0),
    "nothing is masked": ((), "words", "P", None),
    "nothing is suppressed": ((), "kept", "TPI", 1.0),
    "a type": (("Velland",), "types", "LOC R", 1.0),
    "mentions of a type": (("Ada Berger",), "types", "PERSON mentions R", 0.5),
    "an entity of a type": (("Ada Berger",), "types", "PERSON entities R", 0.0),
    "an entity of a type, all of it": (("Ada Berger", "Berger"), "types", "PERSON entities R", 1.0),
    "mentions, F2": (("Ada Berger",), "mentions", "exact F2", 5 * (1 / 5) / (4 + 1 / 5)),
    "spans as the script of the task counts them": (("Ada Berger", "painter"), "spans (MEDDOCAN)", "task F1", 2 / 7),
    "another type": (("Velland",), "types", "DEM R", 0.0),
    "the right type": (("Velland", "1994"), "spans (MEDDOCAN)", "NER F1", 2 * 2 / (2 + 5)),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    words, group, measure, expected = VALUES[name]
    value = evaluate(pairs(*words), floors=()).value(group, measure)
    assert value == (None if expected is None else pytest.approx(expected))


def untold(gold: GoldDocument) -> GoldDocument:
    return GoldDocument("1", TEXT, tuple(Annotation(one.annotator, tuple(Mention(m.start, m.end) for m in one.mentions))
                                 for one in gold.annotations))  # fmt: skip


def test_what_cannot_be_measured_is_absent_with_a_reason_and_never_0() -> None:
    found = evaluate([pair("Velland", gold=untold(GOLD))], floors=())
    reasons = {f"{one.group} {one.name}": one.reason for one in found.figures if one.value is None}
    assert reasons["TAB ER_di"] == reasons["TAB ER_qi"] == "the gold does not tell direct identifiers from others"
    direct = GoldDocument("1", TEXT, (Annotation("a", (mention("1994", DIRECT),)),))
    (quasi,) = (one for one in evaluate([pair("Velland", gold=direct)], floors=()).figures if one.name == "ER_qi")
    assert (quasi.value, quasi.reason) == (None, "the gold has no entity of this kind")
    assert reasons["spans (MEDDOCAN) NER F1"] == "gold and output have no type in common"
    assert reasons["kept utility"] == reasons["replacements true"] == "the output has no replacements"
    assert reasons["entities B3 F1"].startswith("gold and output do not both say")
    written = found.to_dict()["measures"]["TAB"]["ER_di"]
    assert written == {"value": None, "reason": reasons["TAB ER_di"]}
    with pytest.raises(ConfigError, match="no document"):
        evaluate([])


def test_replacements() -> None:
    found = evaluate([pair("Ada Berger", actress="performer", Velland="[LOC 1]")], floors=())
    assert found.value("replacements", "true") == 1
    assert found.value("replacements", "known") == 1
    assert found.value("replacements", "faults") is not None
    suppressed, kept = found.value("kept", "utility, suppressed"), found.value("kept", "utility")
    assert suppressed is not None
    assert kept is not None
    assert suppressed < kept < 1
    wrong = evaluate([pair(actress="vehicle")], floors=())
    assert wrong.value("replacements", "true") == 0


def test_which_mentions_are_one_entity() -> None:
    found = evaluate(pairs("Ada Berger", "Berger"), floors=())
    assert found.value("entities", "B3 P") == 1
    assert found.value("entities", "B3 R") == pytest.approx(2 / 6)


def test_instruments_are_named() -> None:
    made_with = evaluate(pairs("Velland"), Instruments(information=UniformInformation()), floors=()).made_with
    assert made_with == {
        "parts of speech": "embanon", "words weighed by": "uniform", "kept counted in": "shipped word frequencies",
    }  # fmt: skip


class Counting(ShippedTagger):
    """Parts of speech, and how often they were asked for."""

    def __init__(self) -> None:
        self.asked = list[str]()

    def tag(self, text: str, language: str) -> TaggedText:
        self.asked.append(text)
        return super().tag(text, language)


def test_each_text_is_looked_at_once_however_many_rules_there_are() -> None:
    tags, phrases, sentences = Counting(), list[str](), list[str]()

    def cut(text: str, language: str) -> Ints:
        phrases.append(text)
        return noun_phrases(text, language)

    def count(text: str, language: str) -> int:
        sentences.append(text)
        return count_sentences(text, language)

    using = Instruments(tags, find_phrases=cut, count_sentences=count).with_caches()
    found = evaluate(pairs("Velland"), using)
    assert len(found.baselines) == len(RULES)
    evaluate(pairs("Ada Berger"), using)
    assert tags.asked == phrases == sentences == [TEXT, OTHER.text]
    assert found.figures == evaluate(pairs("Velland")).figures


def test_what_is_remembered_of_a_text_cannot_be_changed() -> None:
    for found in (spans.word_spans(TEXT), *telling_characters(TEXT)):
        with pytest.raises(ValueError, match="read-only"):
            found[0] = 0


# Documents and what leaks


def test_what_is_left_of_direct_identifiers_comes_first() -> None:
    found = leaks(pair("Velland", "Ada"))
    assert [(one.start, one.end, one.identifier) for one in found] == [
        (*at("Ada Berger"), DIRECT), (*at("Berger"), DIRECT), (*at("actress"), QUASI), (*at("1994"), QUASI),
    ]  # fmt: skip
    gold = untold(GoldDocument("1", TEXT, (Annotation("a", (mention("1994"),)),)))
    (first,) = leaks(pair("Velland", gold=gold))
    assert first.identifier is None


def test_the_worst_document_comes_first() -> None:
    golds = [GoldDocument(str(number), TEXT, GOLD.annotations) for number in range(3)]
    every = [pair(gold=golds[2]), pair("Ada Berger", gold=golds[1]), pair("Ada Berger", "Berger", gold=golds[0])]
    found = evaluate(every[::-1])
    left = [(one.id, len(one.direct_leaks), len(one.leaks)) for one in found.documents]
    assert left == [("2", 2, 5), ("1", 1, 4), ("0", 0, 3)]
    assert found.documents[0].recall == 0
    assert found.documents[0].precision is None


# Floors


def test_rules() -> None:
    every = pairs("Ada Berger", "painter")
    phrases = [np.array([at("the painter")]), np.array([[0, 10]])]
    made = dict(mask_by_rules(every, RULES, phrases, 1))
    said = {rule: [[one.gold.text[m.start : m.end] for m in one.output.mentions] for one in some]
            for rule, some in made.items()}  # fmt: skip
    assert said[NOTHING] == [[], []]
    assert said[EVERY_NOUN_PHRASE] == [["the painter"], ["The garden"]]
    assert said[CAPITALS] == [["Ada Berger", "Velland", "1994", "Berger", "Ben Marsk"], ["The"]]
    for rule in EQUAL_COUNT_RULES:
        assert sum(int(masked_words(one)[1].sum()) for one in made[rule]) == 3
    rarest = {word for some in said[RAREST] for span in some for word in span.split()}
    assert rarest <= {"Velland", "Marsk", "Ada", "Berger"}


words = st.lists(st.sampled_from(["Ada", "in", "old", "1994", "x'y", "Über", "— ", ".\n", "猫"]), max_size=12)


@given(st.lists(words, min_size=1, max_size=4), st.integers(0, 3))
@settings(max_examples=40)
def test_rules_that_mask_as_many_words(texts: list[list[str]], seed: int) -> None:
    every = []
    for number, some in enumerate(texts):
        text = " ".join(some)
        masked = (Mention(0, len(text) // 2),) if len(text) > 1 else ()
        every.append(DocumentPair(GoldDocument(str(number), text, (), "en"), MaskedDocument(str(number), masked)))
    count = sum(int(masked_words(one)[1].sum()) for one in every)
    for _, made in mask_by_rules(every, EQUAL_COUNT_RULES, [], seed):
        assert sum(int(masked_words(one)[1].sum()) for one in made) == count
        for one in made:
            spans = [(m.start, m.end) for m in one.output.mentions]
            assert spans == sorted(spans)
            assert all(0 <= start < end <= len(one.gold.text) for start, end in spans)


def test_floors_and_bounds_are_the_same_each_time() -> None:
    first, again = (evaluate(pairs("Velland"), seed=3).to_dict(by_document=True) for _ in range(2))
    assert first == again
    assert [one["system"] for one in first["floors"]] == list(RULES)
    nothing = first["floors"][0]["measures"]
    assert nothing["words"]["R"] == {"value": 0.0}
    assert nothing["words"]["P"] == {"value": None, "reason": "nothing is masked"}
    assert not PRIVATE.search(json.dumps(first))
    assert not PRIVATE.search(repr(evaluate(pairs("Velland"))))


# The command

ROWS = [{"id": one.id, "text": one.text, "spans": [
    {"start": m.start, "end": m.end, "type": m.type, "identifier": m.identifier, "entity": m.entity}
    for m in one.annotations[0].mentions]} for one in (GOLD, OTHER)]  # fmt: skip
SPANS = {"1": [list(at("Ada Berger")), list(at("Velland"))], "2": []}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in this process, in a folder with gold and outputs."""
    monkeypatch.chdir(tmp_path)
    write("gold.jsonl", *ROWS)
    write("masks.json", SPANS)
    write("peers.jsonl", {"system": "a", "spans": SPANS}, {"system": "b", "spans": {"1": [], "2": [[0, 3]]}})
    write("few.json", {"1": [], "3": []})
    return inside


def write(name: str, *rows: Any) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_system_beside_rules(here: Run) -> None:
    done = here("evaluate", "masks.json", "gold.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    first, _, header, *lines = done.stdout.splitlines()
    assert first == (
        "2 documents; parts of speech: embanon; words weighed by: shipped word frequencies; "
        "kept counted in: shipped word frequencies"
    )
    assert header.split()[:3] == ["group", "measure", "masks"]
    assert header.split()[-5:] == ["nothing", "phrases", "capitals", "random", "rarest"]
    assert any(re.match(r"words +masked +0\.143 +0\.000 ", line) for line in lines)
    assert any(re.match(r"TAB +ER_di +0\.000 ", line) for line in lines)
    assert any(line == "not measured: kept utility, kept TPS, replacements true: the output has no replacements"
               for line in lines)  # fmt: skip
    assert not PRIVATE.search(done.stdout)
    assert "nothing" not in here("evaluate", "masks.json", "gold.jsonl", "--no-floors").stdout.splitlines()[2]


def test_several_systems(here: Run) -> None:
    for words in (["peers.jsonl"], ["peers.jsonl", "masks.json"]):
        done = here("evaluate", *words, "gold.jsonl")
        names = [line.split("  ")[0] for line in done.stdout.splitlines()[3:]]
        assert names[:6] == ["a", f"- {RANDOM}", f"- {RAREST}", "b", f"- {RANDOM}", f"- {RAREST}"]
        assert names[-4:-1] == [NOTHING, EVERY_NOUN_PHRASE, CAPITALS]
    one = here("evaluate", "peers.jsonl", "gold.jsonl", "--system", "a").stdout
    assert one.replace(" a    ", " masks") == here("evaluate", "masks.json", "gold.jsonl").stdout


def test_json(here: Run) -> None:
    done = here("evaluate", "peers.jsonl", "gold.jsonl", "--json", "--by-document", "--information", "uniform")
    first, second = [json.loads(line) for line in done.stdout.splitlines()]
    assert (first["system"], first["documents"], first["masked"]) == ("a", 2, 0.1429)
    assert first["made_with"]["words weighed by"] == "uniform"
    assert first["measures"]["words"]["P"].keys() == {"value", "low", "high", "bounds"}
    assert first["measures"]["TAB"]["WP"]["value"] == first["measures"]["TAB"]["P"]["value"] == 1
    assert [one["system"] for one in first["floors"]] == list(RULES)
    assert [one["system"] for one in second["floors"]] == list(EQUAL_COUNT_RULES)
    assert first["by_document"][0]["leaks"][0] == {
        "start": at("Berger")[0], "end": at("Berger")[1], "type": "PERSON", "identifier": DIRECT,
    }  # fmt: skip
    assert not PRIVATE.search(done.stdout)


def test_csv(here: Run) -> None:
    done = here("evaluate", "peers.jsonl", "gold.jsonl", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    found = {(row["system"], row["rule"], row["group"], row["measure"]): row for row in rows}
    assert found["a", "", "words", "P"]["value"] == "1.0"
    assert found["b", "", "kept", "utility"]["value"] == ""
    assert found["b", "", "kept", "utility"]["reason"] == "the output has no replacements"
    assert ("b", RANDOM, "words", "P") in found
    assert ("b", NOTHING, "words", "P") not in found
    write("gold.jsonl", ROWS[0] | {"id": "=1+1"}, ROWS[1])
    write("masks.json", {"=1+1": SPANS["1"], "2": []})
    done = here("evaluate", "masks.json", "gold.jsonl", "--csv", "--by-document", "--no-floors")
    first, second = csv.DictReader(io.StringIO(done.stdout))
    assert (first["id"], first["left"], first["quasi_left"]) == ("'=1+1", "1", "2")
    assert first["where"] == "{}-{}".format(*at("Berger"))
    assert (second["id"], second["recall"], second["where"]) == ("2", "", "")


def test_each_document(here: Run) -> None:
    done = here("evaluate", "masks.json", "gold.jsonl", "--by-document", "--no-floors")
    assert not PRIVATE.search(done.stdout)
    _, header, first, second = done.stdout[done.stdout.index("\nmasks: documents, the worst first") + 1 :].splitlines()
    assert header.split() == ["id", "words", "masked", "P", "R", "F1", "quasi", "left", "left", "where"]
    assert first.split() == ["1", "17", "3", "1.000", "0.500", "0.667", "2", "1", "{}-{}".format(*at("Berger"))]
    assert second.split() == ["2", "4", "0", "-", "-", "-", "0", "0"]


def test_what_is_replaced_by_itself_is_not_masked(here: Run) -> None:
    write("kept.jsonl", {"id": "1", "spans": [[*at("Velland"), "LOC", "Velland"]]}, {"id": "2", "spans": []})
    done = here("evaluate", "kept.jsonl", "gold.jsonl", "--no-floors")
    assert re.search(r"words +masked +0\.000", done.stdout)
    assert done.stderr == "embanon: warning: kept: left out, as they are what stood there: 1 replacement\n"


@pytest.mark.parametrize("file", ["masks.json", "edits.jsonl"])
def test_a_limit_where_nothing_has_scores_is_refused(here: Run, file: str) -> None:
    edits = [{"start": start, "end": end, "replacement": "x", "risk": 0.9} for start, end in SPANS["1"][:1]]
    write("edits.jsonl", {"id": "1", "text": f"x{TEXT[10:]}", "edits": edits},
          {"id": "2", "text": OTHER.text, "edits": []})  # fmt: skip
    assert here("evaluate", file, "gold.jsonl").returncode == 0
    done = here("evaluate", file, "gold.jsonl", "--limit", "0.95")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{Path(file).stem}': without risks or scores that are read, so leave --limit out" in done.stderr


def test_a_limit_is_that_of_outputs_with_scores_beside_others(here: Run) -> None:
    found = [{"entity_type": "X", "start": start, "end": end, "score": start and 0.9} for start, end in SPANS["1"]]
    write("scores.json", {"1": found, "2": []})
    done = here("evaluate", "scores.json", "masks.json", "gold.jsonl", "--limit", "0.5", "--no-floors", "--json")
    masked = {one["system"]: one["masked"] for one in map(json.loads, done.stdout.splitlines())}
    assert masked == {"scores": round(1 / 21, 4), "masks": round(3 / 21, 4)}


def test_missing_documents(here: Run) -> None:
    done = here("evaluate", "few.json", "gold.jsonl")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "embanon: few: lacks 1 of 2 documents of the gold: '2'; if nothing is masked there: --missing empty\n"
    )
    done = here("evaluate", "few.json", "gold.jsonl", "--missing", "empty")
    assert done.returncode == 0
    assert done.stderr == (
        "embanon: warning: few: lacks 1 of 2 documents: '2'; nothing counts as masked there\n"
        "embanon: warning: few: left out, as the gold lacks them: 1 document\n"
    )


def test_a_language_without_a_tagger_is_said_once(here: Run) -> None:
    done = here("evaluate", "masks.json", "gold.jsonl", "--language", "fr", "--no-floors")
    assert done.stderr == "embanon: warning: no tagger for 'fr': phrases are found by script alone\n"
    assert done.stdout.startswith("2 documents; parts of speech: embanon; ")


def test_one_document_is_no_plural(here: Run) -> None:
    write("one.jsonl", {"id": "1", "text": TEXT, "spans": []})
    done = here("evaluate", "one.jsonl", "one.jsonl", "--no-floors")
    assert done.stdout.startswith("1 document; ")


def test_standard_input(here: Run) -> None:
    done = here("evaluate", "-", "gold.jsonl", "--json", "--no-floors", stdin=json.dumps(SPANS).encode())
    assert (done.returncode, json.loads(done.stdout)["system"]) == (0, "output")


def test_parts_of_speech_of_spacy(here: Run, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    spacy.blank("en").to_disk(tmp_path / "pipeline")
    done = here("evaluate", "masks.json", "gold.jsonl", "--tags", "spacy:pipeline", "--json", "--no-floors")
    assert json.loads(done.stdout)["made_with"]["parts of speech"].startswith("spaCy en_pipeline")


def test_a_model(here: Run, letters: Path) -> None:
    write("lines.jsonl", {"id": "1", "spans": [[*at("actress"), "DEM", "secretary"]]}, {"id": "2", "spans": []})
    words = ("--json", "--no-floors", "--model", letters, "--information", "corpus")
    row = json.loads(here("evaluate", "lines.jsonl", "gold.jsonl", *words).stdout)
    assert row["made_with"]["words weighed by"] == "documents of the model's corpus"
    assert "replacements compared by" in row["made_with"]
    assert "TPS" in row["measures"]["kept"]


def test_risks_are_masked_from_the_limit_of_the_settings(here: Run) -> None:
    write("risks.jsonl", {"id": "1", "phrases": [
        {"start": 0, "end": 10, "risk": 0.9, "type": "PERSON"}, {"start": 26, "end": 33, "risk": 0.4, "type": "LOC"},
    ]}, {"id": "2", "phrases": []})  # fmt: skip
    Path("strict.toml").write_text('[score]\npreset = "strict"\n')
    for words, masked in (([], 2), (["--config", "strict.toml"], 3), (["--limit", "0.3"], 3), (["--limit", "1"], 0)):
        row = json.loads(here("evaluate", "risks.jsonl", "gold.jsonl", "--json", "--no-floors", *words).stdout)
        assert row["masked"] == pytest.approx(masked / 21, abs=1e-4)


# name: the options, the exit code, what is said
BAD: dict[str, tuple[tuple[str, ...], int, str]] = {
    "no gold": (("masks.json",), 2, "the following arguments are required"),
    "a system that is not there": (("peers.jsonl", "gold.jsonl", "--system", "c"), 2, "there are a, b"),
    "the same name twice": (("masks.json", "masks.json", "gold.jsonl"), 2, "two outputs have the name 'masks'"),
    "standard input twice": (("-", "-"), 2, "- is named more than once"),
    "a corpus without a model": (("masks.json", "gold.jsonl", "--information", "corpus"), 2, "name a model of it"),
    "no language model": (("masks.json", "gold.jsonl", "--information", "masked-lm"), 2, "--language-model FOLDER go"),
    "a language model alone": (("masks.json", "gold.jsonl", "--language-model", "x"), 2, "give both or neither"),
    "unknown tags": (("masks.json", "gold.jsonl", "--tags", "x"), 2, "must be embanon, spacy or spacy:PIPELINE"),
    "no such pipeline": (("masks.json", "gold.jsonl", "--tags", "spacy:xx"), 2, "spacy:xx: no such pipeline"),
    "a limit above 1": (("masks.json", "gold.jsonl", "--limit", "2"), 2, "--limit must be above 0, and at most 1"),
    "a seed below 0": (("masks.json", "gold.jsonl", "--seed", "-1"), 2, "--seed must be a number from 0"),
    "no such file": (("none.json", "gold.jsonl"), 3, "none.json: no such file"),
    "turned round": (("gold.jsonl", "masks.json"), 3, "masks.json: is an output (masks), not gold"),
    "another format": (("masks.json", "gold.jsonl", "--gold-format", "tab"), 3, "line 1: key 'doc_id' is missing"),
    "a folder": (("masks.json", "."), 3, ".: has no .txt file; a folder of brat has"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name: str, here: Run) -> None:
    words, code, message = BAD[name]
    done = here("evaluate", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not PRIVATE.search(done.stderr)


def test_results_of_presidio(here: Run) -> None:
    analyzer = pytest.importorskip("presidio_analyzer")
    found = (("PERSON", "Ada Berger", 0.85), ("DATE_TIME", "1994", 0.1))
    results = [analyzer.RecognizerResult(type, *at(word), score) for type, word, score in found]
    write("results.json", {"1": [one.to_dict() for one in results], "2": []})
    for words, recall in (([], 0.5), (["--limit", "0.5"], 2 / 6)):
        row = json.loads(here("evaluate", "results.json", "gold.jsonl", "--json", "--no-floors", *words).stdout)
        assert row["measures"]["words"]["R"]["value"] == pytest.approx(recall, abs=1e-4)


def test_what_the_other_commands_write(here: Run) -> None:
    write("texts.jsonl", *({"id": row["id"], "text": row["text"], "protect": ["Ada Berger"]} for row in ROWS))
    here("anonymize", "texts.jsonl", "-o", "out.jsonl")
    Path("risks.jsonl").write_text(here("score", "texts.jsonl", "--json").stdout)
    Path("phrases.jsonl").write_text(here("phrases", "texts.jsonl", "--json").stdout)
    for name in ("out", "risks", "phrases"):
        row = json.loads(here("evaluate", f"{name}.jsonl", "gold.jsonl", "--json").stdout)
        assert row["measures"]["TAB"]["ER_di"]["value"] == 1
        assert (row["measures"]["replacements"]["true"]["value"] is not None) == (name == "out")
    every = row["floors"][1]["measures"]["words"]["F1"]["value"]
    assert every == row["measures"]["words"]["F1"]["value"]
