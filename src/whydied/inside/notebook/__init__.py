"""Cells of a notebook as a unit of the recording, what the notebook keeps alive, warnings before memory runs out."""
