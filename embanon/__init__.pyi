"""The face of the library: what users import from it."""

from .anonymizer import Anonymized as Anonymized, Anonymizer as Anonymizer, load as load
from .config import Config as Config
from .document import Document as Document
from .entities import Entity as Entity
from .errors import (
    ArgumentError as ArgumentError,
    ConfigError as ConfigError,
    DataError as DataError,
    DecodingError as DecodingError,
    EmbanonError as EmbanonError,
    InputError as InputError,
    MissingExtraError as MissingExtraError,
    MissingTextError as MissingTextError,
    OutputError as OutputError,
    ProtectedNameWarning as ProtectedNameWarning,
)
from .model import open_model as open_model, train as train
from .replace import Edit as Edit, Solution as Solution
from .scoring import ScoredDocument as ScoredDocument, ScoredPhrase as ScoredPhrase
from .workflow import anonymize_file as anonymize_file, restore_file as restore_file

__version__: str
