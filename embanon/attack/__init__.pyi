"""What other packages import from this one."""

from .attack import (
    ANONYMIZED as ANONYMIZED,
    CLUES as CLUES,
    TOP as TOP,
    AttackResult as AttackResult,
    AttackSummary as AttackSummary,
    attack as attack,
    certainty_order as certainty_order,
    classify_phrases as classify_phrases,
    read_background_phrases as read_background_phrases,
)
from .infill import (
    Gap as Gap,
    InfillAttacker as InfillAttacker,
    InfillSummary as InfillSummary,
    attack_gaps as attack_gaps,
    gaps_from_edits as gaps_from_edits,
    gaps_from_solutions as gaps_from_solutions,
)
from .intervals import (
    SAMPLES as SAMPLES,
    SEED as SEED,
    TAIL as TAIL,
    WILSON as WILSON,
    IntervalEstimate as IntervalEstimate,
)
from .learners import unit_vectors as unit_vectors
from .masks import AttackerWords as AttackerWords, ranks_by_mask as ranks_by_mask
from .public import ATTACKERS as ATTACKERS, PublicTexts as PublicTexts, Target as Target, are_copies as are_copies
