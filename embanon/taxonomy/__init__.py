"""Taxonomies: compiled from ontologies, opened in place, climbed."""
