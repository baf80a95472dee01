"""Options that commands share, and what these open."""

from __future__ import annotations

import argparse
import getpass
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from embanon.config import METHODS, OTHERS, PRESETS, SCORERS, SIMILARITY_PRESETS, Config, load
from embanon.document import Document
from embanon.errors import ConfigError
from embanon.io import FORMATS, STDIN, TextColumns, check_encoding, read_documents

if TYPE_CHECKING:  # commands that only read texts do not wait for what scores and replaces
    from embanon.anonymizer import Anonymizer
    from embanon.linkage import Attackers
    from embanon.model import Model
    from embanon.workflow import FileSettings

CONFIG_HELP: Final = "Settings file. [default: ./embanon.toml, else the user's]"
LANGUAGE_HELP: Final = "Language of the texts: en, es, pt, de … [default: detected]"
COLOR_CHOICES: Final = ("auto", "always", "never")


def add_entity_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for entities, model and background."""
    add = parser.add_argument
    add("--entities", metavar="FILE", help="File of whom to protect: a name or a JSON object a line.")
    add("--protect", action="append", default=[], metavar="NAME",
        help="Name to protect, or everyone. Repeatable. Command lines reach process lists; --entities does "
        "not.")  # fmt: skip
    add("--protect-field", action="append", default=[], metavar="KEY",
        help="Key of JSON Lines, or table column, with names to protect. Repeatable.")  # fmt: skip
    add("--model", metavar="MODEL",
        help="Model of `embanon train` on texts of the same kind. [default: word frequency]")  # fmt: skip
    add("--background", metavar="FILE",
        help="Public text about candidates: JSON Lines with name (or title) and text.")  # fmt: skip


def add_scoring_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that scores texts."""
    add_entity_arguments(parser)
    add = parser.add_argument
    limits = "limit {:g}, {:g}, or {:g} and every rare word".format(*(limit for limit, _ in PRESETS.values()))
    cosines = " or ".join(f"{limit:g}" for limit in SIMILARITY_PRESETS.values())
    add("--preset", choices=(*PRESETS, *SIMILARITY_PRESETS),
        help=f"How strict: {limits}; of thesis and thesis-0.5 a cosine of {cosines}.")  # fmt: skip
    add_scorer_arguments(parser)
    add("--limit", type=float, metavar="RISK", help="Lowest risk to mask. [default: the preset's]")
    add("--others", choices=OTHERS, help="What becomes of what speaks of others than the protected. [default: mask]")
    add("--attribution-limit", type=float, metavar="SHARE",
        help="With --others keep: share of attribution from which a phrase is about an entity. [default: 0.2]"
        )  # fmt: skip
    add("--anonymity", type=int, default=0, metavar="K",
        help="With --background: raise risks until attackers rank the entity behind K.")  # fmt: skip


def add_scorer_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for what risk is measured by."""
    add = parser.add_argument
    add("--scorer", choices=SCORERS,
        help="What risk is: how identifying a phrase is, the cosine of its vector (--model) to protected names, or "
        "that of an encoder (--encoder). [default: risk, or as the preset has it]")  # fmt: skip
    add("--encoder", metavar="FOLDER", help="With --scorer contextual: folder of sentence-transformers.")


def add_replacement_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for replacements."""
    add = parser.add_argument
    add("--method", choices=METHODS, help="What to write instead. [default: generalize]")
    add("--pseudonym-key", metavar="FILE",
        help="Key file that chooses the same substitutes and date shifts in all texts. [default: by chance]"
        )  # fmt: skip
    add("--polish", metavar="URL|FILE",
        help="Server of a language model on this machine, or its file (.gguf), that mends the grammar of anonymized "
        "sentences. [default: none]")  # fmt: skip
    add_store_argument(parser)


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option for taxonomies."""
    parser.add_argument("--store", action="append", default=[], metavar="STORE",
        help="Taxonomy to climb: what your own says of a phrase goes before all else. In order, repeatable. "
        "[default: the shipped ones]")  # fmt: skip


def add_key_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option for the key of a table of solutions."""
    add = parser.add_argument
    add("--key-file", metavar="FILE", help="File with the key that encrypts the table.")
    add("--passphrase", action="store_true", help="Ask for the passphrase that encrypts the table.")


def add_color_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option for colors."""
    parser.add_argument("--color", choices=COLOR_CHOICES, default="auto",
        help="Color of the view. [default: auto, in a terminal]")  # fmt: skip


def add_input_arguments(parser: argparse.ArgumentParser, least: str = "+") -> None:
    """Add the options of every command that reads texts; `least` is the number of files, as `nargs`."""
    add_input_options(parser.add_argument, least)


def add_input_options(add: Callable[..., Any], least: str = "+") -> None:
    """Add these options by a function that adds one."""
    add("files", nargs=least, metavar="FILE",
        help="Text (.txt, .md), page (.html), JSON Lines (.jsonl[.gz]), table (.csv, .tsv[.gz]) or e-mail (.eml); a "
        "folder or a pattern for many; - for standard input. Offsets count in the text that readers see."
    )  # fmt: skip
    _add_reading_options(add)


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading inputs."""
    _add_reading_options(parser.add_argument)


def _add_reading_options(add: Callable[..., Any]) -> None:
    add("--format", choices=tuple(FORMATS), help="Format of each FILE. [default: by its name]")
    add("--encoding", metavar="NAME",
        help="Encoding of texts, pages and tables. [default: as they declare, else UTF-8]")  # fmt: skip
    add("--column", action="append", metavar="NAME", help="Table column to read as text. Repeatable. [default: text]")
    add("--id-column", metavar="NAME", help="Table column with ids. [default: id, else the row number]")
    add("--config", metavar="FILE", help=CONFIG_HELP)
    add("--language", metavar="CODE", help=LANGUAGE_HELP)


def load_settings(options: argparse.Namespace, flags: Mapping[str, Any]) -> Config:
    """Return the settings in force, after checking that the options fit together; `flags` are those of one command."""
    if options.limit is not None and not 0 < options.limit <= 1:  # in settings -1 says that there is none
        raise ConfigError("--limit must be above 0, and at most 1")
    flags = {
        "language": options.language, "score.preset": options.preset, "score.limit": options.limit,
        "score.others": options.others, "score.attribution_limit": options.attribution_limit,
        "score.scorer": options.scorer, "score.encoder": options.encoder, **flags,
    }  # fmt: skip
    config = load(options.config, flags).config
    if options.anonymity < 0:
        raise ConfigError("--anonymity must be a rank from 1")
    if options.anonymity and not options.background:
        raise ConfigError("--anonymity needs public text about candidates; name it: --background FILE")
    if options.encoding:
        check_encoding(options.encoding)
    return config


def language_config(options: argparse.Namespace) -> Config:
    """Return the settings in force for a command that only sets the language."""
    return load(options.config, {"language": options.language}).config


def named_model(options: argparse.Namespace) -> Model | None:
    """Open the named model, if any."""
    from embanon.model import open_model

    return open_model(options.model) if options.model else None


def named_attackers(options: argparse.Namespace, config: Config) -> Attackers | None:
    """Read the named background, if any."""
    from embanon.linkage import read_background

    return read_background(options.background, config.language) if options.background else None


def open_anonymizer(options: argparse.Namespace) -> Anonymizer:
    """Open the anonymizer that the options describe."""
    from embanon.anonymizer import Anonymizer, stores_in_force
    from embanon.replace import secret_from_config

    flags = {
        "anonymize.method": options.method,
        "anonymize.key_file": options.pseudonym_key,
        "anonymize.polish": options.polish,
    }
    config = load_settings(options, flags)
    stores = stores_in_force(config, options.store)
    attackers = named_attackers(options, config)
    return Anonymizer(config, named_model(options), stores, attackers, secret_from_config(config))


def file_settings(options: argparse.Namespace, **further: Any) -> FileSettings:
    """Return how files are read and written."""
    from embanon.workflow import FileSettings

    return FileSettings(
        options.format, options.encoding, tuple(options.column or ("text",)), options.id_column, **further
    )


def text_columns(options: argparse.Namespace, carried: Iterable[str] = ()) -> TextColumns:
    """Return the columns of tables that the options name."""
    return TextColumns(tuple(options.column or ("text",)), options.id_column, tuple(carried))


def input_documents(path: str, options: argparse.Namespace) -> Iterator[Document]:
    """Read the documents of an input as the options say."""
    return read_documents(path, options.encoding, options.format, columns=text_columns(options))


def refuse_repeated_stdin(paths: Iterable[str | None]) -> None:
    """Refuse to read standard input twice."""
    if list(paths).count(STDIN) > 1:
        raise ConfigError("- is named more than once; standard input can be read once, so write it to a file first")


def check_table_key(options: argparse.Namespace, purpose: str) -> None:
    """Refuse a key without a table of solutions to `purpose`."""
    if (options.key_file or options.passphrase) and not options.solutions:
        raise ConfigError(f"there is no table to {purpose}; name it: --solutions FILE")


def read_table_key(options: argparse.Namespace, *, twice: bool) -> bytes | None:
    """Return the key of the table, from a file or a prompt."""
    if options.key_file:
        from embanon.replace import read_key

        return read_key(options.key_file)
    if not options.passphrase:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", getpass.GetPassWarning)  # what is piped is not shown
            first = getpass.getpass("passphrase: ")
            same = not first or not twice or getpass.getpass("again: ") == first
    except EOFError:
        raise ConfigError("nobody is there to give a passphrase; name a file that holds it: --key-file FILE") from None
    if not first or not same:
        raise ConfigError("no passphrase, or two that differ")
    return first.encode()
