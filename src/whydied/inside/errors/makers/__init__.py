"""The statement that made the value which an exception is about; runs in the user's process."""
