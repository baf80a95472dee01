"""A database of what was found in documents, and of who opened them."""
