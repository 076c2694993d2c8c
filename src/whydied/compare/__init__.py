"""Two runs side by side: what differs between them, and which of it accounts for the end of the second."""
