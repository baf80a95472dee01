"""Recipes, used for real: a repository of git that refuses a commit, a pipe of mail, and a step of CI."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from embanon.cli.commands.leak.setup import RECIPES
from embanon.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts of Unix")
with_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")

POLICY = """
[[entities]]
name = "Project Velland"
kind = "project"
aliases = ["Velland"]
sensitivity = 4
folders = ["research"]
"""
TELLING, HARMLESS = "The Velland is late.\n", "There is soup.\n"
Done = subprocess.CompletedProcess[str]
Do = Callable[..., Done]


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    file = tmp_path / "our policy.toml"
    file.write_text(POLICY, "utf-8")
    return file


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "a repository"
    folder.mkdir()
    return folder


@pytest.fixture
def git(repository: Path, programs: dict[str, str]) -> Do:
    """Return a git of its own, which knows nothing of who runs the tests."""
    home = repository.parent
    names = {f"GIT_{who}_{what}": "x@x.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {key: value for key, value in programs.items() if not key.startswith("GIT_")}
    environment |= names | {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": str(home)}

    def run(*words: str, **more: str) -> Done:
        command = ["git", *words] if words[0] != "sh" else list(words)
        return subprocess.run(
            command, cwd=repository, env=environment | more, capture_output=True, text=True, check=False
        )

    run("init", "-q", "-b", "main")
    return run


def put(repository: Path, name: str, data: str | bytes) -> None:
    file = repository / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)


def printed(name: str, capsys: pytest.CaptureFixture[str], begin: str) -> list[str]:
    """Return the lines that a recipe prints, from one of its comment to the end of that block."""
    assert main(["leak", "recipe", name]) == 0
    lines = [line.removeprefix("#   ") for line in capsys.readouterr().out.splitlines()]
    start = lines.index(begin)
    return lines[start : lines.index("#", start)]


@pytest.fixture
def hooked(git: Do, repository: Path, policy: Path, capsys: pytest.CaptureFixture[str]) -> Do:
    (repository / ".git" / "hooks").mkdir(exist_ok=True)
    commands = printed("git-pre-commit", capsys, "embanon leak recipe git-pre-commit -o .git/hooks/pre-commit")
    commands = [one.replace("/path/to/policy.toml", f"'{policy}'") for one in commands if "ledger" not in one]
    assert [one.split()[0] for one in commands] == ["embanon", "cp", "git", "git"]
    done = git("sh", "-ec", "\n".join(commands[:3]))  # the options are for texts that hints cannot read
    assert done.returncode == 0, done.stderr
    return git


@with_git
def test_a_commit_is_refused_and_then_passes(hooked: Do, repository: Path) -> None:
    put(repository, "it's here.txt", TELLING)
    hooked("add", "-A")
    done = hooked("commit", "-q", "-m", "one")
    assert done.returncode == 1
    assert "it's here.txt: e1: risk 1.00" in done.stdout + done.stderr
    assert "Velland" not in done.stdout + done.stderr
    assert hooked("log").returncode  # there is no commit
    put(repository, "it's here.txt", HARMLESS)
    assert hooked("commit", "-q", "-m", "not staged").returncode == 1  # what is staged counts
    hooked("add", "-A")
    done = hooked("commit", "-q", "-m", "two")
    assert done.returncode == 0, done.stderr
    put(repository, "it's here.txt", TELLING)
    assert hooked("commit", "-q", "--allow-empty", "-m", "nothing staged").returncode == 0


PASSING = {
    "where it may stand": ("research/plan.txt", TELLING),
    "binary files": ("logo.png", b"\x89PNG\r\n\x1a\n\0\0Velland"),
    "what Windows writes": ("mail.txt", HARMLESS.encode("utf-16")),
    "an empty file": ("empty.txt", ""),
    "odd names": ("a [b] *\n c.txt", HARMLESS),
    "a name as an option": ("-v.txt", HARMLESS),
}


@with_git
@pytest.mark.parametrize(("name", "data"), PASSING.values(), ids=PASSING)
def test_a_commit_passes(name: str, data: str | bytes, hooked: Do, repository: Path) -> None:
    put(repository, name, data)
    hooked("add", "-A")
    done = hooked("commit", "-q", "-m", "one")
    assert done.returncode == 0, done.stdout + done.stderr
    hooked("rm", "-q", "-r", "--", f"./{name}")
    assert hooked("commit", "-q", "-m", "removed").returncode == 0


@with_git
def test_options_are_passed_on(hooked: Do, repository: Path) -> None:
    put(repository, "a.txt", TELLING)
    hooked("add", "-A")
    hooked("config", "embanon.options", "--limit 1 --no-such-option")
    done = hooked("commit", "-q", "-m", "one")
    assert done.returncode
    assert "--no-such-option" in done.stderr
    hooked("config", "embanon.options", "--label INTERNAL --quiet")
    done = hooked("commit", "-q", "-m", "one")
    assert (done.returncode, "e1" in done.stdout + done.stderr) == (1, False)


REFUSED = {
    "odd names": ("a [b] *\n c.txt", TELLING),
    "a name as standard input": ("-", TELLING),
    "below a folder": ("sales/deep/mail.txt", TELLING),
    "what is no text that is known": ("table.csv", b'text\n"open\n'),
    "as Windows writes it": ("mail.txt", TELLING.encode("utf-16")),
    "so, without a mark": ("mail.txt", TELLING.encode("utf-16-le")),
    "with a NUL byte": ("mail.txt", b"\0" + TELLING.encode()),
}


@with_git
@pytest.mark.parametrize(("name", "data"), REFUSED.values(), ids=REFUSED)
def test_a_commit_is_refused(name: str, data: str | bytes, hooked: Do, repository: Path) -> None:
    put(repository, name, data)
    hooked("add", "-A")
    assert hooked("commit", "-q", "-m", "one").returncode == 1


@with_git
def test_without_a_policy_nothing_passes(hooked: Do, repository: Path) -> None:
    hooked("config", "--unset", "embanon.policy")
    put(repository, "a.txt", HARMLESS)
    hooked("add", "-A")
    done = hooked("commit", "-q", "-m", "one")
    assert done.returncode
    assert "git config embanon.policy" in done.stderr


@with_git
def test_a_merge_is_refused(hooked: Do, repository: Path) -> None:
    put(repository, "a.txt", HARMLESS)
    hooked("add", "-A")
    hooked("commit", "-q", "-m", "one")
    hooked("checkout", "-q", "-b", "side")
    put(repository, "b.txt", TELLING)
    hooked("add", "-A")
    assert hooked("commit", "-q", "-m", "two").returncode == 1
    assert hooked("commit", "-q", "--no-verify", "-m", "two").returncode == 0  # as whoever is told so may
    hooked("checkout", "-q", "main")
    put(repository, "c.txt", HARMLESS)
    hooked("add", "-A")
    hooked("commit", "-q", "-m", "three")
    done = hooked("merge", "-q", "-m", "four", "side")
    assert done.returncode
    assert "b.txt: e1" in done.stdout + done.stderr
    assert hooked("commit", "-q", "-m", "four").returncode == 1  # what the merge left
    assert hooked("merge", "--abort").returncode == 0
    assert hooked("merge", "-q", "--no-verify", "-m", "four", "side").returncode == 0


@with_git
def test_what_is_staged_counts_file_by_file(hooked: Do, repository: Path) -> None:
    for name in ("kept.txt", "renamed.txt", "gone.txt"):
        put(repository, name, TELLING)
    hooked("add", "-A")
    hooked("commit", "-q", "--no-verify", "-m", "one")
    hooked("rm", "-q", "gone.txt")
    put(repository, "Früh im März — 3月.txt", HARMLESS)
    put(repository, "untracked.txt", TELLING)
    hooked("add", "Früh im März — 3月.txt")
    done = hooked("commit", "-q", "-m", "two")  # what was there before is not looked at, nor what is not staged
    assert done.returncode == 0, done.stdout + done.stderr
    hooked("mv", "renamed.txt", "nœud é.txt")
    done = hooked("commit", "-q", "-m", "three")
    assert (done.returncode, "nœud é.txt: e1" in done.stdout + done.stderr) == (1, True)
    hooked("reset", "-q", "--hard")
    put(repository, "kept.txt", HARMLESS)
    put(repository, "Früh im März — 3月.txt", TELLING)
    assert hooked("commit", "-q", "-m", "four", "--", "kept.txt").returncode == 0  # an index for this file alone
    assert hooked("commit", "-q", "-a", "-m", "five").returncode == 1


@with_git
def test_tables_need_no_column_of_text(hooked: Do, repository: Path) -> None:
    put(repository, "stock.csv", "part,count\nbolt,3\n")
    put(repository, "rows.jsonl", '{"part": "bolt", "count": 3}\n')
    hooked("add", "-A")
    done = hooked("commit", "-q", "-m", "one")
    assert done.returncode == 0, done.stdout + done.stderr
    put(repository, "stock.csv", "part,count\nVelland,3\n")
    hooked("add", "-A")
    assert hooked("commit", "-q", "-m", "two").returncode == 1


@with_git
def test_a_hook_knows_the_ledger(hooked: Do, repository: Path, tmp_path: Path) -> None:
    put(repository, "a.txt", HARMLESS)
    hooked("add", "-A")
    hooked("config", "embanon.ledger", str(tmp_path / "missing.db"))
    done = hooked("commit", "-q", "-m", "one")
    assert (done.returncode, "run: embanon leak scan" in done.stderr) == (1, True)
    (tmp_path / "our ledger.db").touch()
    hooked("config", "embanon.ledger", str(tmp_path / "our ledger.db"))
    done = hooked("commit", "-q", "-m", "one")
    assert (done.returncode, "so that nothing counts that only hints" in done.stderr) == (0, True)
    (tmp_path / "our ledger.db.hints").write_bytes(b"no hints")
    put(repository, "b.txt", HARMLESS)
    hooked("add", "-A")
    assert hooked("commit", "-q", "-m", "two").returncode == 1


@with_git
def test_the_workflow_is_run_as_it_is_printed(
    git: Do, repository: Path, policy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yaml = pytest.importorskip("yaml")
    [job] = yaml.safe_load("\n".join(printed("ci-step", capsys, "on: pull_request")))["jobs"].values()
    checkout, install, step = job["steps"]
    assert checkout["with"]["fetch-depth"] == 0
    assert install["run"] == "pip install 'embanon[leak]'"  # which the test does not
    values = {"secrets.LEAK_POLICY": policy.read_text("utf-8"), "github.base_ref": "main"}
    environment = {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: values[match[1]], value)
        for name, value in step["env"].items()
    }  # fmt: skip
    put(repository, "old.txt", TELLING)
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    clone = tmp_path / "a clone"
    assert git("clone", "-q", str(repository), str(clone)).returncode == 0

    def run(text: str, number: int) -> Done:
        put(clone, "docs/neu – 新.txt", text)
        for words in (("checkout", "-q", "-B", "branch"), ("add", "-A"), ("commit", "-q", "-m", "two")):
            assert git("-C", str(clone), *words).returncode == 0
        runner = tmp_path / f"runner {number}"
        runner.mkdir()
        words = ["bash", "-e", "-c", f"cd '{clone}'\n{step['run']}"]
        return git("sh", "-c", 'exec "$@"', "sh", *words, **environment, RUNNER_TEMP=str(runner))

    assert run(HARMLESS, 1).returncode == 0
    done = run(TELLING, 2)
    assert done.returncode == 1
    assert "docs/neu – 新.txt: e1" in done.stdout
    assert "Velland" not in done.stdout + done.stderr


@with_git
def test_a_step_of_ci_looks_at_what_a_branch_changes(git: Do, repository: Path, policy: Path, tmp_path: Path) -> None:
    step = tmp_path / "step.sh"
    assert main(["leak", "recipe", "ci-step", "-o", str(step)]) == 0
    put(repository, "old.txt", TELLING)  # was there before
    git("add", "-A")
    assert git("commit", "-q", "-m", "one").returncode == 0
    git("checkout", "-q", "-b", "branch")
    run = {"LEAK_POLICY": str(policy), "LEAK_BASE": "main"}
    assert git("sh", str(step), **run).returncode == 0
    put(repository, "docs/new.txt", HARMLESS)
    put(repository, "research/new.txt", TELLING)
    git("add", "-A")
    git("commit", "-q", "-m", "two")
    assert git("sh", str(step), **run).returncode == 0
    put(repository, "docs/new.txt", TELLING)
    git("commit", "-q", "-a", "-m", "three")
    done = git("sh", str(step), **run)
    assert done.returncode == 1
    assert "docs/new.txt: e1" in done.stdout
    assert "old.txt" not in done.stdout
    assert git("sh", str(step), **run | {"LEAK_BASE": "nowhere"}).returncode == 2
    assert git("sh", str(step), **run | {"LEAK_POLICY": "missing.toml"}).returncode == 2
    assert git("sh", str(step)).returncode  # no policy is named


MESSAGE = "From: a@one.example\nTo: b@two.example\nSubject: {}\n\nHello.\n"
FILTERED = {
    "let pass": (MESSAGE.format("soup"), "our policy.toml", 0),
    "refused": (MESSAGE.format("the Velland"), "our policy.toml", 69),
    "no mail": ("hello", "our policy.toml", 75),
    "no policy": (MESSAGE.format("soup"), "missing.toml", 75),
}


@pytest.fixture
def filtering(tmp_path: Path, policy: Path, programs: dict[str, str]) -> Do:
    script = tmp_path / "mail-filter"
    assert main(["leak", "recipe", "mail-filter", "-o", str(script)]) == 0
    sendmail = tmp_path / "sendmail"
    sendmail.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{tmp_path}/arguments'\ncat > '{tmp_path}/sent'\n")
    sendmail.chmod(0o755)

    def run(message: str, named: str, command: str) -> Done:
        environment = programs | {"LEAK_POLICY": str(tmp_path / named), "SENDMAIL": str(sendmail)}
        return subprocess.run(
            ["sh", "-c", command], input=message, cwd=tmp_path, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    return run


@pytest.mark.parametrize(("message", "named", "code"), FILTERED.values(), ids=FILTERED)
def test_mail_is_piped_as_procmail_does(message: str, named: str, code: int, filtering: Do) -> None:
    done = filtering(message, named, "./mail-filter")
    assert done.returncode == code, done.stderr
    assert "Velland" not in done.stdout + done.stderr


@pytest.mark.parametrize("subject", ["soup", "the Velland"])
def test_mail_is_passed_on_as_it_came(subject: str, filtering: Do, tmp_path: Path) -> None:
    message = MESSAGE.format(subject)
    done = filtering(message, "our policy.toml", "./mail-filter -f a@one.example -- b@two.example")
    assert (tmp_path / "sent").exists() == (done.returncode == 0) == (subject == "soup")
    if done.returncode == 0:
        assert (tmp_path / "sent").read_text() == message
        assert (tmp_path / "arguments").read_text().split() == [
            "-G",
            "-i",
            "-f",
            "a@one.example",
            "--",
            "b@two.example",
        ]


def test_recipes_are_listed_printed_and_installed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leak", "recipe"]) == 0
    listed = capsys.readouterr().out
    for name in RECIPES:
        assert name in listed
        assert main(["leak", "recipe", name]) == 0
        assert capsys.readouterr().out.startswith("#!/bin/sh\n")
        assert main(["leak", "recipe", name, "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_mode & stat.S_IXUSR
        assert main(["leak", "recipe", name, "-o", str(tmp_path / name)]) == 2  # it is there
    assert main(["leak", "recipe", "-o", "x"]) == 2


def test_recipes_are_in_the_wheel() -> None:
    settings = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert "examples/recipes/*" in settings["tool"]["setuptools"]["package-data"]["embanon"]
    folder = Path(__file__).parents[2] / "embanon" / "examples" / "recipes"
    assert {file.name for file in folder.iterdir()} == set(RECIPES)
