"""What it would cost if texts got out, and who could let them out."""
