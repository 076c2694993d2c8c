"""Old code on a new library: what a name or an argument that is gone is called now."""
