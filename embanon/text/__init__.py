"""From text to phrases: tokens, parts of speech, boundaries, types."""
