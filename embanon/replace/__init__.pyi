"""The face of this room: what others import from it."""

from .checks import SAFE as SAFE, LabelTest as LabelTest, LinkageGain as LinkageGain, TopicNearness as TopicNearness
from .edit import Edit as Edit
from .grammar import DEFINITE_ARTICLE as DEFINITE_ARTICLE, INDEFINITE_ARTICLE as INDEFINITE_ARTICLE
from .methods import Methods as Methods
from .placeholders import (
    NUMBER_SUFFIX as NUMBER_SUFFIX,
    PLACEHOLDER as PLACEHOLDER,
    SUPPRESSION_MARK as SUPPRESSION_MARK,
)
from .plan import Replacer as Replacer
from .rewrite import RestoredText as RestoredText, Solution as Solution, restore as restore, rewrite as rewrite
from .solutions import (
    FILE as FILE,
    UNCHANGED as UNCHANGED,
    document_name as document_name,
    load as load,
    marker_line as marker_line,
    save as save,
)
from .source import map_to_source as map_to_source
from .surrogates.dates import SHIFT_WARNING as SHIFT_WARNING
from .surrogates.keyed import (
    random_secret as random_secret,
    read_key as read_key,
    secret_from_config as secret_from_config,
)
