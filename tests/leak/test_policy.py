"""Policies: what they say, what is wrong with them, and what is amiss."""

from __future__ import annotations

import os
import time
import tomllib
from pathlib import Path

import pytest

from embanon.entities.entity import Entity
from embanon.errors import ConfigError, InputError
from embanon.leak.policy import AlertSettings, Policy, PolicyEntity, check_policy, read_policy, write_template

SECRET = "Geheimnis"
ONE = f"[[entities]]\nname = '{SECRET}'\nsensitivity = 4\n"

# name: file, what the message says
BAD = {
    "nothing": ("", "protects nothing; add an [[entities]] table"),
    "unknown key": ("treshold = 0.5", "unknown key 'treshold'; did you mean 'threshold'?"),
    "unknown key of an entity": (ONE + "alias = ['a']", "did you mean 'entities[0].aliases'?"),
    "unknown key of alerts": (ONE + "[alerts]\nworht = 1", "did you mean 'alerts.worth'?"),
    "no name": ("[[entities]]\nsensitivity = 4", "entities[0] lacks 'name'"),
    "empty name": ("[[entities]]\nname = ' - '\nsensitivity = 4", "entities[0].name must have a letter or digit"),
    "empty alias": (ONE + "aliases = ['']", "entities[0].aliases has an empty entry"),
    "alias of signs": (ONE + "aliases = ['--']", "entities[0].aliases: each must have a letter or digit"),
    "no such kind": (ONE + "kind = 'projekt'", "entities[0].kind is not known; did you mean 'project'?"),
    "nothing like a kind": (ONE + "kind = 'xyzzy'", "kind must be one of person, customer"),
    "no value": (f"[[entities]]\nname = '{SECRET}'", "needs `sensitivity` (1 to 5) or `cost` (money), and not both"),
    "two values": (ONE + "cost = 100", "and not both"),
    "too sensitive": (ONE.replace("4", "6"), "sensitivity must be from 1 to 5; for money, write `cost`"),
    "no number": (ONE.replace("4", "nan"), "sensitivity must be from 1 to 5"),
    "worth nothing": (f"[[entities]]\nname = '{SECRET}'\ncost = 0", "cost must be above 0"),
    "two scales": (
        ONE + "[[entities]]\nname = 'b'\ncost = 100",
        "entities[1] has a cost, entities[0] a sensitivity",
    ),
    "twins": (ONE + ONE.lower(), "entities[0] and entities[1] have the same name; make them one"),
    "threshold": (ONE + "threshold = 2", "entities[0].threshold must be above 0, and at most 1"),
    "threshold of all": ("threshold = 0\n" + ONE, "threshold must be above 0, and at most 1"),
    "alerts": (ONE + "[alerts]\ndays = 0", "alerts.days must be from 1 to 3660"),
    "replaced alerts": (
        ONE + "[alerts]\nown = 6",
        "alerts.own counted standard deviations and is no longer",
    ),
    "no false alarms": (ONE + "[alerts]\nfalse_alarms = 0", "alerts.false_alarms must be from 0.001 to 200"),
    "ledger": (ONE + "[ledger]\nusers = 'nobody'", "ledger.users must be keyed or name"),
    "not TOML": (f"name = {SECRET}", "not valid TOML at line 1, column 8"),
}


def policy(tmp_path: Path, text: str) -> Policy:
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    return read_policy(tmp_path / "policy.toml")


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_named(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    with pytest.raises(ConfigError) as caught:
        policy(tmp_path, text)
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)
    assert "policy.toml" in str(caught.value)


def test_a_full_file(tmp_path: Path) -> None:
    text = """\
threshold = 0.5
currency = "EUR"
[[entities]]
name = "Bluebird"
kind = "project"
aliases = ["BB-7"]
description = "A battery."
samples = ["It charges fast."]
sample_files = ["one.txt"]
cost = 250_000
owner = "research"
folders = ["research/bluebird", "*/lab/*"]
labels = ["STRICTLY *"]
[[entities]]
name = "Ada Berger"
kind = "person"
cost = 1000
threshold = 0.9
[alerts]
false_alarms = 3
[ledger]
depth = 1
"""
    read = policy(tmp_path, text)
    (tmp_path / "one.txt").write_text("Without cobalt.")
    first, second = read.entities
    assert (first.value, second.value, read.highest_value) == (250_000.0, 1000.0, 250_000.0)
    assert (read.threshold_of(first), read.threshold_of(second)) == (0.5, 0.9)
    assert (read.alerts, read.ledger.depth) == (AlertSettings(false_alarms=3.0), 1)
    samples = ("It charges fast.", "Without cobalt.")
    assert first.entity(tmp_path) == Entity("Bluebird", ("BB-7",), "TOPIC", "A battery.", samples)
    assert second.entity(tmp_path).type == "PERSON"
    assert "Bluebird" not in repr(read)


ALLOWED = {
    "its folder": ("research/bluebird/a.txt", [], True),
    "below its folder": ("research/bluebird/2026/a.txt", [], True),
    "a pattern": ("site/lab/a.txt", [], True),
    "another folder": ("sales/a.txt", [], False),
    "begins alike": ("research/bluebirds/a.txt", [], False),
    "its folder, with a detour": ("./research/../research//bluebird/a.txt", [], True),
    "out of its folder": ("research/bluebird/../../sales/a.txt", [], False),
    "out of a pattern": ("site/lab/../a.txt", [], False),
    "above where paths begin": ("../research/bluebird/a.txt", [], False),
    "an absolute path": ("/research/bluebird/a.txt", [], False),
    "an absolute path of a pattern": ("/site/lab/a.txt", [], True),
    "another case": ("Research/Bluebird/a.txt", [], False),
    "no path": ("", [], False),
    "a label": ("sales/a.txt", ["STRICTLY CONFIDENTIAL"], True),
    "another label": ("sales/a.txt", ["INTERNAL"], False),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_who_may_mention_it(name: str) -> None:
    path, labels, allowed = ALLOWED[name]
    item = PolicyEntity("a", folders=("research/bluebird", "*/lab/*"), labels=("STRICTLY *",), sensitivity=1)
    assert item.allows(path, labels) is allowed


@pytest.mark.parametrize(
    ("folder", "path", "allowed"),
    [
        ("./research/", "research/a.txt", True),
        ("research/", "research/a.txt", True),
        (".", "research/a.txt", True),
        (".", "../a.txt", False),
        (".", "/a.txt", False),
        (".", "", False),
        ("*", "", False),
        ("../research", "../research/a.txt", True),
        ("/srv/research", "/srv/research/a.txt", True),
        ("/srv/research", "/srv/research/../a.txt", False),
    ],
)
def test_folders_as_people_write_them(folder: str, path: str, allowed: bool) -> None:
    assert PolicyEntity("a", folders=(folder,), sensitivity=1).allows(path) is allowed


def test_samples_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    for file, message in (("no.txt", "cannot be read"), ("latin.txt", "byte 3 is not UTF-8")):
        with pytest.raises(InputError, match=message):
            PolicyEntity("a", sample_files=(file,), sensitivity=1).entity(tmp_path)


def test_to_begin_one(tmp_path: Path) -> None:
    file = write_template(tmp_path / "policy.toml")
    read = read_policy(file)
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600
    assert check_policy(read) == []
    with pytest.raises(ConfigError, match="is there already"):
        write_template(file)
    with pytest.raises(ConfigError, match="cannot be written"):
        write_template(tmp_path / "no" / "policy.toml")
    with pytest.raises(ConfigError, match="run: embanon leak init"):
        read_policy(tmp_path / "none.toml")


def test_the_comments_of_the_template_are_its_defaults(tmp_path: Path) -> None:
    lines = write_template(tmp_path / "policy.toml").read_text().replace("# threshold = 0.3 ", "# ").splitlines()
    keys = [line.removeprefix("# ") if " = " in line else line for line in lines if not line.startswith("# sample")]
    values = tomllib.loads("\n".join(line for line in keys if not line.startswith("# ")))
    assert values.pop("currency") == "EUR"
    default = Policy()
    assert {key: getattr(default, key) for key in ("threshold", "least")} == {
        key: values[key] for key in ("threshold", "least")
    }
    assert {key: getattr(default.alerts, key) for key in values["alerts"]} == values["alerts"]
    assert {key: getattr(default.ledger, key) for key in values["ledger"]} == values["ledger"]


# name and aliases of an entity beside another one: what is said of it
AMISS = {
    "rare": (("Bluebird", "BB-7"), None),
    "frequent": (("Bluebird", "the"), ".aliases[0] is made of words that are everywhere"),
    "frequent name": (("Time", "Bluebird"), ".name is made of words that are everywhere"),
    "frequent words, rare together": (("Red Bottle", "Bluebird"), None),
    "a letter": (("Bluebird", "B"), ".aliases[0] is a single character"),
    "twice": (("Bluebird", "bluebird"), ".aliases[0] is also entities[1].name; remove one"),
    "another's": (("Bluebird", "kestrel"), ".aliases[0] is also entities[0].name; what it stands for"),
    "alone": (("Bluebird",), " has a name alone; add aliases"),
}


@pytest.mark.parametrize("name", AMISS)
def test_what_is_amiss(name: str) -> None:
    (first, *aliases), expected = AMISS[name]
    items = (
        PolicyEntity("Kestrel", aliases=("K-21",), sensitivity=1),
        PolicyEntity(first, aliases=tuple(aliases), sensitivity=1),
    )
    said = [f"{one.where} {one.what}" for one in check_policy(Policy(entities=items))]
    assert len(said) == (expected is not None)
    assert all(one.startswith(f"entities[1]{expected}") for one in said)
    assert not any("bluebird" in one.lower() for one in said)


def test_what_stands_in_all_documents() -> None:
    items = (PolicyEntity("Bluebird", aliases=("Quarterly Letter",), sensitivity=1),)
    texts = ["the quarterly  letter to all"] * 4 + ["Bluebird"] + ["nothing"] * 7
    assert [(one.where, one.what) for one in check_policy(Policy(entities=items), texts)] == [
        ("entities[0].aliases[0]", "stands in 4 of 12 documents; remove it, or give a longer name")
    ]
    assert check_policy(Policy(entities=items), texts[:4]) == []  # too few to say so


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_ten_thousand_entities_in_a_second(language: str, tmp_path: Path) -> None:
    rows = (
        f'[[entities]]\nname = "Project Number {n}"\nkind = "project"\naliases = ["Alias {n}", "Zq{n}"]\n'
        f'description = "What it is about, {n}"\nsensitivity = 4\nowner = "legal"\n'
        for n in range(10_000)
    )
    (tmp_path / "policy.toml").write_text("".join(rows))
    check_policy(
        Policy(entities=(PolicyEntity("a", sensitivity=1),)), language=language
    )  # reads the table of frequencies
    started = time.process_time()
    found = check_policy(read_policy(tmp_path / "policy.toml"), language=language)
    assert time.process_time() - started < 1.5  # measured: 0.6
    assert found == []
