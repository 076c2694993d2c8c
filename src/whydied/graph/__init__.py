"""What a traced step needs: its recorded ops, their shapes, buffers and lives.

Pure, in any process of ours: no clock, no file, no TensorFlow, no NumPy. The way through the package:

    table (as recorded) -> expansion (inlined, loops unrolled, shapes known) -> simulation (buffers over time) -> memory
"""
