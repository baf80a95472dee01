"""What is said of an anonymized document: pages, tables, charts."""
