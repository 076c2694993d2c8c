"""Values that are used as others: names, types, lengths, labels, numbers of values."""
