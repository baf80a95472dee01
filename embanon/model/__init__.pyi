"""What other packages import from this one."""

from .contextual import (
    BATCH_SIZE as BATCH_SIZE,
    DEFAULT_WINDOW as DEFAULT_WINDOW,
    LONE_SURROGATE as LONE_SURROGATE,
    Contextual as Contextual,
    TokenWindow as TokenWindow,
    _cut_windows as _cut_windows,
    _integer_or_missing as _integer_or_missing,
    _silence_library as _silence_library,
    _special_tokens as _special_tokens,
)
from .contextual_folder import check_transformer as check_transformer
from .convert import ExportOptions as ExportOptions, convert as convert, export as export
from .duplicates import GRAM_WORDS as GRAM_WORDS, MULTIPLIER as MULTIPLIER, sample_gram_hashes as sample_gram_hashes
from .fitness import (
    MAX_UNKNOWN_SHARE as MAX_UNKNOWN_SHARE,
    Fitness as Fitness,
    fitness_problem as fitness_problem,
    measure_fitness as measure_fitness,
    unknown_word_share as unknown_word_share,
)
from .foreign import read_foreign as read_foreign
from .foreign.fasttext_writer import write_fasttext as write_fasttext
from .model import Model as Model, Step as Step
from .shipped import DEFAULT as DEFAULT, model_folder as model_folder, open_model as open_model
from .train import ignore_progress as ignore_progress, train as train
from .vectors import unit_rows as unit_rows
from .verify import all_below as all_below, is_non_decreasing as is_non_decreasing, verify as verify
