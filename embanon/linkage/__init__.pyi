"""What other packages import from this one."""

from .attackers import (
    AMBIGUOUS as AMBIGUOUS,
    UNKNOWN as UNKNOWN,
    AdditiveAttacker as AdditiveAttacker,
    Attacker as Attacker,
    AttackerView as AttackerView,
    Background as Background,
    CharacterGrams as CharacterGrams,
    Floats as Floats,
    Ints as Ints,
    TermPostings as TermPostings,
    WordCounts as WordCounts,
    best_rivals as best_rivals,
    character_grams as character_grams,
    count_words as count_words,
    rank as rank,
    ranks as ranks,
    sum_by_index as sum_by_index,
    top_probability as top_probability,
)
from .baselines import (
    Baseline as Baseline,
    kept as kept,
    measure_baselines as measure_baselines,
    remove_spans as remove_spans,
    spans_where as spans_where,
    word_starts as word_starts,
)
from .calibration import (
    calibrate as calibrate,
    effective_candidates as effective_candidates,
    posterior as posterior,
    wilson_interval as wilson_interval,
)
from .exposure import (
    FIRST_ENTITY as FIRST_ENTITY,
    Attackers as Attackers,
    Exposure as Exposure,
    candidate_name as candidate_name,
    read_background as read_background,
    read_candidates as read_candidates,
)
