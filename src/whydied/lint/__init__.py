"""Static rules for code that tends to crash: `whydied lint`. Runs in the parent; reads files, runs none of them."""
