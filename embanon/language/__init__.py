"""What is known of languages, whatever the text: words, forms, frequencies."""
