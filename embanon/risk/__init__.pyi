"""What other packages import from this one."""

from .attribution import attribute as attribute
from .explain import (
    describe_reason as describe_reason,
    explain_phrase as explain_phrase,
    others_caution as others_caution,
)
from .identifiers import confidential_category as confidential_category, identifiers as identifiers
from .identifying import (
    LabelWords as LabelWords,
    is_everyday_kin as is_everyday_kin,
    is_name as is_name,
    is_running_text as is_running_text,
)
from .power import (
    CACHE_SIZE as CACHE_SIZE,
    CorpusRarity as CorpusRarity,
    LabelRarity as LabelRarity,
    LanguageRarity as LanguageRarity,
    Rarity as Rarity,
    rarest_word as rarest_word,
    scale_score as scale_score,
)
from .score import (
    TOPIC as TOPIC,
    ScoredPhrases as ScoredPhrases,
    Scorer as Scorer,
    compared_names as compared_names,
)
from .scorers import (
    STEP_LABELS as STEP_LABELS,
    Names as Names,
    PhraseRisks as PhraseRisks,
    PhraseScorer as PhraseScorer,
    open_scorer as open_scorer,
)
from .spans import phrase_spans as phrase_spans
from .topic_model import BagOfWords as BagOfWords, Scale as Scale, Topic as Topic, TopicModel as TopicModel
from .topics import SHIFT as SHIFT
