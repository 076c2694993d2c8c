"""Arrays and tensors in the user's source: what makes, copies, gathers and reads them, and their shapes. Pure."""
