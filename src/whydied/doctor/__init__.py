"""What is wrong with an environment and its machine, and what each thing that is missing costs in diagnosis."""
