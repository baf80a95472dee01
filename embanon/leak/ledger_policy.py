"""Write down what entities are worth; where that changes, what documents and knowledge are worth changes with it."""

from __future__ import annotations

from embanon.leak.ledger import Ledger
from embanon.leak.ledger_learn import revalue_users
from embanon.leak.ledger_rows import storable
from embanon.leak.ledger_schema import ENTITIES, VALUES
from embanon.leak.ledger_sql import sql
from embanon.leak.ledger_worth import revalue
from embanon.leak.policy import Policy
from embanon.storage.keys import key


def adopt(ledger: Ledger, policy: Policy) -> dict[str, int]:
    """Take over what entities are worth, and give their numbers by the key of their name."""
    wanted = {ledger.secrets.keyed("entity", key(item.name)): item for item in policy.entities}
    worth = {hash: (float(item.value), float(policy.threshold_of(item))) for hash, item in wanted.items()}
    with ledger.writing("policy") as batch:
        known = {row.keyed: row for row in batch.connection.execute(sql.select(ENTITIES))}
        new = [hash for hash in wanted if hash not in known]
        changed = [hash for hash, row in known.items() if hash in worth and (row.value, row.threshold) != worth[hash]]
        numbers = {hash: row.id for hash, row in known.items()}
        numbers |= {hash: id for id, hash in enumerate(new, batch.next(ENTITIES))}
        named = policy.ledger.text
        rows = [
            {"id": numbers[hash], "keyed": hash, "name": storable(wanted[hash].name) if named else None}
            for hash in new
        ]  # fmt: skip
        values = {hash: dict(zip(("value", "threshold"), worth[hash], strict=True)) for hash in (*new, *changed)}
        batch.add(ENTITIES, [row | values[hash] for row, hash in zip(rows, new, strict=True)])
        first = batch.next(VALUES)
        batch.add(VALUES, [{"id": id, "entity": numbers[one]} | values[one] for id, one in enumerate(values, first)])
        for hash in changed:
            change = sql.update(ENTITIES).where(ENTITIES.c.id == numbers[hash])
            batch.connection.execute(change.values(**values[hash]))
        if changed:
            revalue(batch.connection)
            revalue_users(batch.connection)
    return {key(item.name): numbers[hash] for hash, item in wanted.items()}


def entity_names(ledger: Ledger, connection: sql.Connection, policy: Policy | None) -> dict[int, str]:
    """Give the names of entities as a policy knows them, or the ledger where it may; else what stands for them."""
    rows = connection.execute(sql.select(ENTITIES.c.id, ENTITIES.c.keyed, ENTITIES.c.name)).all()
    items = policy.entities if policy else ()
    known = {ledger.secrets.keyed("entity", key(item.name)): item.name for item in items}
    return {row.id: known.get(row.keyed) or row.name or row.keyed.hex()[:12] for row in rows}
