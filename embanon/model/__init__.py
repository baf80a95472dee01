"""Embedding models: trained, stored, opened, grown and read."""
