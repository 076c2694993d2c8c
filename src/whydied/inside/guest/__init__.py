"""How to live in somebody else's process: the guard, hooks without frames, whose code is whose, looking without
touching."""
