"""The report as Markdown: `document` is the whole, `escaping` keeps what comes from the program from being markup."""
