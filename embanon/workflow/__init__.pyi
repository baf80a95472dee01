"""What other packages import from this one."""

from .anonymize import (
    anonymize_file as anonymize_file,
    anonymize_files as anonymize_files,
    anonymize_planned as anonymize_planned,
)
from .folders import (
    Input as Input,
    OutputFolder as OutputFolder,
    file_ending as file_ending,
    find_inputs as find_inputs,
)
from .outputs import (
    FilePlan as FilePlan,
    check_outputs as check_outputs,
    input_format as input_format,
    is_json_lines as is_json_lines,
    join_results as join_results,
    plan_anonymizing as plan_anonymizing,
    plan_restoring as plan_restoring,
    write_file as write_file,
)
from .restore import (
    SolutionTable as SolutionTable,
    restore_file as restore_file,
    restore_files as restore_files,
    restore_planned as restore_planned,
)
from .results import (
    DocumentWarning as DocumentWarning,
    FileResult as FileResult,
    FileSettings as FileSettings,
    Progress as Progress,
    document_warnings as document_warnings,
    unread_warnings as unread_warnings,
)
