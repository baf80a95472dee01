"""What other packages import from this one."""

from .chunk_grammar import (
    NOUN_PHRASE as NOUN_PHRASE,
    TAG_JOINER as TAG_JOINER,
    compile_chunk_grammar as compile_chunk_grammar,
)
from .load import load as load, read_toml as read_toml, write_limits as write_limits
from .schema import (
    build_dataclass as build_dataclass,
    iterate_settings as iterate_settings,
    suggest_name as suggest_name,
    validate_table as validate_table,
)
from .settings import (
    CONTEXTUAL as CONTEXTUAL,
    COSINE as COSINE,
    METHODS as METHODS,
    NLTK_CHUNKER as NLTK_CHUNKER,
    OTHERS as OTHERS,
    PRESETS as PRESETS,
    RISK as RISK,
    SCORERS as SCORERS,
    SIMILARITY_PRESETS as SIMILARITY_PRESETS,
    TRAIN_CHOICES as TRAIN_CHOICES,
    Config as Config,
    MethodRule as MethodRule,
    PhraseSettings as PhraseSettings,
    RiskLimits as RiskLimits,
    ScoreSettings as ScoreSettings,
    SparqlSettings as SparqlSettings,
    TrainingSettings as TrainingSettings,
    TypeLimits as TypeLimits,
    is_loopback as is_loopback,
)
