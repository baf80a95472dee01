"""The face of this room: what others import from it."""

from .anonymizing import (
    Chunk as Chunk,
    Outcome as Outcome,
    Outcomes as Outcomes,
    anonymize_chunks as anonymize_chunks,
    keyed_id as keyed_id,
    read_chunks as read_chunks,
    unread_warnings as unread_warnings,
)
from .folders import (
    Input as Input,
    OutputFolder as OutputFolder,
    file_ending as file_ending,
    find_inputs as find_inputs,
    process_each_file as process_each_file,
)
from .outputs import (
    OutputPart as OutputPart,
    check_outputs as check_outputs,
    encode_text as encode_text,
    input_format as input_format,
    is_json_lines as is_json_lines,
    join_parts as join_parts,
    progress_line as progress_line,
    read_table_key as read_table_key,
    write_all as write_all,
    write_bytes as write_bytes,
)
