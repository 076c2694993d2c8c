"""Known causes of native crashes and of environments that do not fit: what they look like, where they are reported.

Runs in the parent, after the program's end. `native_text` makes values of the words that native code left,
`table` has the known causes, `match` compares the two. Pure.
"""
