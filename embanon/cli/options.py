"""The options of commands that score texts: whom to protect, by which model, how strictly."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from embanon.anonymizer import Anonymizer
from embanon.config import METHODS, PRESETS, Config, load
from embanon.document import Document
from embanon.errors import ConfigError
from embanon.io import FORMATS, TextColumns, check_encoding, read_documents, say, warn_no_tagger
from embanon.linkage import read_background
from embanon.model import fitness_problem, open_model
from embanon.replace import secret_from_config
from embanon.risk import CorpusRarity
from embanon.scoring import ScoredDocument
from embanon.taxonomy import SHIPPED


def add_entity_arguments(parser: argparse.ArgumentParser) -> None:
    """Add whom to protect, by which model, from whom."""
    add = parser.add_argument
    add("--model", metavar="MODEL", help="of `embanon train`, on texts of the same kind (else the language at large)")
    add("--entities", metavar="FILE", help="whom to protect: a name or an object a line")
    add("--protect", action="append", default=[], metavar="NAME",
        help="whom to protect, or everyone (a command line reaches process lists; --entities does not)")  # fmt: skip
    add("--protect-field", action="append", default=[], metavar="KEY", help="of JSON Lines: names whom to protect")
    add("--background", metavar="FILE", help="public text about candidates: JSON Lines with name (or title) and text")


def add_scoring_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every command has that scores texts."""
    add_entity_arguments(parser)
    add = parser.add_argument
    add("--preset", choices=tuple(PRESETS), help="how strict: limit .645, .28, or .28 and every rare word")
    add("--limit", type=float, metavar="RISK", help="the lowest risk that is masked, instead of the preset's")


def add_risk_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what decides further which risks count."""
    add = parser.add_argument
    add("--attribution-limit", type=float, metavar="SHARE",
        help="from which a phrase is taken to speak of an entity (0.2)")  # fmt: skip
    add("--anonymity", type=int, default=0, metavar="K",
        help="with --background: raise risks until attackers rank the entity behind K")  # fmt: skip


def add_replacement_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what decides what stands instead."""
    add = parser.add_argument
    add("--method", choices=METHODS, help="what stands instead (generalize)")
    add("--pseudonym-key", metavar="FILE",
        help="what it holds chooses substitutes and shifts, the same in all texts (else each run its own)")  # fmt: skip
    add("--store", action="append", default=[], metavar="STORE", help="taxonomies to climb (the shipped ones)")


def load_settings(options: argparse.Namespace, flags: Mapping[str, Any]) -> Config:
    """Return the settings in force, after the options are known to fit together; `flags` are those of one command."""
    if options.limit is not None and not 0 < options.limit <= 1:  # in settings -1 says that there is none
        raise ConfigError("--limit must be above 0, and at most 1")
    flags = {
        "language": options.language, "score.preset": options.preset, "score.limit": options.limit,
        "score.attribution_limit": options.attribution_limit, **flags,
    }  # fmt: skip
    config = load(options.config, flags).config
    if options.anonymity < 0:
        raise ConfigError("--anonymity must be a rank from 1")
    if options.anonymity and not options.background:
        raise ConfigError("--anonymity needs public text about candidates; name it: --background FILE")
    if options.encoding:
        check_encoding(options.encoding)
    return config


def open_anonymizer(options: argparse.Namespace) -> Anonymizer:
    """Open what the options name."""
    flags = {"anonymize.method": options.method, "anonymize.key_file": options.pseudonym_key}
    config = load_settings(options, flags)
    model = open_model(options.model) if options.model else None
    attackers = read_background(options.background, config.language) if options.background else None
    return Anonymizer(config, model, tuple(options.store) or SHIPPED, attackers, secret_from_config(config))


def report_warnings(judged: ScoredDocument, path: str, rank: int, heard: set[str]) -> int:
    """Warn of entities that a text does not name, and of a rank that is not reached; give the exit code.

    Of a language that is read by script alone, and of a model that is not fit, it is said once.
    """
    if judged.analysis.uses_fallback:
        warn_no_tagger(judged.analysis.language, heard)
    id, code = judged.analysis.document.id, 0
    id = path if id == path else f"{path}, {id}"
    if missing := [f"e{number + 1}" for number in judged.scored.unmentioned]:
        every = len(missing) == len(judged.protected.entities)
        how = ": scored as if all of it were about them" if every else ""
        say(f"warning: {id}: does not name {', '.join(missing[:5])}{how}; check the spelling, or add aliases")
        code = 1
    if isinstance(judged.rarity, CorpusRarity):
        said = fitness_problem(judged.analysis.document.text, judged.analysis.language, judged.rarity.model)
        if said and said not in heard:
            heard.add(said)
            say(f"warning: {id}: {said}; low risks mean little (embanon doctor)")
    if rank and not judged.is_rank_reached:
        why = (
            "words outside its phrases give it away"
            if judged.exposure
            else "the background has no text about its entity"
        )
        say(f"warning: {id}: not behind rank {rank}: {why}")
        code = 1
    return code


CONFIG_HELP: Final = "settings; else ./embanon.toml, else the user's own"


def add_input_arguments(parser: argparse.ArgumentParser, least: str = "+") -> None:
    """Add what every command has that reads texts; `least` is how many, in argparse's words."""
    add = parser.add_argument
    add("files", nargs=least, metavar="FILE",
        help="text (.txt, .md), page (.html), JSON Lines (.jsonl[.gz]), table (.csv, .tsv[.gz]), e-mail (.eml); a "
        "folder or a pattern for many; - is stdin. Offsets are of the text that readers see, whatever marks it up"
    )  # fmt: skip
    add_reading_arguments(parser)


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what says how inputs are read."""
    add = parser.add_argument
    add("--format", choices=tuple(FORMATS), help="what each FILE is, whatever its name")
    add("--encoding", metavar="NAME", help="of text, pages and tables; else as they say themselves, or UTF-8")
    add("--column", action="append", metavar="NAME", help="of tables: that has text (text); may be given again")
    add("--id-column", metavar="NAME", help="of tables: that has ids (id, else the number of the row)")
    add("--config", metavar="FILE", help=CONFIG_HELP)
    add("--language", metavar="CODE", help="en, es, pt, de …; else detected")


def text_columns(options: argparse.Namespace, carried: Sequence[str] = ()) -> TextColumns:
    """Return the columns of tables that the options name."""
    return TextColumns(tuple(options.column or ("text",)), options.id_column, tuple(carried))


def input_documents(path: str, options: argparse.Namespace) -> Iterator[Document]:
    """Read an input as the options say."""
    return read_documents(path, options.encoding, options.format, columns=text_columns(options))
