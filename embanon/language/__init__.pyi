"""The face of this room: what others import from it."""

from .detect import common_language as common_language, detect as detect, most_frequent_code as most_frequent_code
from .frequencies import LANGUAGES as LANGUAGES, Frequencies as Frequencies
from .hashing import (
    LONGEST_WORD as LONGEST_WORD,
    find_positions as find_positions,
    hash_text as hash_text,
    hash_texts as hash_texts,
)
from .inflection import inflect_noun as inflect_noun
from .lemmas import Lemmatizer as Lemmatizer, fold_word as fold_word
from .lexicon import (
    PERSON_CUES as PERSON_CUES,
    PLACE_CUES as PLACE_CUES,
    Cue as Cue,
    Lexicon as Lexicon,
    NameTable as NameTable,
    fold_name as fold_name,
)
from .normalize import (
    TRAILING_BRACKET as TRAILING_BRACKET,
    WORD as WORD,
    entity_key as entity_key,
    key as key,
    spelling_variant as spelling_variant,
    variant_arrays as variant_arrays,
    words_of as words_of,
)
from .nouns import (
    ARTICLE_GENDER as ARTICLE_GENDER,
    COMMON_GENDER as COMMON_GENDER,
    LISTED_NOUNS as LISTED_NOUNS,
    PLACE_NOUNS as PLACE_NOUNS,
    STRESSED_FEMININES as STRESSED_FEMININES,
    UNKNOWN_GENDER as UNKNOWN_GENDER,
    agreeing_form as agreeing_form,
    is_plural as is_plural,
    noun_gender as noun_gender,
    plural_form as plural_form,
)
