"""Whom an attacker with public text takes a document to be about."""
