"""Measures of anonymized texts: pure functions of what people marked and what a system masked."""
