"""What the rules about programs that make no progress share."""
