"""Packages that an import needs and does not find, or finds in another version."""
