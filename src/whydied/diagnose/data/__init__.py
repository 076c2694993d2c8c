"""What rules about the data of a failing statement share: the statement, what its data held, where they came from."""
