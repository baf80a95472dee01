"""Annotated texts and outputs of systems, in the formats of others."""
