"""Runs and their reports as tools for coding assistants, over the Model Context Protocol (`whydied mcp`)."""
