"""What other packages import from this one."""

from .analyzer import (
    PIECE_SIZE as PIECE_SIZE,
    TAGGED_LANGUAGES as TAGGED_LANGUAGES,
    TaggingCache as TaggingCache,
    load_analyzer as load_analyzer,
    load_caching_analyzer as load_caching_analyzer,
    load_grammar as load_grammar,
    split_pieces as split_pieces,
)
from .coreference import (
    ACRONYM as ACRONYM,
    group_names as group_names,
    possible_acronyms as possible_acronyms,
    words_of_name as words_of_name,
)
from .find import (
    NO_STATISTICS as NO_STATISTICS,
    Analysis as Analysis,
    AnalyzerLoader as AnalyzerLoader,
    DocumentBatch as DocumentBatch,
    StatisticsByLanguage as StatisticsByLanguage,
    find_all as find_all,
    find_batches as find_batches,
    find_phrases as find_phrases,
    gather_statistics as gather_statistics,
    language_of as language_of,
)
from .identifiers.anchors import load_validator as load_validator
from .identifiers.national import national_numbers as national_numbers
from .joins import CorpusStatistics as CorpusStatistics
from .kinds import DEFAULT_KINDS as DEFAULT_KINDS
from .learned import (
    AGE as AGE,
    KIN as KIN,
    LANDS as LANDS,
    STATEMENT as STATEMENT,
    is_guess as is_guess,
)
from .repeats import with_repeats as with_repeats
from .terms import with_terms as with_terms
from .tokens import (
    UNSPACED_SCRIPTS as UNSPACED_SCRIPTS,
    Tokens as Tokens,
    classify_characters as classify_characters,
    tokenize as tokenize,
)
from .visible import ACCENTS as ACCENTS, LATIN as LATIN, VisibleText as VisibleText, strip_invisible as strip_invisible
