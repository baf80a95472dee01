"""The report: what is in it, what never is, that it stands alone, and that many documents fit."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

import embanon
from embanon.anonymizer import Anonymized, Anonymizer
from embanon.cli.main import main
from embanon.config.settings import Config
from embanon.entities.protected import ProtectedEntities, ProtectionRules
from embanon.io.terminal import FORMULA_PREFIXES, defuse_formula, to_csv
from embanon.linkage.exposure import Attackers
from embanon.report.charts import histogram, risk_strip
from embanon.report.page import to_html
from embanon.report.report import (
    COLUMNS,
    DISCLAIMER,
    ORIGINALS,
    SECRET,
    PhraseOutcomes,
    ReportVisibility,
    build_report,
    document_settings,
    summary,
    summary_line,
    totals,
)

TEXT = (
    "Ada Berger (born 5 June 1975) is a Norwegian cardiologist at the Velland Clinic. She moved to Bergen in 2003. "
    "Write to ada.berger@velland.example <b>now</b>."
)
SECRETS = ("Berger", "1975", "Velland", "Bergen", "ada.berger")
VOID = ("meta", "rect", "path")
BROWSER = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
"""Set CHROMIUM to try the page in a browser."""
ASKING = frozenset("script link img iframe object embed form input base".split())


class Page(HTMLParser):
    """Sees that tags are closed, and keeps them and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for one, attributes in self.seen if one == tag]


def checked(text: str) -> Page:
    """Parse a page, and see that it asks for nothing."""
    page = Page(text)
    assert not {tag for tag, _ in page.seen} & ASKING
    for tag, attributes in page.seen:
        for name, value in attributes.items():
            assert not name.startswith("on"), tag
            assert name not in ("src", "style", "srcset", "data"), tag
            assert name != "href" or str(value).startswith("#"), tag
    policy = next(one["content"] or "" for one in page.all("meta") if one.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert not re.search(r"@import|url\(", text)
    ids = [one["id"] for _, one in page.seen if "id" in one]
    assert len(ids) == len(set(ids))
    return page


@cache
def anonymizer() -> Anonymizer:
    return embanon.load(language="en")


def anonymized(text: str = TEXT, id: str = "text", **options: Any) -> Anonymized:
    return anonymizer().anonymize(text, "Ada Berger", id=id, **options)


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    (tmp_path / "letter.txt").write_text(TEXT, "utf-8")
    (tmp_path / "protect.jsonl").write_text("Ada Berger\n", "utf-8")
    return tmp_path / "letter.txt"


Write = Callable[..., str]


@pytest.fixture
def report(letter: Path) -> Write:
    """Return a function that reports on the letter."""

    def run(*words: str) -> str:
        out = letter.parent / "out"
        options = ["--entities", str(letter.parent / "protect.jsonl"), "--language", "en", "-o", str(out)]
        assert main(["report", str(letter), *options, *words]) == 0
        return out.read_text("utf-8")

    return run


def test_the_page_stands_alone_and_hides_originals(report: Write) -> None:
    found = report()
    page = checked(found)
    assert not [secret for secret in SECRETS if secret in found]
    assert not re.search(r"https?:", found)
    assert DISCLAIMER in found
    assert "Person 1" in found
    assert "&lt;" in found
    assert not page.all("b")
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(one["scope"] in ("col", "row") for one in page.all("th"))
    assert all(one["role"] == "img" and one["aria-label"] for one in page.all("svg"))
    assert {"h1", "h2", "h3", "main", "ins", "section"} <= {tag for tag, _ in page.seen}
    assert page.all("html") == [{"lang": "en"}]


@pytest.mark.parametrize("public", [False, True])
def test_what_is_not_in_it_is_said(public: bool, letter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (letter.parent / "bad.txt").write_bytes(b"\xff")
    (letter.parent / "page.html").write_text("<p>Ada Berger</p><script>var who = 'Berger'</script>", "utf-8")
    files = [str(letter.parent / name) for name in ("letter.txt", "bad.txt", "page.html")]
    words = ["--entities", str(letter.parent / "protect.jsonl"), "-o", str(letter.parent / "out")]
    assert main(["report", *files, *words, *(["--publish"] if public else [])]) == 3
    found, said = (letter.parent / "out").read_text("utf-8"), capsys.readouterr().err
    checked(found)
    assert "1 input is left out of this report: not readable" in found
    assert "a part of a protected name is in what is not read" in found
    assert "a part of a protected name is in what is not read" in said
    assert "1 of 3 inputs is left out" in said
    assert ("bad.txt" in found, "page.html" in found) == (not public, not public)
    assert "whom you protect, in the order in which you named them" in found


def test_originals_stand_in_it_only_when_asked_for(report: Write) -> None:
    found = report("--show-original")
    checked(found)
    assert all(secret in found for secret in SECRETS)
    assert SECRET in found
    assert "June 1975" in found  # a rung that tells more than the chosen one


def test_a_table_of_edits(report: Write) -> None:
    rows = list(csv.DictReader(io.StringIO(report("--as", "csv"))))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["replacement"] == "Person 1"
    assert rows[1]["above"] == "the 1970s < the 20th century < a date"
    assert all(float(row["replacement_risk"]) < 0.5 for row in rows)
    assert report("--as", "csv", "--show-original").splitlines()[0] == ",".join((*COLUMNS, *ORIGINALS))
    assert to_csv(COLUMNS, []) == ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize("first", FORMULA_PREFIXES, ids=[f"u{ord(one):04x}" for one in FORMULA_PREFIXES])
def test_no_cell_is_a_formula(first: str) -> None:
    assert defuse_formula(f"{first}1+1") == f"'{first}1+1"


@pytest.mark.parametrize(
    ("value", "cell"), [("a=1", "a=1"), (-0.5, -0.5), (None, None), (["a", "b"], "a < b"), ([], "")]
)
def test_other_cells_stay(value: Any, cell: Any) -> None:
    assert defuse_formula(value) == cell


def test_the_numbers(report: Write) -> None:
    row = json.loads(report("--as", "json"))
    assert row["risk_before"] == 1.0
    assert row["risk_after"] < row["limit"] == 0.5
    assert row["settings"]["preset"] == "standard"
    assert row["embanon"].keys() == {"version", "scorer", "config", "model", "taxonomies", "limit"}
    assert sum(row["how"].values()) == row["replaced"] == row["masked"]
    for name in ("phrases", "replaced", "unknown"):
        assert sum(one[name] for one in row["types"]) == row[name]
    assert [one["name"] for one in row["floors"]] == [
        "embanon", "every noun phrase", "names and numbers only", "the rarest phrases, as many words",
    ]  # fmt: skip
    assert row["edits"][1]["above"] == ["the 1970s", "the 20th century", "a date"]
    assert "finer" not in row["edits"][1]
    assert row["promise"] == DISCLAIMER


def test_what_is_published_tells_no_ids_nor_how_rare_originals_are(report: Write, letter: Path) -> None:
    for kind in ("html", "json", "csv", "text"):
        found = report("--as", kind, "--publish")
        assert "letter" not in found
        assert str(letter.parent) not in found
        assert "document 1" in found
    row = json.loads(report("--as", "json", "--publish"))
    risks = [row["risk_before"], *(one["risk_before"] for one in row["types"]), *(one["risk"] for one in row["edits"])]
    assert all(risk == round(risk, 1) for risk in risks)


def test_exact_numbers_of_documents_are_not_published(letters: Path) -> None:
    text = "Ada Berger praised the steam engine of the Zorvath company in 1911, and went home by the last train."
    done = embanon.load(letters, language="en").anonymize(text, "Ada Berger")
    told = {public: str(build_report(done, look=ReportVisibility(is_public=public)).edits) for public in (False, True)}
    assert "of 24 documents" in told[False]
    assert "documents" not in told[True].replace("'document'", "")
    assert "very rare in the texts" in told[True]


def test_originals_are_not_published(letter: Path) -> None:
    assert main(["report", str(letter), "--protect", "Ada Berger", "--publish", "--show-original"]) == 2


def test_a_summary(report: Write) -> None:
    found = report("--as", "text")
    assert re.search(r"\d+ phrases, \d+ replaced \(\d+ generalized", found)
    assert "highest risk 1.00 before" in found
    assert not [secret for secret in SECRETS if secret in found]
    assert report("--as", "text", "--summary-only").startswith("documents: 1; ")


class Terminal(io.StringIO):
    """Says that somebody reads it."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_summary(letter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, errors = Terminal(), Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", errors)
    assert main(["report", str(letter), "--protect", "Ada Berger", "--language", "en"]) == 0
    assert out.getvalue().startswith("== ")
    assert main(["anonymize", str(letter), str(letter), "--protect", "Ada Berger", "--language", "en"]) == 0
    said = errors.getvalue().splitlines()
    assert len(said) == 3
    assert re.fullmatch(r"embanon: .*letter\.txt: \d+ phrases, \d+ replaced \(.*\); highest risk .*", said[0])
    assert said[2].startswith("embanon: documents: 2; ")
    assert not [secret for secret in SECRETS if secret in errors.getvalue()]


def test_an_output_that_is_an_input_is_refused(letter: Path) -> None:
    assert main(["report", str(letter), "--protect", "Ada Berger", "-o", str(letter)]) == 2
    assert letter.read_text("utf-8") == TEXT


def test_what_cannot_be_read_writes_nothing(tmp_path: Path) -> None:
    assert main(["report", str(tmp_path / "none.txt"), "--protect", "Ada Berger", "-o", str(tmp_path / "x")]) == 3
    assert not (tmp_path / "x").exists()


def test_one_edit_for_several_phrases(tmp_path: Path) -> None:
    text = "Ada Berger lived in Oslo, Stavanger and Trondheim, in Bergen, and in the towns of Molde, Bodø and Narvik."
    (tmp_path / "a.txt").write_text(text, "utf-8")
    out = tmp_path / "out.csv"
    words = ["report", str(tmp_path / "a.txt"), "--protect", "everyone", "--language", "en", "--as", "csv"]
    assert main([*words, "-o", str(out)]) in (0, 1)
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
    assert len(rows) < 8
    assert all(row["why"] for row in rows)
    checked(anonymizer().anonymize(text, "everyone").to_html())


NAMES = st.from_regex(r"[BDGKLMNPRTVZ][aeiou][bdgklmnprtvz][aeiou][bdgklmnprtvz]{1,2}[aeiou]x", fullmatch=True)
FORMS = (
    "Ada {} met {} of the {} Institute in {}. ",
    "{} was born in {} and works as a baker for {} GmbH; her number is 4711-{}. ",
    "The {} of {} opened on 4 July 1962, {} said to {}. ",
    "Write to {}@{}.example or see {} & {} <{}>. ",
)


@st.composite
def letters_of_strangers(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Return a text that nobody wrote, and its invented names."""
    forms = draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=4))
    names = draw(st.lists(NAMES, min_size=2, max_size=8, unique=True))
    several = iter(names * 20)
    return "".join(re.sub(r"\{\}", lambda _: next(several), form) for form in forms), names


@settings(max_examples=40)
@given(letters_of_strangers(), st.booleans())
def test_no_original_is_told(given: tuple[str, list[str]], public: bool) -> None:
    text, names = given
    one = anonymizer().anonymize(text, [names[0]], id="x")
    gone = [name for name in names if name not in one.text and any(name in some.original for some in one.solutions)]
    look = ReportVisibility(is_public=public)
    page = "".join(to_html([one], document_settings(one), look))
    checked(page)
    row = build_report(one, look=look)
    written = page + json.dumps(row.to_dict()) + to_csv(COLUMNS, row.edits) + summary_line(row.numbers)
    written += one.scored_document.to_html() + repr(row) + repr(one)
    assert names[0] in gone
    assert not [name for name in gone if name in written]
    assert all(name in one.to_html(original=True) for name in gone)


@pytest.mark.filterwarnings("ignore::embanon.ProtectedNameWarning")
@settings(max_examples=60)
@given(st.text(max_size=300), st.text(max_size=20))
@example("", "")
@example(" \n", "x")
@example("<script>alert(1)</script> Ada Berger </style>", "</title><script>x</script>")
@example("مرحبا Ada Berger من برلين \u200f\u202eabc", "\u202ename")
@example("👩\u200d👩\u200d👧 Ada Berger 😀 5 June 1975", "😀")
@example("Ada Berger\ud800 wrote", "\ud800")
def test_any_text_makes_a_page(text: str, id: str) -> None:
    one = anonymizer().anonymize(text, "Ada Berger", id=id)
    for original in (False, True):
        for page in (one.to_html(original=original), one.scored_document.to_html(original=original)):
            checked(page).all("main")
            page.encode()
    outcome = PhraseOutcomes.from_anonymized(one)
    assert ((outcome.after <= outcome.before + 0.1) | (outcome.edit_numbers >= 0)).all()
    json.loads(json.dumps(build_report(one).to_dict()))


def test_text_from_right_to_left_keeps_its_direction() -> None:
    found = anonymized("مرحبا Ada Berger 👩\u200d👧").to_html()
    assert 'dir="auto"' in found
    assert "👩\u200d👧" in found


def test_phrases_that_are_left_are_shaded_by_their_own_risk() -> None:
    one = anonymized("Ada Berger is an actress. She works with patients.")
    found = one.to_html()
    assert '<ins class="h0">Person 1</ins> is an ' in found
    assert re.search(r' is an <span class="h[1-4]">actress</span>', found)
    risky = anonymized("Ada Berger is a Norwegian cardiologist.", method="keep")
    assert '<ins class="h4">Ada Berger</ins>' in risky.to_html()
    assert "originals were kept" in risky.to_html()
    assert "keep a risk at or above the limit" in risky.to_html()


def test_rungs_that_tell_more_are_shown_with_originals_only() -> None:
    one = anonymized("Ada Berger moved to Bergen on 4 July 2003 and is a professor of chemistry at a clinic in Porto.")
    for plain, whole in zip(
        build_report(one).edits, build_report(one, look=ReportVisibility(shows_originals=True)).edits, strict=True
    ):
        assert plain.keys() == set(COLUMNS)
        assert not set(plain["above"]) & set(whole["finer"])
    date = next(
        row for row in build_report(one, look=ReportVisibility(shows_originals=True)).edits if row["type"] == "DATETIME"
    )
    assert (date["above"], date["finer"]) == (["the 2000s", "the 21st century", "a date"], ["July 2003", "2003"])


@pytest.mark.parametrize(
    ("method", "how", "caution"),
    [("suppress", "suppressed", ""), ("tag", "tagged", ""), ("mask", "masked", "how long"), ("keep", "kept", "kept")],
)
def test_what_was_done(method: str, how: str, caution: str) -> None:
    report = build_report(anonymized(method=method))
    assert report.numbers["how"][how] == report.numbers["replaced"] > 0
    assert any(caution in one for one in report.cautions) if caution else not report.cautions


@pytest.mark.filterwarnings("ignore::embanon.ProtectedNameWarning")
def test_marks_of_an_earlier_run_are_safe() -> None:
    once = anonymized(method="tag")
    again = summary(anonymizer().anonymize(once.text, "Ada Berger"))
    assert again["risk_after"] < again["limit"]


def test_a_model_that_does_not_fit_is_warned_of(letters: Path) -> None:
    strange = " ".join(f"{first}{last}o" for first in "bdfgkm" for last in ("al", "er", "in", "ut"))
    done = embanon.load(letters, language="en").anonymize(f"Ada Berger wrote {strange}.", "Ada Berger")
    assert "the model does not know" in done.to_html()
    fit = embanon.load(letters, language="en").anonymize("Ada Berger wrote about the garden.", "Ada Berger")
    assert not build_report(fit).cautions


PUBLIC = {
    "Ada Berger": "Ada Berger is a Norwegian heart doctor at the Velland Clinic in Bergen, born in 1975.",
    "Ben Marsk": "Ben Marsk is an English engineer who sails, and lives in Leeds.",
    "Cora Tolland": "Cora Tolland is a Swedish cardiologist in an orchestra in Berlin.",
}


@pytest.mark.filterwarnings("ignore::embanon.ProtectedNameWarning")
def test_an_attacker_reads_what_each_rule_leaves() -> None:
    attackers = Attackers.from_texts(list(PUBLIC), list(PUBLIC.values()))
    attacked = Anonymizer(Config(language="en"), attackers=attackers)
    one = attacked.anonymize(TEXT, "Ada Berger")
    report = build_report(one, attackers=attackers)
    ranks = {floor.name: floor.rank for floor in report.baselines}
    assert report.numbers["anonymity"]["rank"] == 1
    assert report.numbers["anonymity"]["written"] == ranks["embanon"]
    assert all(rank is not None and 1 <= rank <= 3 for rank in ranks.values())
    assert ranks["every noun phrase"] >= ranks["names and numbers only"]  # type: ignore[operator]
    page = "".join(to_html([one], {}, attackers=attackers))
    assert "rank for the attacker" in page
    assert "rank 1 of 3" in page
    other = attacked.anonymize(TEXT, "Somebody Else")
    assert "not known" in "".join(build_report(other, attackers=attackers).cautions)


def test_scores_are_a_page_as_well() -> None:
    judged = anonymizer().score(TEXT, "Ada Berger", id="<x>")
    plain, whole = judged.to_html(), judged.to_html(original=True)
    assert not [secret for secret in SECRETS if secret in plain]
    assert all(secret in whole for secret in SECRETS)
    assert SECRET in whole
    assert len(checked(judged.to_html(limit=0.99)).seen) < len(checked(plain).seen)


HOSTILE = "<script>alert(1)</script>&\"'`{{ 7*7 }}{% raw %}\x00\x1b[2J\u202e\u200f\ud800 onload=x"


def test_hostile_words_are_text_everywhere() -> None:
    one = anonymized(f"Ada Berger wrote {HOSTILE} in Bergen.", id=HOSTILE)
    look = ReportVisibility(shows_originals=True)
    pages = ["".join(to_html([one] * count, {HOSTILE: HOSTILE}, look, notes=[HOSTILE])) for count in (1, 2)]
    for page in (*pages, one.scored_document.to_html(original=True)):
        checked(page)
        assert not re.search("[\x00-\x08\x0b-\x1f\u200f\u202e\ud800]", page)
        assert "<script" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#x27;`{{ 7*7 }}{% raw %}" in page


def test_the_policy_names_the_style_of_the_page() -> None:
    page = anonymized().to_html()
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}';" in page


def test_templates_are_loaded_only_for_a_page() -> None:
    code = "import sys, embanon; embanon.load(language='en').anonymize('Ada', 'Ada'); print('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_blocks_tell_no_lengths() -> None:
    judged = [anonymizer().score(f"Ada {'Berger ' * n}is a cardiologist.", f"Ada {'Berger ' * n}") for n in (1, 2)]
    assert risk_strip([0.0, 0.5], [1.0, 0.2]).count("<rect") == 2
    assert [str(one.to_html().count("<svg")) for one in judged] == ["2", "2"]


def test_charts() -> None:
    assert histogram([("a", []), ("b", [])], 0.645, "none").count("<rect") == 2  # of the legend
    found = histogram([("before", [0.95, 0.91, 0.2])], 0.5, "<x>")
    assert found.count("<rect") == 3
    assert "before: 1 from 0.2; 2 from 0.9" in found or "before: 1 from 0.2, 2 from 0.9" in found
    assert "<x>" not in found
    assert risk_strip([], []).count("<rect") == 0


COUNT = 500


@cache
def many() -> tuple[Anonymized, ...]:
    from embanon.document import Document
    from embanon.entities.entity import Entity

    texts = (f"Ada Berger paid {n} dollars in Bergen on {n % 28 + 1} May {1900 + n % 90}." for n in range(COUNT))
    documents = [Document(f"letter-{n}", text, "en") for n, text in enumerate(texts)]
    return tuple(anonymizer().anonymize_all(documents, ProtectionRules(ProtectedEntities((Entity("Ada Berger"),)))))


def test_many_documents_fit_on_a_page() -> None:
    documents = many()
    alone = len("".join(to_html(documents[:1], {})))
    page, short = "".join(to_html(documents, {})), "".join(to_html(documents, {}, overview_only=True))
    seen = checked(page)
    assert len(page) < COUNT * min(alone, 8_000)
    assert len(short) < COUNT * 400
    assert len(seen.all("section")) == COUNT
    assert not checked(short).all("section")
    assert {f"#{one['id']}" for one in seen.all("h2") if "id" in one} == {one["href"] for one in seen.all("a")}
    numbers = [summary(one) for one in documents]
    assert totals(numbers)["phrases"] == sum(one["phrases"] for one in numbers)


def test_the_riskiest_document_comes_first() -> None:
    harmless, risky = anonymized(id="harmless"), anonymized(id="risky", method="keep")
    page = "".join(to_html([harmless, risky], {}))
    assert page.index(">risky<") < page.index(">harmless<")
    assert "1 of 2 documents keep a risk" in page
    assert checked("".join(to_html([], {}))).all("table")


@pytest.mark.skipif(not BROWSER, reason="no browser; name one: CHROMIUM")
def test_a_browser_shows_it_and_runs_nothing(tmp_path: Path) -> None:
    def refused(page: str) -> list[str]:
        (tmp_path / "page.html").write_text(page, "utf-8")
        words = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr".split()
        words += [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (tmp_path / "page.html").as_uri()]
        done = subprocess.run([str(BROWSER), *words], capture_output=True, text=True, timeout=100, check=True)
        assert "Risk report" in done.stdout
        return [one for one in done.stderr.splitlines() if "Content Security Policy" in one]

    page = anonymized().to_html()
    assert refused(page) == []
    hostile = "<style>b{}</style><script>document.title='run'</script><img src='https://example.org/x.png'>"
    assert len(refused(page.replace("<main>", f"<main>{hostile}"))) == 3
