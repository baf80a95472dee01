"""SQLAlchemy, or what to install: all modules of the ledger take it from here."""

from __future__ import annotations

from embanon.errors import MissingExtraError

try:
    import sqlalchemy as sql
    from sqlalchemy.dialects import postgresql, sqlite
except ImportError as exc:
    raise MissingExtraError("SQLAlchemy", "leak") from exc

__all__ = ["postgresql", "sql", "sqlite"]
