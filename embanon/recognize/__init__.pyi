"""What other packages import from this one."""

from .kinds import (
    KIND_NAMES as KIND_NAMES,
    NOTHING as NOTHING,
    likeliest_kinds as likeliest_kinds,
    type_chances as type_chances,
)
from .labeler import (
    LABELS as LABELS,
    Labeler as Labeler,
    Labels as Labels,
    load_labeler as load_labeler,
)
from .layout import (
    CLOSES as CLOSES,
    COLUMN_GAP as COLUMN_GAP,
    LINE_BREAK as LINE_BREAK,
    OPENS as OPENS,
    PARAGRAPH_BREAK as PARAGRAPH_BREAK,
    QUOTE as QUOTE,
    SOFT_BREAK as SOFT_BREAK,
    Layout as Layout,
)
from .network import Reading as Reading
