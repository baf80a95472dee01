"""What other packages import from this one."""

from .about import (
    ProposedEntity as ProposedEntity,
    propose_entities as propose_entities,
)
from .candidates import (
    Candidate as Candidate,
    find_candidates as find_candidates,
)
from .cues import Layout as Layout, candidate_features as candidate_features
from .entity import (
    COMMON_WORD_SHARE as COMMON_WORD_SHARE,
    LOWERCASE_NAME_SHARE as LOWERCASE_NAME_SHARE,
    MIN_PART_LENGTH as MIN_PART_LENGTH,
    Entity as Entity,
    distinctive_words as distinctive_words,
    fold_text as fold_text,
    searched_forms as searched_forms,
    split_name as split_name,
)
from .mentions import (
    MIN_EMBEDDED_LENGTH as MIN_EMBEDDED_LENGTH,
    EntityMentions as EntityMentions,
    Span as Span,
    find_mentions as find_mentions,
    find_name as find_name,
    find_word as find_word,
    is_whole as is_whole,
    joined_names as joined_names,
)
from .present import (
    BIRTH_OR_LIFESPAN as BIRTH_OR_LIFESPAN,
    PhraseGroups as PhraseGroups,
    PresentEntity as PresentEntity,
    find_present_entities as find_present_entities,
    group_phrases as group_phrases,
    may_be_same_given_name as may_be_same_given_name,
    merge_spans as merge_spans,
)
from .protected import (
    EVERYONE as EVERYONE,
    NOBODY_MESSAGE as NOBODY_MESSAGE,
    ProtectedEntities as ProtectedEntities,
    ProtectionRules as ProtectionRules,
    parse_entities as parse_entities,
    parse_protected as parse_protected,
    protected_from_row as protected_from_row,
    rules_from_options as rules_from_options,
)
from .residue import reveals_entity as reveals_entity, reveals_protected as reveals_protected
