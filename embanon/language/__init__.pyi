"""What other packages import from this one."""

from .detect import (
    LANGUAGES as LANGUAGES,
    TAGGED_LANGUAGES as TAGGED_LANGUAGES,
    common_language as common_language,
    detect as detect,
    has_trait as has_trait,
    language_table as language_table,
    most_frequent_code as most_frequent_code,
    phrase_words as phrase_words,
    primary_language as primary_language,
)
from .frequencies import (
    TYPICAL_DOCUMENT_LENGTH as TYPICAL_DOCUMENT_LENGTH,
    Frequencies as Frequencies,
    word_share as word_share,
)
from .inflection import (
    COMMON_GENDER as COMMON_GENDER,
    UNKNOWN_GENDER as UNKNOWN_GENDER,
    agreeing_form as agreeing_form,
    article_gender as article_gender,
    compound_head as compound_head,
    inflect_noun as inflect_noun,
    is_dictionary_noun as is_dictionary_noun,
    is_known_noun as is_known_noun,
    is_plural as is_plural,
    is_stressed_feminine as is_stressed_feminine,
    noun_gender as noun_gender,
    plural_form as plural_form,
)
from .lemmas import (
    LONGEST_WORD as LONGEST_WORD,
    Lemmatizer as Lemmatizer,
    find_positions as find_positions,
    fold_word as fold_word,
    hash_text as hash_text,
    hash_texts as hash_texts,
    sum_hashed_rows as sum_hashed_rows,
)
from .lexicon import (
    PERSON_CUES as PERSON_CUES,
    PLACE_CUES as PLACE_CUES,
    Cue as Cue,
    Lexicon as Lexicon,
    NameTable as NameTable,
    first_words_of_places as first_words_of_places,
    fold_name as fold_name,
    fold_names as fold_names,
)
from .normalize import (
    HYPHENS as HYPHENS,
    TRAILING_BRACKET as TRAILING_BRACKET,
    WORD as WORD,
    entity_key as entity_key,
    key as key,
    spelling_variant as spelling_variant,
    variant_arrays as variant_arrays,
    word_shape as word_shape,
    words_of as words_of,
)
