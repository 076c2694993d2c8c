"""What a program may ask of whydied itself: assertions, contracts, logging, accumulation; works without a recording
too."""
