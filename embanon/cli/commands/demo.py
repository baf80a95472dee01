"""`embanon demo`: every step on invented texts: train, score, anonymize, attack, restore and report."""

from __future__ import annotations

import argparse
import re
import shlex
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from embanon.anonymizer import Anonymized, Anonymizer
from embanon.cli.commands.report import report_settings
from embanon.cli.commands.train import summarize_model
from embanon.cli.output import format_risk, write_all
from embanon.config import load
from embanon.data import find_resource
from embanon.entities import ProtectionRules, rules_from_options
from embanon.errors import ConfigError, OutputError
from embanon.io import Corpus, as_json, format_table, read_documents, write
from embanon.linkage import Attackers, count_words, rank, read_background, remove_spans, spans_where
from embanon.model import open_model, train
from embanon.replace import Solution, load as load_solutions, restore, save, seal_of
from embanon.report import to_html
from embanon.risk import describe_reason, explain_phrase

EXAMPLE: Final = """\
Texts, people, firms and places of work are invented. Each step shows the command that does the same; what is written
stays, so that you can look at it and go on from there. A second run writes it anew.

example:
  embanon demo -o embanon-demo
"""

PEOPLE, COMPANY, DOCUMENTS, PROFILES, PORTRAIT, BIOGRAPHY = TEXTS = (
    "people.jsonl", "company.jsonl", "documents.jsonl", "profiles.jsonl", "portrait.txt", "biography.txt",
)  # fmt: skip
MODEL: Final = "archive.model"
FILE_DESCRIPTIONS: Final = {
    PEOPLE: "biographies and discharge letters, one person each",
    COMPANY: "letters and minutes of the company and the clinic",
    DOCUMENTS: "what is to be anonymized, and whom to protect in it",
    PROFILES: "what stands about each person on the web: the attacker's texts",
    PORTRAIT: "a text about one of them",
    BIOGRAPHY: "a short life to try commands on",
    MODEL: "what the archive says of each phrase; as secret as the archive",
    "anonymized.jsonl": "the documents, with what stands where",
    "solutions.jsonl": "what undoes it: only you may read it",
    "restored.jsonl": "the documents again",
    "report.html": "risks before and after, and why; open it in a browser",
    "portrait.anonymized.txt": "the portrait, hidden from the attacker",
    "portrait.solutions.jsonl": "what undoes that",
    "people.anonymized.jsonl": "each text about a person, anonymized for the attack",
}
"""What stands in the folder -> what it is."""
LEFTOVER: Final = re.compile(
    rf"\.({'|'.join(map(re.escape, FILE_DESCRIPTIONS))})\.[0-9a-f]{{8}}|archive\.model\.(part|previous)"
)
"""What a run that was killed may leave."""
PRESET: Final = "strict"
"""With few candidates and short texts, a single rare word identifies a person."""
TRAINING: Final = {"dimensions": 50, "epochs": 50}
"""Few numbers, often shown: the archive is small."""
TARGET_RANK: Final = 10
"""The rank that the portrait is brought behind."""
SUBJECT: Final = "Ruth Callowhill"
WIDTH: Final = 120


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    help = "Folder to write: new, empty, or of an earlier demo. [default: embanon-demo]"
    parser.add_argument("-o", "--output", metavar="FOLDER", default="embanon-demo", help=help)


def run(options: argparse.Namespace) -> int:
    """Show all steps."""
    started = time.perf_counter()
    folder = Path(options.output)
    _prepare(folder)
    _run_steps(Demo(folder))
    write(f"\n== Done in {time.perf_counter() - started:.1f} s; in {folder}/ you find\n")
    write(format_table(("file", "what it is"), list(FILE_DESCRIPTIONS.items())))
    return 0


@dataclass(frozen=True, slots=True)
class Demo:
    """The folder of the demo, and how commands name the files in it."""

    folder: Path

    def path(self, name: str) -> str:
        """Return the path of a file."""
        return str(self.folder / name)

    def shell(self, command: str) -> str:
        """Return a command ready to paste, with the names of demo files replaced by their paths."""
        words = [self.path(word) if word in FILE_DESCRIPTIONS else word for word in shlex.split(command)]
        return shlex.join(["embanon", *words])


def _prepare(folder: Path) -> None:
    """Create the folder and write the texts to it; refuse a folder that holds anything else."""
    try:
        folder.mkdir(exist_ok=True)
        names = {one.name for one in folder.iterdir()}
        left = {name for name in names if LEFTOVER.fullmatch(name)}
        names -= left
        ours = all(name in FILE_DESCRIPTIONS and (folder / name).is_dir() == (name == MODEL) for name in names)
        if names and not (ours and PEOPLE in names):
            raise ConfigError(f"{folder}: holds other things; name another folder: embanon demo -o FOLDER")
        for name in left:
            if (folder / name).is_file():  # what is left of a model, saving one puts away
                (folder / name).unlink()
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as exc:
        raise ConfigError(f"{folder}: cannot be a folder ({exc.strerror}); name another: -o FOLDER") from exc
    except OSError as exc:
        raise OutputError(f"{folder}: cannot be written ({exc.strerror}); name another folder: -o FOLDER") from exc
    for name in TEXTS:
        write_all(str(folder / name), [find_resource("examples", "demo", name).read_text("utf-8")])


def _run_steps(demo: Demo) -> None:
    """Run the steps one after another."""
    config = load(None, {"score.preset": PRESET}).config
    _train(demo)
    attackers = read_background(demo.path(PROFILES), config.language)
    doing = Anonymizer(config, open_model(demo.path(MODEL)))
    done = list(doing.anonymize_all(read_documents(demo.path(DOCUMENTS)), ProtectionRules()))
    _score(demo, done)
    _anonymize(demo, done)
    _attack(demo, doing, attackers, done)
    _hide(demo, attackers)
    _restore(demo, done)
    _report(demo, replace(doing, attackers=attackers))


@contextmanager
def _step(title: str, *commands: str) -> Iterator[None]:
    """Print the title of a step with the equivalent commands, and afterwards the time it took."""
    write("".join((f"\n== {title}\n", *(f"$ {command}\n" for command in commands))))
    started = time.perf_counter()
    yield
    write(f"({time.perf_counter() - started:.1f} s)\n")


def _train(demo: Demo) -> None:
    command = demo.shell(
        f"train {PEOPLE} {COMPANY} -o {MODEL} --dimensions {TRAINING['dimensions']} --epochs {TRAINING['epochs']} "
        "--deterministic --quiet"
    )
    with _step("1. A model of the archive: in how many texts each phrase stands, and beside what", command):
        flags = {f"train.{name}": value for name, value in TRAINING.items()} | {"train.threads": 1}
        config, target = load(None, flags).config, Path(demo.path(MODEL))
        write(summarize_model(target, train(Corpus((demo.path(PEOPLE), demo.path(COMPANY))), target, config=config)))


def _score(demo: Demo, done: Sequence[Anonymized]) -> None:
    """Show the riskiest phrases of the first document."""
    command = demo.shell(f"score {DOCUMENTS} --model {MODEL} --preset {PRESET}")
    with _step("2. How much each phrase gives away of whom is to be protected", command):
        for result in done:
            scored_document = result.scored_document
            names = [f"e{place} {entity.name}" for place, entity in enumerate(scored_document.protected.entities, 1)]
            masked, of_all = (
                int(scored_document.scored.at_least(result.limits).sum()),
                f"{len(scored_document.scored.phrases)} phrases",
            )
            write(f"{result.id} (to protect: {', '.join(names)}): {masked} of {of_all} at or above {result.limit:g}\n")
        write(f"of the {done[0].id}, every fifth of these:\n")
        write(format_table(("risk", "type", "entity", "phrase", "why"), list(_risks(done[0]))))


def _risks(result: Anonymized) -> Iterator[tuple[str, ...]]:
    """Yield every fifth phrase at or above the limit, in the order of the text."""
    scored, text = result.scored_document.scored, result.scored_document.analysis.document.text
    for place in np.flatnonzero(scored.at_least(result.limits))[::5].tolist():
        phrase, risk, owner = scored.phrases[place], scored.risk[place], f"e{int(scored.owner[place]) + 1}"
        reason = describe_reason(explain_phrase(scored, place, result.scored_document.rarity.documents), owner)
        written = text[phrase.start : phrase.end]
        yield format_risk(risk), phrase.type, owner, written, reason


def _anonymize(demo: Demo, done: Sequence[Anonymized]) -> None:
    command = f"anonymize {DOCUMENTS} --model {MODEL} --preset {PRESET} -o anonymized.jsonl --solutions solutions.jsonl"
    with _step("3. The documents before and after", demo.shell(command)):
        save(demo.path("solutions.jsonl"), chain.from_iterable(map(_sealed, done)))
        write_all(demo.path("anonymized.jsonl"), _lines(done))
        for result in done:
            write(_quote_text(f"-- {result.id}, before", result.scored_document.analysis.document.text))
            write(_quote_text("-- after", result.text))


def _lines(done: Sequence[Anonymized]) -> list[str]:
    return [as_json(one.to_dict()) + "\n" for one in done]


def _quote_text(title: str, text: str) -> str:
    """Return a text with a bar beside each line, without empty lines."""
    parts = [line for line in text.splitlines() if line.strip()]
    lines = chain.from_iterable(textwrap.wrap(part, WIDTH - 2, break_on_hyphens=False) for part in parts)
    return "".join((f"{title}\n", *(f"| {line}\n" for line in lines)))


def attack_ranks(result: Anonymized, attackers: Attackers) -> list[float]:
    """Return the rank of the person in four versions of a text: as it is, without names, suppressed, generalized.

    The list is empty where the attacker has no text about the person.
    """
    target = attackers.find_target(result.scored_document.protected.entities[0])
    if target is None:
        return []
    text, scored = result.scored_document.text, result.scored_document.scored
    masks = scored.named, scored.at_least(result.limits)
    masked = [remove_spans(text, spans_where(scored.phrases, mask)) for mask in masks]
    return [rank(attackers.background.tfidf.scores(count_words(read)), target) for read in (text, *masked, result.text)]


def _attack(demo: Demo, doing: Anonymizer, attackers: Attackers, done: Sequence[Anonymized]) -> None:
    """Attack the documents, and all texts about a person."""
    commands = (
        f"score {DOCUMENTS} --model {MODEL} --preset {PRESET} --background {PROFILES}",
        f"anonymize {PEOPLE} --protect-field entity --model {MODEL} --preset {PRESET} -o people.anonymized.jsonl",
    )
    with _step("4. Attackers with a web page about each of the people", *map(demo.shell, commands)):
        people = list(doing.anonymize_all(read_documents(demo.path(PEOPLE)), ProtectionRules(fields=("entity",))))
        write_all(demo.path("people.anonymized.jsonl"), _lines(people))
        count = len(attackers.background)
        write(
            f"They have {PROFILES}, not the archive, and look for the page nearest to a text (TF-IDF).\n"
            f"At which rank, of {count}, they have the right person:\n"
        )
        rows = [(one.id, *(f"{value:g}" for value in ranks)) for one in done if (ranks := attack_ranks(one, attackers))]
        all_ = [ranks for one in people if (ranks := attack_ranks(one, attackers))]
        first = [f"{sum(value < 2 for value in column)}" for column in zip(*all_, strict=True)]
        rows.append((f"found first, of {len(all_)} texts about people", *first))
        write(format_table(("text", "as it is", "names gone", "suppressed", "generalized"), rows))


def _sealed(result: Anonymized) -> list[Solution]:
    return [*result.solutions, seal_of(result.id, result.text, result.solutions)]


def _hide(demo: Demo, attackers: Attackers) -> None:
    """Hide the subject of the portrait from this attacker."""
    command = demo.shell(
        f"anonymize {PORTRAIT} --protect '{SUBJECT}' --model {MODEL} --background {PROFILES} --anonymity {TARGET_RANK} "
        "-o portrait.anonymized.txt --solutions portrait.solutions.jsonl"
    )
    with _step(f"5. An attacker known beforehand: {SUBJECT} is to be behind rank {TARGET_RANK}", command):
        doing = Anonymizer(load(None).config, open_model(demo.path(MODEL)), attackers=attackers)
        [portrait], rules = read_documents(demo.path(PORTRAIT)), rules_from_options(None, [SUBJECT], ())
        plain, hidden = (next(doing.anonymize_all([portrait], rules, rank=behind)) for behind in (0, TARGET_RANK))
        save(demo.path("portrait.solutions.jsonl"), _sealed(hidden))
        write_all(demo.path("portrait.anonymized.txt"), [hidden.text])
        rows = []
        for name, result in (("the same command without --anonymity", plain), ("with it", hidden)):
            *_, suppressed, generalized = attack_ranks(result, attackers)
            rows.append((name, f"{len(result.edits)}", f"{suppressed:g}", f"{generalized:g}"))
        write(format_table(("", "replacements", "rank, suppressed", "rank, generalized"), rows))
        if not hidden.scored_document.is_rank_reached:
            write(f"Behind rank {TARGET_RANK} it does not come: words outside its phrases give it away.\n")
        write(_quote_text("-- before", hidden.scored_document.analysis.document.text))
        write(_quote_text("-- after", hidden.text))


def _restore(demo: Demo, done: Sequence[Anonymized]) -> None:
    command = demo.shell("restore anonymized.jsonl --solutions solutions.jsonl -o restored.jsonl")
    with _step("6. Back again, with the table of solutions", command):
        table_, parts, same = load_solutions(demo.path("solutions.jsonl")), list[str](), 0
        for document, result in zip(read_documents(demo.path("anonymized.jsonl")), done, strict=True):
            restored = restore(document.id, document.text, [line for line in table_ if line.document == document.id])
            parts.append(as_json({"id": document.id, "text": restored.text}) + "\n")
            same += restored.text == result.scored_document.analysis.document.text
        write_all(demo.path("restored.jsonl"), parts)
        count = sum(len(result.solutions) for result in done)
        write(f"{same} of {len(done)} texts are what they were, to the byte; {count} replacements\n")


def _report(demo: Demo, doing: Anonymizer) -> None:
    command = f"report {DOCUMENTS} --model {MODEL} --preset {PRESET} --background {PROFILES} -o report.html"
    with _step("7. A page for whoever has to decide", demo.shell(command)):
        done = list(doing.anonymize_all(read_documents(demo.path(DOCUMENTS)), ProtectionRules()))
        made = report_settings(doing, demo.path(MODEL), demo.path(PROFILES))
        write_all(demo.path("report.html"), list(to_html(done, made, attackers=doing.attackers)))
