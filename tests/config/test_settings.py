"""Settings: their order of precedence, and errors that say what to type."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from embanon.config.load import load
from embanon.config.settings import AllowRule, Config, DenyRule, PatternRule
from embanon.errors import ConfigError

SECRET = "Geheimnis"

FULL = """\
language = "de"

[phrases]
default_language = "de"
regex_seconds = 1

[[patterns]]
name = "employee-number"
type = "CODE"
regex = 'E-\\d{5}'

[[patterns]]
name = "wards"
type = "LOC"
kind = "LOC.ward"
file = "wards.txt"
words = ["Station Nord"]
languages = ["de", "en"]
ignore_case = true

[allow]
words = ["Monday"]
lemmas = ["patient"]

[[deny]]
type = "ORG"
words = ["the Firm"]
"""

# name: file, what the message says
BAD = {
    "unknown key": ("langauge = 'en'", "unknown key 'langauge'; did you mean 'language'?"),
    "unknown key in a table": ("[phrases]\nidentifier = 1", "did you mean 'phrases.identifiers'?"),
    "unknown key of a pattern": ("[[patterns]]\nnames = 'a'", "did you mean 'patterns[0].name'?"),
    "nothing near": ("xyzzy = 1", "unknown key 'xyzzy'; known here: language, phrases"),
    "wrong type": ("language = 3", "language must be a string"),
    "boolean is no number": ("[phrases]\nregex_seconds = true", "phrases.regex_seconds must be a number"),
    "number is no boolean": ("[phrases]\nidentifiers = 1", "phrases.identifiers must be true or false"),
    "table expected": ("phrases = 1", "phrases must be a table: [phrases]"),
    "tables expected": ("patterns = 1", "patterns must be tables: [[patterns]]"),
    "list expected": ("[allow]\nwords = 'a'", "allow[0].words must be a list"),
    "list of strings": ("[allow]\nwords = [1]", "allow[0].words[0] must be a string"),
    "no name": ("[[patterns]]\ntype = 'LOC'", "patterns[0] lacks 'name'"),
    "no such type": ("[[patterns]]\nname='a'\ntype='PLACE'\nwords=['b']", "[0].type must be one of"),
    "finds nothing": ("[[patterns]]\nname='a'\ntype='LOC'", "finds nothing; give it"),
    "no gazetteer": ("[[patterns]]\nname='a'\ntype='LOC'\nfile='no.txt'", "no.txt cannot be read"),
    "no such language": ("language = 'English'", "two or three small letters"),
    "no such language of a list": ("[deny]\nwords = ['a']\nlanguages = ['EN']", "deny[0].languages"),
    "not TOML": (f"language = {SECRET}", "not valid TOML at line 1, column 12"),
    "no time": ("[phrases]\nregex_seconds = 0", "must be above 0"),
    "endless time": ("[phrases]\nregex_seconds = inf", "must be above 0, and at most 3600"),
    "no number": ("[phrases]\nregex_seconds = nan", "must be above 0, and at most 3600"),
    "negative time": ("[phrases]\nregex_seconds = -1", "must be above 0, and at most 3600"),
    "much time": ("[phrases]\nregex_seconds = 1e300", "must be above 0, and at most 3600"),
    "more than a float": (f"[phrases]\nregex_seconds = 1{'0' * 400}", "regex_seconds is too large"),
    "too many digits": (f"[phrases]\nregex_seconds = 1{'0' * 9000}", "a number that is too long"),
    "deny finds nothing": ("[[deny]]\ntype = 'ORG'", "deny[0] finds nothing; give it `words`, `regex` or `lemmas`"),
    "allow finds nothing": ("[allow]\nwords = []", "allow[0] finds nothing"),
    "empty word": ("[[deny]]\nwords = ['a', ' ']", "deny[0].words has an empty entry"),
    "empty lemma": ("[[deny]]\nlemmas = ['']", "deny[0].lemmas has an empty entry"),
    "empty expression": ("[allow]\nregex = ['']", "allow[0].regex has an empty entry"),
    "empty word of a pattern": (
        "[[patterns]]\nname='a'\ntype='LOC'\nwords=['']",
        "patterns[0].words has an empty entry",
    ),
}


def test_a_full_file(tmp_path: Path) -> None:
    (tmp_path / "embanon.toml").write_text(FULL)
    (tmp_path / "wards.txt").write_text("# our wards\nIntensive Care\n\n Ward 7 \n", encoding="utf-8-sig")
    config = load(tmp_path / "embanon.toml").config
    assert config.language == "de"
    assert config.phrases.regex_seconds == 1.0
    assert config.patterns == (
        PatternRule("employee-number", "CODE", regex=r"E-\d{5}"),
        PatternRule(
            "wards",
            "LOC",
            "LOC.ward",
            words=("Station Nord", "Intensive Care", "Ward 7"),
            file="wards.txt",
            languages=("de", "en"),
            ignore_case=True,
        ),
    )
    assert config.allow == (AllowRule(words=("Monday",), lemmas=("patient",)),)
    assert config.deny == (DenyRule("ORG", words=("the Firm",)),)


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_named(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    file = tmp_path / "embanon.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("flags", "environment", "lowest"),
    [
        ({}, {}, 0.9),
        ({"score.preset": "strict"}, {}, 0.2),
        ({"score.preset": "strict", "score.limit": 0.5}, {}, 0.5),
        ({"score.limit": 0.5, "score.preset": "strict"}, {}, 0.5),
        ({"score.preset": None}, {}, 0.9),
        ({}, {"EMBANON_SCORE_PRESET": "strict"}, 0.2),
        ({}, {"EMBANON_SCORE_LIMIT": "0.4", "EMBANON_SCORE_PRESET": "strict"}, 0.4),
        ({"score.preset": "standard"}, {"EMBANON_SCORE_LIMIT": "0.4"}, 0.5),
        ({"score.limit": 0.5}, {"EMBANON_SCORE_PRESET": "strict"}, 0.5),
    ],
)
def test_a_preset_goes_before_the_limit_of_what_it_goes_before(
    flags: dict[str, object], environment: dict[str, str], lowest: float, tmp_path: Path
) -> None:
    file = tmp_path / "embanon.toml"
    file.write_text("[score]\nlimit = 0.9\nlimits = {DATETIME = 0.8}\n")
    found = load(file, flags, environment)
    assert found.config.score.effective_limit == lowest
    assert found.config.score.limits.DATETIME == 0.8
    assert ("score.limit" in found.origins) == (found.config.score.limit != -1)


def test_flag_over_environment_over_file_over_default(tmp_path: Path) -> None:
    file = tmp_path / "embanon.toml"
    file.write_text("language = 'pt'\n[phrases]\ndefault_language = 'pt'\nregex_seconds = 3.0")
    environment = {"EMBANON_LANGUAGE": "es", "EMBANON_PHRASES_DEFAULT_LANGUAGE": "es"}
    settings = load(file, {"language": "de", "phrases.identifiers": None}, environment)
    rows = {key: (value, origin) for key, value, origin in settings.rows()}
    set_here = {
        "language": ("de", "option"),
        "phrases.default_language": ("es", "environment EMBANON_PHRASES_DEFAULT_LANGUAGE"),
        "phrases.identifiers": (True, "default"),
        "phrases.regex_seconds": (3.0, f"file {file}"),
    }
    assert {key: rows.pop(key) for key in set_here} == set_here
    assert rows["train.epochs"] == (4, "default")
    assert {origin for _, origin in rows.values()} == {"default"}


def test_defaults() -> None:
    assert load(environment={}).config == Config()


def test_files_are_found_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from embanon.config.load import user_folder

    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.chdir(tmp_path)
    user_folder().mkdir(parents=True)
    (user_folder() / "embanon.toml").write_text("language = 'es'")
    assert load().config.language == "es"
    (tmp_path / "embanon.toml").write_text("language = 'pt'")
    assert load().config.language == "pt"
    (tmp_path / "named.toml").write_text("language = 'de'")
    assert load(environment={"EMBANON_CONFIG": "named.toml"}).config.language == "de"
    (tmp_path / "flag.toml").write_text("language = 'en'")
    assert load("flag.toml", environment={"EMBANON_CONFIG": "named.toml"}).config.language == "en"


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("EMBANON_LANGAUGE", "en", "did you mean 'EMBANON_LANGUAGE'?"),
        ("EMBANON_PHRASES_IDENTIFIERS", "maybe", "must be true or false"),
        ("EMBANON_PHRASES_REGEX_SECONDS", "soon", "must be a number"),
        ("EMBANON_LANGUAGE", "English", "language (environment EMBANON_LANGUAGE)"),
    ],
)
def test_mistakes_in_the_environment(variable: str, value: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(environment={variable: value})
    assert message in str(caught.value)


def test_values_of_the_environment_are_typed() -> None:
    environment = {"EMBANON_PHRASES_IDENTIFIERS": "false", "EMBANON_PHRASES_REGEX_SECONDS": "0.5"}
    phrases = load(environment=environment | {"EMBANON_DEBUG": "1"}).config.phrases
    assert (phrases.identifiers, phrases.regex_seconds) == (False, 0.5)


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path)


def test_words_are_secrets(tmp_path: Path) -> None:
    file = tmp_path / "embanon.toml"
    file.write_text(f"[[deny]]\nwords = ['{SECRET}']\nlemmas = ['{SECRET}']")
    settings = load(file)
    assert SECRET not in repr(settings)
    assert SECRET not in str(list(settings.rows()))
    assert ("deny[0].words", "1 of them", f"file {file}") in list(settings.rows())


def test_expressions_are_secrets_too(tmp_path: Path) -> None:
    file = tmp_path / "embanon.toml"
    file.write_text(
        f"[[patterns]]\nname='a'\ntype='LOC'\nregex='{SECRET}'\n"
        f"[allow]\nregex=['{SECRET}']\n[[deny]]\nregex=['{SECRET}', 'b']\n"
    )
    settings = load(file)
    assert SECRET not in repr(settings)
    values = {key: value for key, value, _ in settings.rows()}
    assert [values[key] for key in ("patterns[0].regex", "allow[0].regex", "deny[0].regex")] == [
        "1 of them", "1 of them", "2 of them",
    ]  # fmt: skip


def test_lines_of_a_gazetteer(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("# comment\n\\#1 Main Street\n #2 Main Street\nC#\n", encoding="utf-8")
    file = tmp_path / "embanon.toml"
    file.write_text("[[patterns]]\nname='a'\ntype='LOC'\nfile='x.txt'")
    assert load(file).config.patterns[0].words == ("#1 Main Street", "#2 Main Street", "C#")


@pytest.mark.parametrize(
    ("written", "code"),
    [("EN", "en"), ("en_US", "en"), (" pt-BR ", "pt"), ("zh-Hant-TW", "zh"), ("deu", "deu"), ("AUTO", "auto")],
)
def test_codes_are_written_as_they_are_looked_up(written: str, code: str, tmp_path: Path) -> None:
    assert load(flags={"language": written}).config.language == code
    if code != "auto":
        (tmp_path / "embanon.toml").write_text(f"[phrases]\ndefault_language = '{written}'")
        assert load(tmp_path / "embanon.toml").config.phrases.default_language == code


@pytest.mark.parametrize("written", ["English", "e", "en-", "en US", "ён", "", "\u0130t"])
def test_what_is_no_code(written: str) -> None:
    with pytest.raises(ConfigError, match="two or three small letters"):
        load(flags={"language": written})


def test_the_example_of_this_test_is_toml() -> None:
    assert tomllib.loads(FULL)
    assert os.environ.get("EMBANON_LANGUAGE") is None
