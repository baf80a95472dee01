"""What other packages import from this one."""

from .annotations import GoldDocument as GoldDocument
from .baselines import EQUAL_COUNT_RULES as EQUAL_COUNT_RULES, RULES as RULES
from .curve import LinkageAttack as LinkageAttack, Sample as Sample
from .evaluate import (
    SEED as SEED,
    DocumentEvaluation as DocumentEvaluation,
    Evaluation as Evaluation,
    evaluate as evaluate,
    with_language as with_language,
)
from .formats import (
    GOLD_FORMATS as GOLD_FORMATS,
    OUTPUT_FORMATS as OUTPUT_FORMATS,
    SystemOutput as SystemOutput,
    read_gold as read_gold,
    read_output as read_output,
    read_texts as read_texts,
)
from .formats.matching import MatchedOutput as MatchedOutput, list_ids as list_ids, match_output as match_output
from .formats.ratings import read_sheets as read_sheets
from .instruments import Instruments as Instruments
from .metrics.information import (
    CorpusInformation as CorpusInformation,
    FrequencyInformation as FrequencyInformation,
    Information as Information,
    PhraseInformation as PhraseInformation,
    UniformInformation as UniformInformation,
)
from .metrics.masked_language_model import MaskedLanguageModel as MaskedLanguageModel
from .metrics.similarity import VectorSimilarity as VectorSimilarity
from .metrics.spans import base_language as base_language
from .metrics.tags import ShippedTagger as ShippedTagger, SpacyTagger as SpacyTagger, TextTagger as TextTagger
from .sheets import (
    COLUMNS as COLUMNS,
    RatingSummary as RatingSummary,
    choose_rows as choose_rows,
    summarize_ratings as summarize_ratings,
)
from .table import Figure as Figure
from .tune import (
    AgreementGoal as AgreementGoal,
    BalanceGoal as BalanceGoal,
    Goal as Goal,
    HidingGoal as HidingGoal,
    RetentionGoal as RetentionGoal,
    TuningResult as TuningResult,
    build_samples as build_samples,
    curve_rows as curve_rows,
    tune as tune,
)
