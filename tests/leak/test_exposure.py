"""What authors disclose of themselves: whose words they are, whom they speak of, and how it adds up and is shown."""

from __future__ import annotations

import csv
import json
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from embanon.cli.main import main
from embanon.config import Config
from embanon.document import Document
from embanon.io import ReadOptions
from embanon.leak import (
    Author,
    AuthorColumns,
    AuthoredText,
    AuthorExposure,
    measure_exposure,
    parse_author,
    read_all_authored,
)
from embanon.leak.exposure.attributes import ATTRIBUTES, MAX_ATTRIBUTES, MAX_EVIDENCE, Place, attribute_of
from embanon.leak.exposure.authored import parse_day
from embanon.leak.exposure.quotes import split_text
from embanon.recognize import KIND_NAMES

ADA = Author("ada@one.example", ("Ada Berger",))
Told = set[tuple[str, str]]


def told(exposure: AuthorExposure) -> Told:
    """Return what somebody has disclosed, in words."""
    return {(one.label, one.places[0].text) for one in exposure.ranked()}


def of_text(text: str, language: str = "en", author: Author = ADA) -> AuthorExposure:
    [exposure] = measure_exposure([AuthoredText(Document("1", text, language), author)], Config())
    return exposure


SAID: dict[str, tuple[str, str, Told, tuple[str, ...]]] = {
    "of oneself": (
        "en", "I was born on 3 May 1979, I have diabetes and I live in York.",
        {("birth", "3 May 1979"), ("health", "diabetes"), ("place", "York")}, (),
    ),
    "of the family": (
        "en", "My mother lives in Graz and has cancer. I work as a nurse in Leeds.",
        {("place of the family", "Graz"), ("health of the family", "cancer"), ("work", "nurse in Leeds")}, (),
    ),
    "of another": (
        "en", "I am writing about Tom Kolb. He has asthma, and his number is 07700 900123. He lives in Leeds.", set(),
        ("Tom Kolb", "asthma", "07700 900123", "Leeds"),
    ),
    "below a greeting": (
        "en", "Dear all,\n\nI shall be late.\n\nKind regards\nAda Berger\nTel. 01904 555 210\n12 Mill Lane, York\n",
        {("contact", "01904 555 210"), ("address", "12 Mill Lane")}, (),
    ),
    "in German": (
        "de", "Ich habe Diabetes. Ich wohne in Graz. Meine Mutter lebt in Linz und hat Krebs.",
        {("health", "Diabetes"), ("place", "Graz"), ("place of the family", "Linz")}, (),
    ),
    "in Spanish": (
        "es", "Tengo diabetes. Yo vivo en Cuenca. Mi madre vive en Soria y tiene cáncer.",
        {("health", "diabetes"), ("place", "Cuenca"), ("place of the family", "Soria")}, (),
    ),
    "in Portuguese": (
        "pt", "Tenho diabetes e moro em Évora. A minha mãe mora em Faro e tem cancro.",
        {("place", "Évora"), ("place of the family", "Faro")}, (),
    ),
    "nothing": ("en", "Lunch is at noon in the yard.", set(), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_is_told_apart(name: str) -> None:
    language, text, expected, others = SAID[name]
    found = told(of_text(text, language))
    assert expected <= found, found
    assert not [words for _, words in found if words in others]
    if not expected:
        assert not [one for one in found if one[0] in ("health", "contact")]


def test_what_is_confidential_of_the_family_is_said_so() -> None:
    assert of_text("My mother has cancer.").confidential == ("health of the family",)
    assert of_text("I have cancer.").confidential == ("health",)


# Whose words they are

QUOTES = {
    "marked lines": ("Thanks.\n> I have asthma.\n>> And so have I.\n", ("asthma", "so have")),
    "with who wrote it": ("Thanks.\n\nOn 5 Mar 2026 at 09:00, Tom Kolb wrote:\n> I have asthma.\n", ("Tom", "asthma")),
    "in two lines": ("Thanks.\n\nOn 5 Mar 2026, Tom Kolb\n<tom@one.example> wrote:\n\n> asthma\n", ("Tom", "asthma")),
    "below a word": ("Thanks\nTom <tom@one.example> wrote:\n> asthma\n", ("Tom", "asthma")),
    "without marks": ("Thanks.\n\nOn 5 Mar 2026, <tom@one.example> wrote:\n\nI have asthma.\n", ("asthma",)),
    "in German": ("Danke.\n\nAm 05.03.2026 um 09:00 schrieb Tom:\n> Ich habe Asthma.\n", ("Tom", "Asthma")),
    "in Spanish": ("Gracias.\n\nEl 5 de marzo de 2026, Tom escribió:\n> Tengo asma.\n", ("Tom", "asma")),
    "in Portuguese": ("Obrigada.\n\nEm 5 de março de 2026, Tom escreveu:\n> Tenho asma.\n", ("Tom", "asma")),
    "below a rule": ("Thanks.\n\n-----Original Message-----\nFrom: Tom\nTo: Ada\n\nAsthma.\n", ("Tom", "Asthma")),
    "below a German rule": ("Danke.\n\n______________________\nVon: Tom\nAn: Ada\n\nAsthma.\n", ("Tom", "Asthma")),
    "below a head alone": ("Thanks.\n\nFrom: Tom\nSent: Monday\nTo: Ada\nSubject: x\n\nAsthma.\n", ("Tom", "Asthma")),
    "between one's own": ("Thanks.\n> I have asthma.\nI do not.\n> Good.\nBye.\n", ("asthma", "Good")),
}  # fmt: skip
OWN = {
    "a colon": "I bring three things:\n- soup\n- bread\n",
    "a list with a rule": "First.\n\n----------\n\nSecond.\n",
    "a form": "Name: Ada\nAge: 46\nTown: Graz\n",
    "an arrow": "a -> b\nx > y\n",
    "a signature": "Bye.\n-- \nAda Berger\nGraz\n",
}


@pytest.mark.parametrize("name", QUOTES)
def test_what_others_wrote_is_quoted(name: str) -> None:
    text, words = QUOTES[name]
    language = {"German": "de", "Spanish": "es", "Portuguese": "pt"}.get(name.split()[-1], "en")
    parts = split_text(text, "de" if "Von:" in text else language)
    assert all(parts.is_quoted(text.index(word)) for word in words)
    assert not parts.is_quoted(0)
    for own in ("I do not", "Bye"):
        assert own not in text or not parts.is_quoted(text.index(own))


@pytest.mark.parametrize("text", OWN.values(), ids=OWN)
def test_what_one_wrote_is_not_quoted(text: str) -> None:
    assert split_text(text, "en").quoted == ()


def test_the_quoted_is_not_the_author_s() -> None:
    introduction = "On 5 Mar 2026 at 09:00, Tom Kolb <tom@one.example> wrote:"
    text = f"I live in York.\n\n{introduction}\n> I live in Leeds and have asthma.\n"
    found = told(of_text(text))
    assert ("place", "York") in found
    assert not {"Leeds", "asthma", "Tom Kolb", "tom@one.example"} & {words for _, words in found}


# Who wrote

AUTHORS = {
    "Ada Berger <Ada@One.example>": ("ada@one.example", ("Ada Berger",)),
    '"Berger, Ada" <ada@one.example>': ("ada@one.example", ("Berger, Ada",)),
    "ada@one.example (Ada Berger)": ("ada@one.example", ("Ada Berger",)),
    "ada@one.example": ("ada@one.example", ()),
    "  Ada \n Berger ": ("ada berger", ("Ada Berger",)),
    "ADA BERGER": ("ada berger", ("ADA BERGER",)),
    "": None,
    "<>": None,
}


@pytest.mark.parametrize("written", AUTHORS)
def test_an_author_is_an_address(written: str) -> None:
    author, expected = parse_author(written), AUTHORS[written]
    assert (author and (author.key, author.names)) == expected


DAYS = {
    "Mon, 02 Mar 2026 10:00:00 +0100": "2026-03-02", "2026-03-02T10:00:00Z": "2026-03-02", "2026-03-02": "2026-03-02",
    1_772_445_600: "2026-03-02", 1_772_445_600_000: "2026-03-02", "1772445600.5": "2026-03-02", "": None, "soon": None,
    -1: None, 17: None, 1e300: None, float("nan"): None, True: None, "Mon, 99 Mar 2026": None,
}  # fmt: skip


@pytest.mark.parametrize("written", DAYS, ids=str)
def test_days_are_read(written: object) -> None:
    assert parse_day(written) == DAYS[written]  # type: ignore[index]


MAIL = "From: {by}\nTo: Tom Kolb <tom@one.example>\nDate: {day} +0100\nSubject: soup\n\n{text}\n"
LETTERS = [
    ("Ada Berger <ada@one.example>", "Mon, 02 Mar 2026 10:00:00", "I have diabetes.\n\nAda"),
    ('"Berger, Ada" <ADA@one.example>', "Fri, 06 Mar 2026 10:00:00", "I live in York, and I still have diabetes."),
    ("ada berger", "Sun, 01 Mar 2026 10:00:00", "I earn 48,000 pounds."),
    ("Tom Kolb <tom@one.example>", "Tue, 03 Mar 2026 10:00:00", "Soup it is."),
]


@pytest.fixture
def mails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "mails"
    folder.mkdir()
    for number, (by, day, text) in enumerate(LETTERS):
        (folder / f"{number}.eml").write_text(MAIL.format(by=by, day=day, text=text), "utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def exposed(*words: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    assert main(["leak", "exposure", *words, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_mails_are_added_up_by_author(mails: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ada, tom = exposed("mails", capsys=capsys)
    assert (ada["author"], ada["texts"], ada["since"], ada["until"]) == ("a1", 3, "2026-03-01", "2026-03-06")
    assert ada["confidential"] == ["health"]
    rows = {row["attribute"]: row for row in ada["disclosed"]}  # type: ignore[attr-defined]
    assert (rows["health"]["times"], rows["health"]["texts"], rows["health"]["since"]) == (2, 2, "2026-03-02")
    assert {"health", "place", "money", "name"} <= set(rows)
    [first, second] = sorted(rows["health"]["evidence"], key=lambda place: place["document"])
    assert [first["document"], second["document"]] == ["mails/0.eml", "mails/1.eml"]
    [source] = list(read_all_authored(["mails/0.eml"], AuthorColumns(), ReadOptions(), None, []))
    assert source.document.text[first["start"] : first["end"]] == "diabetes"
    assert tom["texts"] == 1
    assert float(str(tom["bits"])) < float(str(ada["bits"]))


def test_nothing_of_texts_is_shown_unasked(mails: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--json"], ["-o", "x.csv"], ["-o", "x.json"]):
        assert main(["leak", "exposure", "mails", *words]) == 0
        shown = capsys.readouterr()
        written = Path(words[1]).read_text("utf-8") if words[:1] == ["-o"] else ""
        everything = (shown.out + shown.err + written).lower()
        assert not [word for word in ("ada", "berger", "diabetes", "york", "48,000") if word in everything]
    assert main(["leak", "exposure", "mails", "--show-original"]) == 0
    assert "'diabetes'" in (text := capsys.readouterr().out)
    assert "ada@one.example" in text
    assert "diabetes" not in repr(measure_exposure(list(authored()), Config()))


def authored() -> Iterator[AuthoredText]:
    return read_all_authored(["mails/0.eml"], AuthorColumns(), ReadOptions(), None, [])


def test_pseudonyms_stay_the_same_by_a_key(mails: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("our.key").write_text("a key that nobody else has\n")
    Path("our.key").chmod(0o600)
    both = [row["author"] for row in exposed("mails", "--key-file", "our.key", capsys=capsys)]
    (mails / "0.eml").unlink()
    (mails / "1.eml").unlink()
    (mails / "2.eml").unlink()
    [tom] = exposed("mails", "--key-file", "our.key", capsys=capsys)
    assert tom["author"] == both[1] != both[0]


def test_a_table_has_a_row_for_each_thing(mails: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leak", "exposure", "mails", "-o", "x.csv"]) == 0
    rows = list(csv.DictReader(Path("x.csv").read_text("utf-8").splitlines()))
    assert {row["author"] for row in rows} == {"a1", "a2"}
    assert [row["document"] for row in rows if row["attribute"] == "health"] == ["mails/1.eml"]
    if sys.platform != "win32":
        assert not Path("x.csv").stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    assert main(["leak", "exposure", "mails", "--top", "1", "--things", "1"]) == 0
    shown = capsys.readouterr().out
    assert "… and 1 more authors" in shown
    assert "a2:" not in shown


def test_a_mailbox_is_read_message_by_message(mails: Path, capsys: pytest.CaptureFixture[str]) -> None:
    messages = [f"From x@one.example Mon Mar  2 10:00:00 2026\n{MAIL.format(by=by, day=day, text=text)}\n"
                for by, day, text in LETTERS]  # fmt: skip
    Path("all.mbox").write_text("".join(messages), "utf-8")
    [ada, _] = exposed("all.mbox", capsys=capsys)
    assert ada["texts"] == 3
    Path("some.mbox").write_text("".join([*messages[:1], "From x Mon Mar  2 10:00:00 2026\nno: mail\n\nx\n"]), "utf-8")
    assert main(["leak", "exposure", "some.mbox", "--json"]) == 3
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 1
    assert "some.mbox#2: is no e-mail" in shown.err
    Path("none.mbox").write_text("hello", "utf-8")
    assert main(["leak", "exposure", "none.mbox"]) == 3


CHAT = [
    {"user": "ada", "text": "I have diabetes", "ts": 1_772_445_600},
    {"user": "tom", "text": "soup?", "ts": "x"},
    {"user": "Ada", "text": "I live in York", "ts": 1_772_545_600},
    {"user": "ada", "text": ""},
    {"user": None, "text": "nobody says that"},
]


def test_chats_and_posts_are_read_by_their_fields(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chat.jsonl").write_text("\n".join(map(json.dumps, CHAT)), "utf-8")
    assert main(["leak", "exposure", "chat.jsonl", "--by", "user", "--json"]) == 0
    shown = capsys.readouterr()
    assert "nobody knows who wrote 1 texts" in shown.err
    [ada, tom] = map(json.loads, shown.out.splitlines())
    assert (ada["texts"], ada["since"], tom["texts"], tom["since"]) == (2, "2026-03-02", 1, None)
    assert {"chat.jsonl:1", "chat.jsonl:3"} == {
        place["document"] for row in ada["disclosed"] for place in row["evidence"]
    }  # fmt: skip
    table = "who,body,posted\nada,I have diabetes,2026-03-02\n"
    Path("posts.csv").write_text(table, "utf-8")
    options = ["--by", "who", "--column", "body", "--date-field", "posted"]
    [ada] = exposed("posts.csv", *options, capsys=capsys)
    assert (ada["since"], ada["confidential"]) == ("2026-03-02", ["health"])


BAD = {
    "no such file": (["missing.eml"], 3, "no such file"),
    "no such field": (["chat.jsonl", "--by", "author"], 3, "name it with --by"),
    "no such text": (["chat.jsonl", "--by", "user", "--column", "body"], 3, "name it with --column"),
    "no such column": (["posts.csv", "--by", "author"], 3, "name it with --by"),
    "two texts": (["posts.csv", "--by", "who", "--column", "a", "--column", "b"], 2, "name one"),
    "nobody": (["chat.jsonl", "--by", " "], 2, "--by is empty"),
    "less than none": (["chat.jsonl", "--by", "user", "--top", "-1"], 2, "--top"),
    "of no kind": (["chat.jsonl", "--by", "user", "-o", "x.pdf"], 2, "of which kind"),
    "no such key": (["chat.jsonl", "--by", "user", "--key-file", "missing.key"], 3, "missing.key"),
    "a broken line": (["broken.jsonl", "--by", "user"], 3, "line 2"),
    "no such model": (["chat.jsonl", "--by", "user", "--model", "missing.model"], 3, "missing.model"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_measured_is_said(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chat.jsonl").write_text('{"user": "ada", "text": "secret words"}\n', "utf-8")
    Path("broken.jsonl").write_text('{"user": "ada", "text": "secret words"}\n{"user": \n', "utf-8")
    Path("posts.csv").write_text("who,text\nada,secret words\n", "utf-8")
    words, code, message = BAD[name]
    found = main(["leak", "exposure", *words])
    shown = capsys.readouterr()
    assert (found, message in shown.err) == (code, True), shown.err
    assert "secret" not in shown.out + shown.err


# How it adds up


def test_exposure_is_of_distinct_things() -> None:
    exposure = AuthorExposure(ADA)
    flags = {"is_direct": False, "confidential": False, "is_own_name": False}
    for number in range(2 * MAX_EVIDENCE):
        exposure.add(("place", False, "york"), Place(f"{number}", 0, 4, 0.9, "2026-03-02"), 0.5, **flags)
    assert (exposure.exposure, exposure.quasi) == (0.5, 1)
    exposure.add(("money", False, "48 000"), Place("1", 9, 12, 0.9), 0.5, **flags)
    assert exposure.exposure == 0.75
    assert exposure.bits == pytest.approx(2.0)
    own = Place("1", 0, 4, 1.0)
    exposure.add(("name", False, ""), own, 1.0, is_direct=True, confidential=False, is_own_name=True)
    assert exposure.exposure == 0.75  # by what everybody knows them, nobody is singled out anew
    [place] = [one for one in exposure.ranked() if one.attribute == "place"]
    assert (place.times, len(place.places)) == (2 * MAX_EVIDENCE, MAX_EVIDENCE)
    for number in range(2 * MAX_ATTRIBUTES + 10):
        exposure.add(("number", False, str(number)), Place("1", 0, 1, 0.5), 0.1, **flags)
    assert len(exposure.disclosed) <= 2 * MAX_ATTRIBUTES
    assert any(one.attribute == "money" for one in exposure.ranked())


def test_all_kinds_are_attributes() -> None:
    assert all(attribute_of(kind) for kind in KIND_NAMES)
    assert attribute_of("DEM.illness") == "health"
    assert "health" not in ATTRIBUTES.values()


def test_hostile_texts_take_no_time() -> None:
    texts = [
        ">" * 200_000,
        "> \n" * 60_000,
        "From: x\n" * 20_000,
        ("a: b\n" * 3 + "\n") * 10_000,
        "-" * 200_000,
        "a:\n" * 60_000,
    ]
    begun = time.process_time()
    for text in texts:
        split_text(text, "en")
    assert time.process_time() - begun < 10
