"""Edits of what calls and defines: old names, classes, callbacks, sessions, pipelines."""
