"""`whydied check`: everything that can be known before a training."""
