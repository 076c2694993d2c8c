"""Traces the first step of a program for `whydied estimate`, and ends the program before it runs."""
