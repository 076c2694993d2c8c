"""What the rules about signals, native crashes and child processes share."""
