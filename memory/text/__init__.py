"""Text analysis: terms, languages, stems, stop words and names."""
