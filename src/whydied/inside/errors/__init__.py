"""Facts about an exception, gathered while its frames are alive: the chain, the operands, near names, the data."""
