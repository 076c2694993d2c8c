"""Edits that make sizes, types, layers, losses and feeds fit."""
