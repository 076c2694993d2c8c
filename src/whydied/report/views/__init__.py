"""What a page draws of a run, as values: one module per picture. Pure; runs after death, or beside a program that
lives."""
