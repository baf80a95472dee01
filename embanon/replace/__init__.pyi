"""What other packages import from this one."""

from .checks import SAFE as SAFE, LabelTest as LabelTest, LinkageGain as LinkageGain, TopicNearness as TopicNearness
from .edit import (
    SUPPRESSION_MARK as SUPPRESSION_MARK,
    Edit as Edit,
    splice as splice,
)
from .grammar import DEFINITE_ARTICLE as DEFINITE_ARTICLE, INDEFINITE_ARTICLE as INDEFINITE_ARTICLE
from .methods import (
    Methods as Methods,
    random_secret as random_secret,
    read_key as read_key,
    secret_from_config as secret_from_config,
)
from .naming import placeholder_pattern as placeholder_pattern, strip_number as strip_number
from .plan import Replacer as Replacer
from .rewrite import (
    RestoredText as RestoredText,
    Solution as Solution,
    map_to_source as map_to_source,
    restore as restore,
    rewrite as rewrite,
)
from .solutions import (
    FILE as FILE,
    UNCHANGED as UNCHANGED,
    document_name as document_name,
    load as load,
    marker_line as marker_line,
    save as save,
)
from .surrogates.dates import SHIFT_WARNING as SHIFT_WARNING
