"""What other packages import from this one."""

from .labeler import (
    LABELS as LABELS,
    Labeler as Labeler,
    Labels as Labels,
    load_labeler as load_labeler,
)
from .layout import COLUMN_GAP as COLUMN_GAP, QUOTATION_MARKS as QUOTATION_MARKS, Layout as Layout
from .sorts import (
    KIND_NAMES as KIND_NAMES,
    NOTHING as NOTHING,
    Sorter as Sorter,
    likeliest_kinds as likeliest_kinds,
    load_sorter as load_sorter,
    type_chances as type_chances,
)
