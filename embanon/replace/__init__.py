"""What stands instead of risky phrases, how the text is rewritten, and what undoes it."""
