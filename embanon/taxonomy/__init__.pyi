"""What other packages import from this one."""

from .build import build as build, unfinished_folder as unfinished_folder
from .climb import (
    COMPUTED as COMPUTED,
    COMPUTED_ONLY_TYPES as COMPUTED_ONLY_TYPES,
    HEAD as HEAD,
    HOMES as HOMES,
    LISTED as LISTED,
    LOCATED as LOCATED,
    PERSON as PERSON,
    WORDNET as WORDNET,
    Climber as Climber,
    Ladder as Ladder,
    Rung as Rung,
    climber as climber,
    named_entries as named_entries,
)
from .concept import ANY_LANGUAGE as ANY_LANGUAGE, LINKS as LINKS, Concept as Concept
from .entries import (
    EXACT as EXACT,
    MAX_INDEXED as MAX_INDEXED,
    Entries as Entries,
    Entry as Entry,
    EntrySpan as EntrySpan,
)
from .export import to_skos as to_skos
from .labels import Inventory as Inventory, load_inventory as load_inventory
from .ladders import bracket_word as bracket_word
from .ladders.date_order import is_day_first as is_day_first, with_month_second as with_month_second
from .ladders.dates import (
    DASHES as DASHES,
    DECADE as DECADE,
    ENDINGS as ENDINGS,
    FIRST_YEAR as FIRST_YEAR,
    LAST_YEAR as LAST_YEAR,
    MARKS as MARKS,
    PART_OF_DECADE as PART_OF_DECADE,
    PART_OF_YEAR as PART_OF_YEAR,
    is_of_life as is_of_life,
    month_numbers as month_numbers,
    parse_numeric_date as parse_numeric_date,
    year_from as year_from,
    years_in as years_in,
)
from .ladders.heads import LEAST_COUNT as LEAST_COUNT, unique_words as unique_words
from .ladders.numerals import MORE as MORE, find_number as find_number, is_ordinal as is_ordinal
from .ladders.people import ADJECTIVE as ADJECTIVE, ROUGH as ROUGH, STAGE as STAGE
from .ladders.tables import (
    MAX_PHRASE_LENGTH as MAX_PHRASE_LENGTH,
    Context as Context,
    Tables as Tables,
    Token as Token,
    load_tables as load_tables,
    parse_words as parse_words,
    tokenize as tokenize,
)
from .missing import MissingLabel as MissingLabel, missing_labels as missing_labels
from .sources.packed_lines import GZIP as GZIP, CountingReader as CountingReader
from .spool import SpoolState as SpoolState
from .store import SHIPPED as SHIPPED, Store as Store, taxonomy_folder as taxonomy_folder
from .verify import verify as verify
