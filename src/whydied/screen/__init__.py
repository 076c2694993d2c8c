"""The terminal view of a running program (`whydied top`), on textual: what `whydied.live` tells, drawn."""
