"""From text to terms: analyzer, language, stems, stop words."""
