"""What other packages import from this one."""

from .folder import (
    MODEL as MODEL,
    TAXONOMY as TAXONOMY,
    Arrays as Arrays,
    add_prefix as add_prefix,
    check_target as check_target,
    check_unchanged as check_unchanged,
    load as load,
    select_prefix as select_prefix,
)
from .keys import (
    BLOCK_SIZE as BLOCK_SIZE,
    KeyedShares as KeyedShares,
    KeyIndex as KeyIndex,
    Keys as Keys,
    KeySet as KeySet,
    hash_key as hash_key,
    hash_keys as hash_keys,
)
from .lock import locked as locked
