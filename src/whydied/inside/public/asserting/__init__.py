"""What assertions look at, where they stand, and how they become part of a computation; runs in the user's process."""
