"""What a statement that took most of the memory does, by the kind of its calls. Pure."""
