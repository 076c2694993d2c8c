"""What the rules about exceptions share: their words, their context, and which values did not match."""
