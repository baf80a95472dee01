"""Who is protected, who else is present, and where they are named."""
