"""HTML: the one parser, and the text of a page in three renderings: plain, Markdown, and with the marks of quotes of mails."""
