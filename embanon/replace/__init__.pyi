"""What other packages import from this one."""

from .checks import (
    SAFE as SAFE,
    LabelTest as LabelTest,
    LinkageGain as LinkageGain,
    TopicNearness as TopicNearness,
)
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
from .polishing import Polisher as Polisher
from .polishing.language_models import open_language_model as open_language_model
from .rewrite import (
    SEAL as SEAL,
    RestoredText as RestoredText,
    Solution as Solution,
    map_to_source as map_to_source,
    restore as restore,
    rewrite as rewrite,
)
from .seals import is_altered as is_altered, is_of_text as is_of_text, seal_of as seal_of
from .solutions import (
    FILE as FILE,
    document_name as document_name,
    file_line as file_line,
    load as load,
    save as save,
)
from .surrogates.dates import SHIFT_WARNING as SHIFT_WARNING
