"""Structured identifiers: what a table, a checksum or a label can tell without a model."""

from embanon.text.identifiers.anchors import identify as identify, resolve_identifiers as resolve_identifiers
