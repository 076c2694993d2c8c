"""Data contracts: what is asked of a program's data, and the rows that break it; runs in the user's process.

Invariant: the data are read and never changed, and none of them is kept alive: arrays are held weakly, and of
rows that break a contract the first few are copied.
"""
