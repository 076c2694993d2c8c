"""Changes of the user's source as data: what is written where, and the patch that comes of it."""
