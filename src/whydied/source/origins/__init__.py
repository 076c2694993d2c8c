"""Where a value of the source comes from: its bindings, its makers, the way between them. Pure."""
