"""Advice about single ops: what their own rules accept, other axes, loops, and the makers of sizes. Pure."""
