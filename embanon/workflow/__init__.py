"""Files in, files out: folders, tables and mails anonymized and restored."""
