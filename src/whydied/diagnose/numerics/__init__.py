"""What the rules about values that are not finite share: the step that counts, the place, the norms, the symptom."""
