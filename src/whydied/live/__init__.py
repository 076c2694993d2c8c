"""What a running program does, from the records as they come: values for whoever shows them."""
