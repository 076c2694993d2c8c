"""What lies around an exception of TensorFlow or Keras, gathered while its frames are alive; runs in the user's
process.

Invariant: no code of the user's runs and nothing is kept but plain facts. Both libraries cut their own frames
off an exception before it leaves them, so the look is taken at that cut (`hooks/error_filters.py`); it becomes a record
only if nobody catches the exception (`gathering.py`).
"""
