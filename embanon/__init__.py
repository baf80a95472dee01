"""Find what gives an entity away in a text, say how much, and generalize it."""
