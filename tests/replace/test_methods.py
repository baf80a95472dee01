"""Methods by type, kind and language: which row decides, what the command says, and what is the same with a key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from embanon.cli.main import main
from embanon.config.load import load
from embanon.config.settings import METHODS, AnonymizeSettings, Config, MethodRule
from embanon.errors import ConfigError
from embanon.replace.methods import Methods
from embanon.replace.surrogates.dates import SHIFT_WARNING

TEXT = (
    "Ada Berger is an oboist. She left Acme Ltd and moved to Bergen on 4 July 2003. "
    "Write to ada.berger@velland.example.\n"
)
OTHER = "The oboist Ada Berger wrote on 14 July 2003 from Bergen. Berger left.\n"
SETTINGS = """\
[anonymize]
method = "tag"
shift_days = 30
checksums = "valid"

[[methods]]
types = ["DATETIME"]
method = "shift"

[[methods]]
kinds = ["CODE.e-mail", "LOC.city"]
method = "suppress"

[[methods]]
types = ["CODE", "LOC"]
languages = ["de", "es"]
method = "keep"

[[methods]]
types = ["ORG"]
languages = ["en"]
method = "substitute"
"""
CHOSEN = {
    ("en", "DATETIME", "DATETIME.date"): "shift",
    ("en", "CODE", "CODE.e-mail"): "suppress",
    ("de", "CODE", "CODE.e-mail"): "suppress",
    ("de", "CODE", "CODE.national.de"): "keep",
    ("en", "CODE", "CODE.national.de"): "tag",
    ("es", "LOC", "LOC.country"): "keep",
    ("en", "ORG", "ORG.company"): "substitute",
    ("de", "ORG", "ORG.company"): "tag",
    ("en", "LOC", "LOC.cityscape"): "tag",
}


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    (tmp_path / "embanon.toml").write_text(SETTINGS)
    return tmp_path / "embanon.toml"


@pytest.mark.parametrize(("language", "type", "kind"), CHOSEN)
def test_the_first_row_that_fits_decides(language: str, type: str, kind: str, settings: Path) -> None:
    methods = Methods.from_config(load(settings).config, language)
    assert methods.method_for(type, kind) == CHOSEN[language, type, kind]
    assert (methods.shift_days, methods.valid) == (30, True)


def test_a_kind_has_finer_ones() -> None:
    methods = Methods.from_config(Config(methods=(MethodRule("mask", kinds=("CODE.national",)),)), "en")
    assert [methods.method_for("CODE", kind) for kind in ("CODE.national.de", "CODE.national", "CODE.nationals")] == [
        "mask", "mask", "generalize",
    ]  # fmt: skip


BAD = {
    "no such method": ("[anonymize]\nmethod = 'hide'", "anonymize.method must be one of generalize, suppress"),
    "no days": ("[anonymize]\nshift_days = 0", "anonymize.shift_days must be from 1 to"),
    "no such checksums": ("[anonymize]\nchecksums = 'right'", "anonymize.checksums must be one of invalid, valid"),
    "no such key": ("[anonymize]\nmethods = 'tag'", "did you mean 'anonymize.method'?"),
    "a row without a method": ("[[methods]]\ntypes = ['LOC']", "methods[0] lacks 'method'"),
    "a row with a wrong one": ("[[methods]]\nmethod = 'hide'", "methods[0].method must be one of"),
    "no such type": ("[[methods]]\nmethod = 'tag'\ntypes = ['PLACE']", "methods[0].types must be of PERSON"),
    "no kind": ("[[methods]]\nmethod = 'tag'\nkinds = ['e-mail']", "methods[0].kinds must be of a type"),
    "no language": ("[[methods]]\nmethod = 'tag'\nlanguages = ['English']", "methods[0].languages"),
    "shifted places": ("[[methods]]\nmethod = 'shift'\ntypes = ['LOC']", '"shift" is for dates'),
    "shifted everything": ("[[methods]]\nmethod = 'shift'", '"shift" is for dates'),
}


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_named(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    (tmp_path / "embanon.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "embanon.toml")
    assert message in str(caught.value)


def test_where_settings_come_from(settings: Path) -> None:
    rows = {key: (value, origin) for key, value, origin in load(settings, {"anonymize.method": "mask"}).rows()}
    assert rows["anonymize.method"] == ("mask", "option")
    assert rows["methods[0].types"] == (["DATETIME"], f"file {settings}")
    assert load(environment={"EMBANON_ANONYMIZE_METHOD": "tag"}).config.anonymize == AnonymizeSettings("tag")


def test_a_key_is_named_relative_to_the_settings(tmp_path: Path) -> None:
    (tmp_path / "embanon.toml").write_text("[anonymize]\nkey_file = 'key'")
    assert load(tmp_path / "embanon.toml").config.anonymize.key_file == str(tmp_path / "key")


def test_filling_needs_a_model() -> None:
    for config in (
        Config(anonymize=AnonymizeSettings("fill")),
        Config(methods=(MethodRule("fill", languages=("de",)),)),
    ):
        with pytest.raises(ConfigError, match="--model MODEL"):
            Methods.from_config(config, "en")


def test_each_run_has_a_secret() -> None:
    one, other = Methods(), Methods()
    assert one.keyed.secret != other.keyed.secret
    assert str(one.keyed.secret) not in repr(one)


# The command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "t.txt").write_text(TEXT)
    (work / "o.txt").write_text(OTHER)
    (work / "e").write_text("Ada Berger\n")
    (work / "key").write_text("a long random text\n")
    (work / "two").write_text("another\n")
    (work / "empty").touch()
    return work


def run(*words: str, code: int = 0) -> str:
    options = ["--entities", "e", "--language", "en", "-o", "out", "--solutions", "table"]
    assert main(["anonymize", *words, *options]) == code
    return Path("out").read_text() if not code else ""


def test_the_same_key_gives_the_same(here: Path) -> None:
    words = ("t.txt", "--method", "substitute", "--pseudonym-key")
    one, again, other = run(*words, "key"), run(*words, "key"), run(*words, "two")
    assert one == again != other
    name = one.partition(" is a")[0]
    assert name in run("o.txt", *words[1:], "key")
    assert len({run(*words[:-1]), run(*words[:-1])}) == 2
    (here / "embanon.toml").write_text("[anonymize]\nkey_file = 'key'\nmethod = 'substitute'")
    assert run("t.txt", "--config", "embanon.toml") == one


def test_all_methods_come_back(here: Path) -> None:
    for method in METHODS:
        if method not in ("fill", "keep"):
            shown = run("t.txt", "--method", method)
            assert "Berger" not in shown
            assert main(["restore", "out", "--solutions", "table", "-o", "back"]) == 0
            assert Path("back").read_text() == TEXT


def test_by_type(here: Path) -> None:
    (here / "embanon.toml").write_text(SETTINGS)
    shown = run("t.txt", "--config", "embanon.toml", "--limit", "0.2", "--pseudonym-key", "key")
    assert shown.startswith("[PERSON 1] is ")
    assert "to *** on " in shown
    assert "Write to ***." in shown
    assert " Ltd and " in shown
    assert " on 4 July 2003" not in shown


@pytest.mark.parametrize(
    "words", [("fill",), ("substitute", "--pseudonym-key", "empty"), ("shift", "--pseudonym-key", "out")]
)
def test_what_is_refused(here: Path, words: tuple[str, ...]) -> None:
    run("t.txt", "--method", *words, code=2)
    assert not Path("out").exists()


def test_no_such_key(here: Path) -> None:
    run("t.txt", "--method", "shift", "--pseudonym-key", "none", code=3)


def test_the_report_says_what_undoes_a_shift(here: Path) -> None:
    for method, said in (("shift", True), ("tag", False)):
        words = ["report", "t.txt", "--entities", "e", "--language", "en", "--method", method, "--limit", "0.2"]
        main([*words, "--as", "json", "-o", "out"])
        settings = json.loads(Path("out").read_text())["settings"]
        assert (settings.get("dates") == SHIFT_WARNING) is said
        assert settings["method"] == method
