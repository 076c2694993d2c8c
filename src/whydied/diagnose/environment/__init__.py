"""What the rules about the installation share."""
