"""`pytest --whydied`: `plugin` is what pytest loads, and loads the others where the option is given."""

PLACE = "WHYDIED_PYTEST"
"""In the environment of a process that runs tests for another: the directory that the two share."""
