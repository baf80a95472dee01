"""`embanon leak init`, `check-policy`, `entities` and `recipe`: set up a policy, and use it in other programs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from importlib.resources import files as package_files
from pathlib import Path
from typing import Final

from embanon.cli.commands.leak import Action
from embanon.cli.commands.leak.ledgers import policy_option
from embanon.cli.options import add_input_arguments, input_documents
from embanon.errors import ConfigError, InputError, OutputError
from embanon.io import STDIN, as_json, format_table, report_omitted, write
from embanon.leak import FILE_NAME, check_policy, read_policy, write_template
from embanon.risk import TOPIC
from embanon.workflow import Input, find_inputs

TOPIC_NAME_TYPE: Final = "MISC"
"""The type of a topic of which only the name counts."""
RECIPES: Final = {
    "git-pre-commit": "a hook of git, which refuses commits",
    "mail-filter": "a filter for procmail or Postfix, which refuses mail",
    "ci-step": "a step of continuous integration, which fails on what a branch changes",
}
"""Name, in `embanon/examples/recipes` -> what it is."""


def init_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `init`."""
    parser.add_argument("policy", nargs="?", metavar="FILE", default=FILE_NAME, help=f"Policy. [default: {FILE_NAME}]")


def init(options: argparse.Namespace) -> int:
    """Write a starting policy, unless the file exists."""
    file = write_template(options.policy)
    write(f"{file}: say in it what is protected, then run: embanon leak check-policy {file}\n")
    return 0


def check_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `check-policy`."""
    parser.add_argument("policy", metavar="POLICY", help=f"Policy to check, such as {FILE_NAME}.")
    add_input_arguments(parser, "*")
    parser.add_argument("--json", action="store_true", help="Write JSON.")


def check(options: argparse.Namespace) -> int:
    """Check a policy, and print its problems."""
    policy = read_policy(options.policy)
    for item in policy.entities:
        item.entity(Path(options.policy).parent)  # whose samples may not be there to be read
    files, left_out = find_inputs(options.files)
    problems = check_policy(policy, _read_texts(files, options, left_out), options.language or "en")
    if options.json:
        write("".join(as_json({"where": problem.where, "what": problem.what}) + "\n" for problem in problems))
    elif problems:
        write(format_table(("where", "what is amiss"), [(problem.where, problem.what) for problem in problems]))
    else:
        write(f"{options.policy}: nothing is amiss; entities: {len(policy.entities):,}\n")
    report_omitted(left_out, len(files) + len(left_out))
    return InputError.exit_code if left_out else int(bool(problems))


def _read_texts(files: Sequence[Input], options: argparse.Namespace, left_out: list[str]) -> Iterator[str]:
    for file in files:
        try:
            for document in input_documents(file.path, options):
                yield document.text
        except InputError as exc:
            left_out.append(str(exc))


def entities_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `entities`."""
    parser.add_argument("which", nargs="*", metavar="e1", help="Entities, by their place in the policy. [default: all]")
    policy_option(parser)
    parser.add_argument("--names", action="store_true", help="Write only names, without topics, which need a model.")


def entities(options: argparse.Namespace) -> int:
    """Write a line for each entity."""
    policy = read_policy(options.policy)
    known = {f"e{number}": item for number, item in enumerate(policy.entities, 1)}
    for which in options.which:
        if which not in known:
            raise ConfigError(f"{options.policy}: has no entity {which}; write e1 to e{len(known)}")
    for which in dict.fromkeys(options.which or known):
        entity = known[which].entity(Path(options.policy).parent)
        type = TOPIC_NAME_TYPE if options.names and entity.type == TOPIC else entity.type
        row = {"name": entity.name, "aliases": list(entity.aliases), "type": type}
        if not options.names:
            row |= {"description": entity.description} if entity.description else {}
            row |= {"samples": list(entity.samples)} if entity.samples else {}
        write(as_json(row) + "\n")
    return 0


def recipe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `recipe`."""
    parser.add_argument("name", nargs="?", choices=tuple(RECIPES), metavar="NAME", help=", ".join(RECIPES) + ".")
    parser.add_argument("-o", "--output", metavar="FILE", default=STDIN, help="Output file. [default: standard output]")


def recipe(options: argparse.Namespace) -> int:
    """Write a recipe, or list all."""
    if options.name is None:
        if options.output != STDIN:
            raise ConfigError(f"which recipe? name one of {', '.join(RECIPES)}")
        write(format_table(("recipe", "what it is"), RECIPES.items()))
        return 0
    text = (package_files("embanon") / "examples" / "recipes" / options.name).read_text(encoding="utf-8")
    if options.output == STDIN:
        write(text)
        return 0
    path = Path(options.output)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        path.chmod(0o755)
    except FileExistsError as exc:
        raise ConfigError(f"{path}: is there already; put both together by hand, or name another file") from exc
    except OSError as exc:
        raise OutputError(f"{path}: cannot be written ({exc.strerror}); name another file") from exc
    return 0


ACTIONS: Final = {
    "init": Action(init_arguments, init, "example:\n  embanon leak init policy.toml\n"),
    "check-policy": Action(check_arguments, check, """\
A policy that cannot be used is an error, with exit code 2; exit code 1 says that something is amiss. Names of a policy
are secrets: they are told by their place in it. With documents it is found which names stand in many of them.

examples:
  embanon leak check-policy policy.toml
  embanon leak check-policy policy.toml documents/ --json
"""),
    "entities": Action(entities_arguments, entities, """\
Names go through a pipe, so that no list of processes shows them.

examples:
  embanon leak entities --policy policy.toml > protect.jsonl
  embanon leak entities e2 --policy policy.toml | embanon anonymize letter.txt --entities - -o letter.anonymized.txt
"""),
    "recipe": Action(recipe_arguments, recipe, """\
Each is a script for sh that says in its first lines how it is used. A file that is there is not written over.

examples:
  embanon leak recipe
  embanon leak recipe git-pre-commit -o .git/hooks/pre-commit
  embanon leak recipe mail-filter
"""),
}  # fmt: skip
