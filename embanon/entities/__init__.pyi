"""What other packages import from this one."""

from .about import (
    ProposedEntity as ProposedEntity,
    propose_entities as propose_entities,
)
from .candidates import (
    Candidate as Candidate,
    find_candidates as find_candidates,
)
from .cues import Layout as Layout, candidate_features as candidate_features, class_pattern as class_pattern
from .entity import (
    COMMON_WORD_SHARE as COMMON_WORD_SHARE,
    MIN_PART_LENGTH as MIN_PART_LENGTH,
    Entity as Entity,
    distinctive_words as distinctive_words,
    searched_forms as searched_forms,
    split_name as split_name,
)
from .folding import fold_text as fold_text
from .mentions import (
    MIN_EMBEDDED_LENGTH as MIN_EMBEDDED_LENGTH,
    EntityMentions as EntityMentions,
    find_mentions as find_mentions,
    joined_names as joined_names,
)
from .present import (
    BIRTH_OR_LIFESPAN as BIRTH_OR_LIFESPAN,
    PhraseGroups as PhraseGroups,
    PresentEntity as PresentEntity,
    find_present_entities as find_present_entities,
    group_phrases as group_phrases,
    may_be_same_given_name as may_be_same_given_name,
)
from .protected import (
    EVERYONE as EVERYONE,
    NOBODY_MESSAGE as NOBODY_MESSAGE,
    PROJECT_NOUNS as PROJECT_NOUNS,
    ProtectedEntities as ProtectedEntities,
    ProtectionRules as ProtectionRules,
    parse_entities as parse_entities,
    parse_protected as parse_protected,
    protected_from_row as protected_from_row,
    rules_from_options as rules_from_options,
)
from .residue import (
    RemainingName as RemainingName,
    remaining_names as remaining_names,
    reveals_entity as reveals_entity,
    reveals_protected as reveals_protected,
)
from .spellings import LOWERCASE_NAME_SHARE as LOWERCASE_NAME_SHARE
from .words import (
    Span as Span,
    find_name as find_name,
    find_word as find_word,
    is_whole as is_whole,
    merge_spans as merge_spans,
)
