"""Folders of arrays, opened in place: what a model and a taxonomy share."""
