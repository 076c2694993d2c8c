"""Rules of shapes: what an op, a layer, a whole model or a loss accepts, and what comes out. Pure.

A size that is not known is None. What a rule is not known for is unknown (None), never a guess.
"""
