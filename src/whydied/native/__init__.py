"""Native crashes after the fact: the registers, the stack and the map of a process that died, as frames with names.

Runs in the parent, after the program's end; the layout of the dump is shared with the writer in the user's process.
`crash_dump` reads what the handler left, `elf` looks into libraries, `unwinding` walks the stack by the tables that
compilers leave in them (`frame_table`), and names what was found. Nothing here loads a library of the program's or runs
anything.
"""
