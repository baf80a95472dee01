"""Structured identifiers: recognized by tables, checksums and labels, without a model."""

from embanon.text.identifiers.anchors import identify as identify, resolve_identifiers as resolve_identifiers
