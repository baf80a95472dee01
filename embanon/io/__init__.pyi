"""What other packages import from this one."""

from .files import open_replacement as open_replacement, replace_file as replace_file, resolve_link as resolve_link
from .http_client import Reply as Reply, TooLargeError as TooLargeError, post as post
from .messages import (
    PROGRESS_LINES as PROGRESS_LINES,
    ProgressLine as ProgressLine,
    flush as flush,
    process_each as process_each,
    replace_unprintable as replace_unprintable,
    report_failure as report_failure,
    report_omitted as report_omitted,
    say as say,
    warn_no_tagger as warn_no_tagger,
    write as write,
)
from .read import (
    ENDINGS as ENDINGS,
    FORMATS as FORMATS,
    JSON_LINES_FORMATS as JSON_LINES_FORMATS,
    STDIN as STDIN,
    TEXT as TEXT,
    Format as Format,
    format_of as format_of,
    open_input as open_input,
    open_source as open_source,
    open_unpacked as open_unpacked,
    read_documents as read_documents,
    read_sources as read_sources,
    read_stream as read_stream,
    standard_input as standard_input,
)
from .read.corpus import (
    CORPUS_FORMATS as CORPUS_FORMATS,
    Corpus as Corpus,
    CorpusColumns as CorpusColumns,
    CorpusDocument as CorpusDocument,
    Tally as Tally,
    UniqueIds as UniqueIds,
)
from .read.csv_tables import COMMA as COMMA, TAB as TAB, read_table as read_table, records as records
from .read.jsonl import JSON_TYPE_NAMES as JSON_TYPE_NAMES, SURROGATES as SURROGATES, rows as rows
from .read.limits import (
    LIMITS as LIMITS,
    Limits as Limits,
    open_gzip as open_gzip,
    read_errors as read_errors,
)
from .read.paths import GLOB_CHARACTERS as GLOB_CHARACTERS, find_files as find_files
from .read.source_map import (
    ReadOptions as ReadOptions,
    SourceDocument as SourceDocument,
    SourceMap as SourceMap,
    TextColumns as TextColumns,
    make_encodable as make_encodable,
)
from .read.text import (
    check_encoding as check_encoding,
    decode as decode,
    decode_chunks as decode_chunks,
    read_bytes as read_bytes,
)
from .terminal import (
    MAX_CELL_WIDTH as MAX_CELL_WIDTH,
    as_json as as_json,
    count_noun as count_noun,
    format_rows as format_rows,
    format_table as format_table,
    heading as heading,
    heat_legend as heat_legend,
    highlight_risks as highlight_risks,
    highlight_types as highlight_types,
    legend as legend,
    replace_unsafe as replace_unsafe,
    to_csv as to_csv,
    wants_color as wants_color,
)
