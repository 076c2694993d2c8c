"""What the rules about memory share: memory over time, who holds it, what a step or a statement needs."""
